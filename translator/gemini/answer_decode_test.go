package gemini

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/anthropic"
	"edgelingua/translator/chat"
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/ir/irtext"
	"edgelingua/translator/responses"
)

var asked, asksSearch = irtest.Request, irtest.SearchRequest

// streamed returns the events of a stream, with a chunk in each line, and the losses.
func streamed(t *testing.T, r *ir.Request, chunks ...string) (*irtest.Recorder, []string) {
	return irtest.Streamed(t, Upstream{}, r, chunks...)
}

// plain returns the events of a body, and the losses.
func plain(t *testing.T, r *ir.Request, body string) (*irtest.Recorder, []string) {
	return irtest.Plain(t, Upstream{}, r, body)
}

// chunk returns a chunk with some parts. Further members of the candidate and of the chunk follow
// the parts.
func chunk(parts string, members ...string) string {
	m := append(members, "", "")
	return `{"candidates":[{"content":{"parts":[` + parts + `],"role":"model"}` + m[0] +
		`}],"modelVersion":"m","responseId":"r"` + m[1] + `}`
}

const stop = `,"finishReason":"STOP"`

// TestParts checks which events streams yield between Start and the end.
func TestParts(t *testing.T) {
	for name, c := range map[string]struct {
		parts []string // a chunk each
		want  []string
		lost  []string
	}{
		"texts are one block": {[]string{`{"text":"a\n"},{"text":""}`, `{"text":"b"}`}, []string{"text",
			`+a\n`, "+b", "end", "finish end_turn"}, nil},
		"thoughts, then a text": {[]string{`{"text":"t","thought":true}`, `{"text":"a","thought":false}`},
			[]string{"reasoning", "+t", "end", "text", "+a", "end", "finish end_turn"}, nil},
		"nothing but STOP": {[]string{`{"text":""}`}, []string{"finish end_turn"}, nil},
		"signature of a thought": {[]string{`{"text":"t","thought":true,"thoughtSignature":"S"}`,
			`{"text":"u","thought":true}`, `{"thought":true,"thoughtSignature":"V"}`},
			[]string{"reasoning", "+t", "signed S by gemini", "end", "reasoning", "+u", "signed V by gemini",
				"end", "finish end_turn"}, nil},
		"signature without a thought": {[]string{`{"thought":true,"text":"","thought_signature":"S"}`},
			[]string{"reasoning", "signed S by gemini", "end", "finish end_turn"}, nil},
		"signature behind a text": {[]string{`{"text":"a"}`, `{"text":"","thoughtSignature":"S"}`,
			`{"text":"b"}`},
			[]string{"text", "+a", "end", "redacted", "signed text.S by gemini", "end", "text", "+b", "end",
				"finish end_turn"}, nil},
		"two signatures of texts": {[]string{`{"text":"a","thoughtSignature":"S"},{"text":"",` +
			`"thoughtSignature":"T"}`},
			[]string{"text", "+a", "end", "redacted", "signed text.S by gemini", "end", "redacted",
				"signed text.T by gemini", "end", "finish end_turn"}, nil},
		"signature of a call": {[]string{`{"text":"a"},{"functionCall":{"name":"f","args":{"b": 1}},` +
			`"thoughtSignature":"S"}`},
			[]string{"text", "+a", "end", "redacted", "signed S by gemini", "end", "tool call_r_3 f",
				`+{\"b\": 1}`, "end", "finish tool_use"}, nil},
		"parallel calls": {[]string{`{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f"}}`,
			`{"function_call":{"name":"g","id":"x"}}`, `{"functionCall":{"name":"g","id":"x","args":null}}`},
			[]string{"tool call_r_1 f", "+{}", "end", "tool call_r_2 f", "+{}", "end", "tool x g", "+{}",
				"end", "tool x_4 g", "+{}", "end", "finish tool_use"}, nil},
		"what a part can be beside": {[]string{`{"text":"a"},{"executableCode":{"language":"PYTHON",` +
			`"code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}`,
			`{"inlineData":{"mimeType":"image/png","data":"AAAA"},"thoughtSignature":"S"},{"text":"b",` +
				`"videoMetadata":null}`},
			[]string{"text", "+a", "+b", "end", "finish end_turn"},
			[]string{lostPart + "executableCode", lostPart + "codeExecutionResult", lostPart + "inlineData",
				lostSignature}},
		"an empty call is none": {[]string{`{"functionCall":{}}`}, []string{"finish end_turn"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var chunks []string
			for _, parts := range c.parts {
				chunks = append(chunks, chunk(parts))
			}
			s, lost := streamed(t, asked(), append(chunks, chunk("", stop))...)
			require.Equal(t, append([]string{"start r m"}, c.want...), s.Lines())
			require.Equal(t, c.lost, lost)
			if name == "two signatures of texts" || len(c.parts) == 1 {
				s, _ = plain(t, asked(), chunk(c.parts[0], stop))
				require.Equal(t, append([]string{"start r m"}, c.want...), s.Lines())
			}
		})
	}
}

// TestPhases checks that the last text of an answer is the final answer, also if a signature or a
// search follows.
func TestPhases(t *testing.T) {
	signed := `{"text":"a","thoughtSignature":"S"}`
	for _, c := range []struct {
		parts, end string
		want       []ir.Phase
	}{
		{`{"text":"t","thought":true},` + signed, stop, []ir.Phase{0, ir.FinalAnswer, 0}},
		{signed, stop + `,"groundingMetadata":{"webSearchQueries":["q"]}`, []ir.Phase{ir.FinalAnswer, 0, 0}},
		{signed + `,{"text":"b"}`, stop, []ir.Phase{0, 0, ir.FinalAnswer}},
		{signed + `,{"functionCall":{"name":"f"}}`, stop, []ir.Phase{0, 0, 0}},
		{`{"functionCall":{"name":"f"}},` + signed, stop, []ir.Phase{0, 0, 0}},
		{signed, `,"finishReason":"MAX_TOKENS"`, []ir.Phase{0, 0}},
	} {
		s, _ := streamed(t, asked(), chunk(c.parts, c.end))
		require.Equal(t, c.want, s.Phases(), c.parts)
	}
}

// TestHidden covers clients whose API lacks a form for a block.
func TestHidden(t *testing.T) {
	answer := []string{chunk(`{"text":"t","thought":true,"thoughtSignature":"A"},{"text":"a",` +
		`"thoughtSignature":"B"},{"functionCall":{"name":"f"},"thoughtSignature":"C"}`),
		chunk(``, stop+`,"groundingMetadata":{"webSearchQueries":["q"],`+
			`"groundingChunks":[{"web":{"uri":"https://a"}}]}`)}
	for not, path := range map[ir.BlockKind]string{ir.ReasoningBlock: lostThought,
		ir.RedactedBlock: lostSignature, ir.WebSearchBlock: lostQueries} {
		s, lost := streamed(t, asked(not), answer...)
		require.NotContains(t, s.Lines(), irtext.Block(not))
		require.Contains(t, lost, path)
		require.Equal(t, "finish tool_use", s.LastLine())
	}
}

func TestFinishReasons(t *testing.T) {
	for reason, want := range map[string]string{
		"STOP": "finish end_turn", "MAX_TOKENS": "finish max_tokens", "SAFETY": "finish refusal",
		"RECITATION": "finish refusal", "LANGUAGE": "finish refusal",
		"BLOCKLIST": "finish refusal", "PROHIBITED_CONTENT": "finish refusal", "SPII": "finish refusal",
		"MODEL_ARMOR": "finish refusal", "IMAGE_SAFETY": "finish refusal",
		"IMAGE_PROHIBITED_CONTENT": "finish refusal", "IMAGE_RECITATION": "finish refusal",
		"FINISH_REASON_UNSPECIFIED": "failure unavailable The upstream's stream ended before the answer " +
			"was complete.",
		"OTHER": "failure unavailable The upstream aborted the answer: OTHER.",
		"MALFORMED_FUNCTION_CALL": "failure unavailable The upstream aborted the answer: " +
			"MALFORMED_FUNCTION_CALL.",
		"UNEXPECTED_TOOL_CALL": "failure unavailable The upstream aborted the answer: " +
			"UNEXPECTED_TOOL_CALL.",
		"TOO_MANY_TOOL_CALLS": "failure unavailable The upstream aborted the answer: " +
			"TOO_MANY_TOOL_CALLS.",
		"MALFORMED_RESPONSE": "failure unavailable The upstream aborted the answer: " +
			"MALFORMED_RESPONSE.",
		"NO_IMAGE":    "failure unavailable The upstream aborted the answer: NO_IMAGE.",
		"IMAGE_OTHER": "failure unavailable The upstream aborted the answer: IMAGE_OTHER.",
		"MISSING_THOUGHT_SIGNATURE": "failure invalid_request The upstream aborted the answer: " +
			"MISSING_THOUGHT_SIGNATURE.",
		"OF_NEXT_YEAR": "finish end_turn",
	} {
		s, _ := streamed(t, asked(), chunk(`{"text":"a"}`, `,"finishReason":"`+reason+`"`))
		require.Equal(t, want, s.LastLine(), reason)
	}
	s, _ := streamed(t, asked(), chunk("", `,"finishReason":"OF_NEXT_YEAR"`))
	require.Equal(t, "failure unavailable The upstream aborted the answer: OF_NEXT_YEAR.", s.LastLine())
	s, _ = streamed(t, asked(),
		chunk("", `,"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed \"call\""`))
	require.Equal(t,
		`failure unavailable The upstream aborted the answer: MALFORMED_FUNCTION_CALL: Malformed "call"`,
		s.Lines()[1])
	s, _ = streamed(t, asked(), chunk(`{"text":"a"}`),
		chunk("", `,"finish_reason":"SAFETY","finish_message":"No \"call\""`))
	require.Equal(t, []string{"text", "+a", "end", "refusal", `+No \"call\"`, "end", "finish refusal"},
		s.Lines()[1:])
	s, lost := streamed(t, asked(),
		chunk("", `,"finishReason":"SAFETY","finishMessage":"`+strings.Repeat("n", google.MaxWhy+1)+`"`))
	require.Equal(t, []string{"start r m", "finish refusal"}, s.Lines())
	require.Equal(t, []string{lostReason}, lost)
}

// TestEnds covers good and bad ends of a stream or a body.
func TestEnds(t *testing.T) {
	const incomplete = "failure unavailable The upstream's stream ended before the answer was complete."
	text, end := chunk(`{"text":"a"}`), chunk("", stop)
	for name, c := range map[string]struct {
		chunks []string
		want   string
	}{
		"no chunk":        {nil, incomplete},
		"no finishReason": {[]string{text}, incomplete},
		"usage alone":     {[]string{`{"usageMetadata":{"promptTokenCount":1}}`}, incomplete},
		"usage behind the end": {[]string{text, end, `{"usageMetadata":{"promptTokenCount":1}}`},
			"finish end_turn"},
		"STOP in each chunk": {[]string{chunk(`{"text":"a"}`, stop), chunk(`{"text":"b"}`, stop)},
			"finish end_turn"},
		"more behind STOP, and no end": {[]string{text, end, text}, incomplete},
		"a call behind STOP": {[]string{text, end, chunk(`{"functionCall":{"name":"f"}}`)},
			incomplete},
		"a signature behind STOP": {[]string{text, end, chunk(`{"text":"","thoughtSignature":"S"}`)},
			"finish end_turn"},
		"STOP behind MAX_TOKENS": {[]string{chunk(`{"text":"a"}`, `,"finishReason":"MAX_TOKENS"`),
			end}, "finish max_tokens"},
		"[DONE]":       {[]string{text, end, "[DONE]", text}, "finish end_turn"},
		"[DONE] alone": {[]string{text, "[DONE]"}, incomplete},
		"no JSON": {[]string{text, "{"},
			"failure unavailable The upstream's answer can't be read: an event is not JSON."},
		"error": {[]string{text,
			`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, end},
			"failure overloaded The model is overloaded."},
		"error behind STOP": {[]string{text, end,
			`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`},
			"failure overloaded The model is overloaded."},
		"list of an error": {[]string{`[{"error":{"code":429,"message":"Slow.",` +
			`"status":"RESOURCE_EXHAUSTED"}}]`}, "failure rate_limit Slow."},
		"error null": {[]string{text, chunk("", stop, `,"error":null`)}, "finish end_turn"},
		"blocked": {[]string{`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},` +
			`"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9},"modelVersion":"m",` +
			`"responseId":"r"}`}, "finish refusal"},
		"feedback without a reason": {[]string{chunk(`{"text":"a"}`, stop,
			`,"promptFeedback":{"safetyRatings":[]}`)}, "finish end_turn"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := streamed(t, asked(), c.chunks...)
			require.Equal(t, c.want, s.LastLine())
		})
	}
	for body, want := range map[string]string{
		`{}`: "failure unavailable The upstream's answer can't be read: " +
			"the body has no candidates.",
		`[]`: "failure unavailable The upstream's answer can't be read: " +
			"the body has no candidates.",
		`{"candidates":[]}`: "failure unavailable The upstream's answer can't be read: " +
			"the body has no candidates.",
		`{`: "failure unavailable The upstream's answer can't be read: " +
			"the body is not JSON.",
		`[{"error":{"message":"No."}}]`:      "failure internal No.",
		chunk(`{"text":"a"}`):                "finish end_turn",
		chunk(""):                            incomplete,
		chunk("", stop):                      "finish end_turn",
		chunk("", `,"finish_reason":"SPII"`): "finish refusal",
	} {
		s, _ := plain(t, asked(), body)
		require.Equal(t, want, s.LastLine(), body)
	}
	s := irtest.Record(t)
	d := newDecoder(asked(), &ir.Target{}, &ir.Lost{}, s)
	d.Event("error", `{"code":500,"message":"Gone."}`)
	require.Equal(t, []string{"failure internal Gone."}, s.Lines())
	s, _ = streamed(t, asked(), `{"prompt_feedback":{"block_reason":"OTHER","block_reason_message":"Why."}}`)
	require.Equal(t, []string{"start unnamed_1700000000_0", "refusal", "+Why.", "end", "finish refusal"},
		s.Lines())
}

// TestComplete: after a finishReason an answer is complete except for the usage, unless more of the
// answer follows. If more follows, a cut stream is a failure.
func TestComplete(t *testing.T) {
	cut := &ir.Error{Kind: ir.Unavailable, Message: "cut"}
	s := irtest.Record(t)
	d := newDecoder(asked(), &ir.Target{}, &ir.Lost{}, s)
	d.Event("", chunk(`{"text":"a"}`))
	require.False(t, d.Complete())
	d.Event("", chunk("", stop))
	require.True(t, d.Complete())
	d.Close(cut)
	require.Equal(t, "finish end_turn", s.LastLine())
	require.True(t, d.Complete())
	d.Event("", chunk(`{"text":"a"}`))
	d.Body(chunk(`{"text":"a"}`))
	d.Close(nil)
	require.Equal(t, "finish end_turn", s.LastLine())

	s = irtest.Record(t)
	d = newDecoder(asked(), &ir.Target{}, &ir.Lost{}, s)
	d.Event("", chunk(`{"text":"a"}`, stop))
	d.Event("", chunk(`{"text":"b"}`, stop))
	require.False(t, d.Complete())
	d.Close(cut)
	require.Equal(t, "failure unavailable cut", s.LastLine())
}

func TestCandidates(t *testing.T) {
	s, lost := plain(t, asked(),
		`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"},`+
			`{"content":{"parts":[{"text":"b"}]},"finishReason":"SAFETY"}]}`)
	require.Equal(t, []string{"start unnamed_1700000000_0", "text", "+a", "end", "finish end_turn"},
		s.Lines())
	require.Equal(t, []string{lostCandidate}, lost)
	s, lost = streamed(t, asked(),
		`{"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}`,
		chunk(`{"text":"a"}`, stop+`,"index":0`))
	require.Equal(t, []string{"start r m", "text", "+a", "end", "finish end_turn"}, s.Lines())
	require.Equal(t, []string{lostCandidate}, lost)
}

// TestNames checks that a call has the client's name of the tool.
func TestNames(t *testing.T) {
	r := asked()
	r.Tools = []ir.Tool{{Name: "my tool"}}
	s, _ := streamed(t, r, chunk(`{"functionCall":{"id":"a","name":"`+string(ir.Identifier("my tool",
		API.MaxToolName))+`"}}`, stop))
	require.Equal(t, "tool a my tool", s.Lines()[1])
}

func TestCallsThatFail(t *testing.T) {
	for _, part := range []string{
		`{"functionCall":{"args":{"a":1}}}`, `{"functionCall":{"name":"f","args":"{}"}}`,
		`{"functionCall":{"name":"f","args":[1]}}`,
		`{"functionCall":{"willContinue":true}}`,
		`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","numberValue":1}]}}`,
		`{"functionCall":{"name":"f","args":{"a":1},"willContinue":true}}`,
	} {
		s, _ := streamed(t, asked(), chunk(part, stop))
		require.Contains(t, s.LastLine(), "failure unavailable The upstream's answer can't be read: ", part)
	}
}

// TestFailureInAList: the answer ends at an invalid part, whatever parts and members follow.
func TestFailureInAList(t *testing.T) {
	for call, want := range map[string]string{
		`{"functionCall":{"args":{"a":1}}}`: "failure unavailable The upstream's answer can't be " +
			"read: a tool call has both complete and partial arguments.",
		`{"functionCall":{"name":"f","args":[{}]}}`: "failure unavailable The upstream's answer can't be " +
			"read: the arguments of a tool call are not an object.",
		`{"functionCall":{"partialArgs":[{"a":1}]}}`: "failure unavailable The upstream's answer can't be " +
			"read: a tool call has no name.",
	} {
		for _, rest := range []string{`,{"functionCall":{"name":"g","args":{"b":2}}}`,
			`,{"text":"b"},7,"c",[[]]`} {
			answer := `{"candidates":[{"content":{"parts":[` + call + rest +
				`],"role":"model","x":[{}]},"finishReason":"STOP"},` +
				`{"index":1,"content":{"parts":[{"text":"d"}]}}],"modelVersion":"m","responseId":"r"}`
			for _, read := range []func(*testing.T, *ir.Request, string) (*irtest.Recorder, []string){
				plain,
				func(t *testing.T, r *ir.Request, s string) (*irtest.Recorder, []string) {
					return streamed(t,
						r, s)
				},
			} {
				s, _ := read(t, asked(), answer)
				require.Equal(t, []string{"start r m", want}, s.Lines(), answer)
			}
		}
	}
}

func TestUsage(t *testing.T) {
	for usage, want := range map[string]ir.Usage{
		`{}`: ir.NoUsage,
		`{"promptTokenCount":19,"cachedContentTokenCount":3,"candidatesTokenCount":4,` +
			`"toolUsePromptTokenCount":63,"thoughtsTokenCount":56,"totalTokenCount":142}`: {Input: 79,
			CacheRead: 3, CacheWrite: -1, Output: 60, Reasoning: 56},
		`{"prompt_token_count":9,"candidates_token_count":23,"total_token_count":217,` +
			`"thoughts_token_count":185}`: {Input: 9, CacheRead: -1, CacheWrite: -1, Output: 208,
			Reasoning: 185},
		`{"promptTokenCount":10,"candidatesTokenCount":10,"thoughtsTokenCount":5,` +
			`"totalTokenCount":20}`: {Input: 10, CacheRead: -1, CacheWrite: -1, Output: 10, Reasoning: 5},
		`{"promptTokenCount":9,"candidatesTokenCount":0,` +
			`"totalTokenCount":20}`: {Input: 9, CacheRead: -1, CacheWrite: -1, Output: 0, Reasoning: -1},
		`{"promptTokenCount":0,"toolUsePromptTokenCount":5,` +
			`"candidatesTokenCount":1}`: {Input: 5, CacheRead: -1, CacheWrite: -1, Output: 1, Reasoning: -1},
		`{"candidatesTokenCount":8,"thoughtsTokenCount":3,` +
			`"totalTokenCount":7}`: {Input: -1, CacheRead: -1, CacheWrite: -1, Output: 11, Reasoning: 3},
		`{"promptTokenCount":9,` +
			`"totalTokenCount":9}`: {Input: 9, CacheRead: -1, CacheWrite: -1, Output: 0, Reasoning: -1},
		`{"promptTokenCount":9,"totalTokenCount":20,` +
			`"thoughtsTokenCount":11}`: {Input: 9, CacheRead: -1, CacheWrite: -1, Output: 11, Reasoning: 11},
		`{"promptTokenCount":null,"candidatesTokenCount":-1,` +
			`"totalTokenCount":"x"}`: ir.NoUsage,
	} {
		s, _ := plain(t, asked(), chunk(`{"text":"a"}`, stop, `,"usageMetadata":`+usage))
		require.Equal(t, want, s.Last().Usage, usage)
	}
	s, _ := streamed(t, asked(), chunk(`{"text":"a"}`, "",
		`,"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"serviceTier":"flex"}`),
		chunk("", stop, `,"usageMetadata":{"trafficType":"ON_DEMAND"}`),
		`{"usageMetadata":{"candidatesTokenCount":7}}`)
	require.Equal(t, ir.Usage{Input: 9, CacheRead: -1, CacheWrite: -1, Output: 7, Reasoning: -1},
		s.Last().Usage)
	require.Equal(t, ir.FlexTier, s.Last().Tier)
}

func TestLogprobs(t *testing.T) {
	r := asked()
	answer := []string{
		chunk(`{"text":"é"}`,
			`,"logprobsResult":{"logProbabilitySum":-1,"topCandidates":[{"note":1,`+
				`"candidates":[{"token":"é","tokenId":1,"logProbability":-0.5},{"token":"b"}]},`+
				`{"candidates":[{"token":"\n"}]}],"chosenCandidates":[{"token":"é","logProbability":-0.5},`+
				`{"token":"\n","logProbability":-1e-3},{"token":"c"}]}`),
		chunk(`{"text":"d"}`, stop+`,"logprobs_result":{"chosen_candidates":[]}`)}
	s, lost := streamed(t, r, answer...)
	require.Equal(t, []string{"text", "+é", "+d", "end", "finish end_turn"}, s.Lines()[1:])
	require.Equal(t, []string{lostLogprobs}, lost)
	r.Logprobs = "logprobs"
	s, lost = streamed(t, r, answer...)
	require.Equal(t, []string{"text",
		`logprobs [{"token":"é","logprob":-0.5,"bytes":[195,169],"top_logprobs":[{"token":"é",` +
			`"logprob":-0.5,"bytes":[195,169]},{"token":"b","logprob":0,"bytes":[98]}]},` +
			`{"token":"\n","logprob":-1e-3,"bytes":[10],"top_logprobs":[{"token":"\n","logprob":0,` +
			`"bytes":[10]}]},{"token":"c","logprob":0,"bytes":[99],"top_logprobs":[]}]`,
		"+é", "+d", "end", "finish end_turn"}, s.Lines()[1:])
	require.Empty(t, lost)
	_, lost = streamed(t, r, chunk(`{"functionCall":{"name":"f"}}`,
		stop+`,"logprobsResult":{"chosenCandidates":[{"token":"c"}]}`))
	require.Equal(t, []string{lostLogprobs}, lost)
	s, lost = streamed(t, r, chunk(`{"functionCall":{"name":"f"}}`,
		`,"logprobsResult":{"chosenCandidates":[{"token":"c"}]}`), chunk(`{"text":"a"}`, stop))
	require.Equal(t, []string{"tool call_r_1 f", "+{}", "end", "text", "+a", "end", "finish tool_use"},
		s.Lines()[1:])
	require.Equal(t, []string{lostLogprobs}, lost)
}

// TestBounds checks that an answer with too many blocks fails.
func TestBounds(t *testing.T) {
	parts := strings.Repeat(`{"functionCall":{"name":"f"}},`, ir.MaxBlocks)
	s, _ := streamed(t, asked(), chunk(parts+`{"text":""}`, stop))
	require.Equal(t, "finish tool_use", s.LastLine())
	s, _ = streamed(t, asked(), chunk(parts+`{"text":"a"}`, stop))
	require.Contains(t, s.LastLine(), "it has more than 1024 blocks")
	s, _ = streamed(t, asked(), chunk(parts+`{"functionCall":{"name":"f"},"thoughtSignature":"S"}`, stop))
	require.Contains(t, s.LastLine(), "it has more than 1024 blocks")
	s, _ = streamed(t, asked(), chunk(parts+`{"text":""}`,
		stop+`,"groundingMetadata":{"webSearchQueries":["q"]}`))
	require.Contains(t, s.LastLine(), "it has more than 1024 blocks")
	s, _ = streamed(t, asked(), chunk(`{"text":"a","thoughtSignature":"`+strings.Repeat("S", ir.MaxBuffered+1)+
		`"}`, stop))
	require.Contains(t, s.LastLine(), tooMuch)
}

// TestDeltasAllocateNothing covers all deltas, also of a text before citations with positions.
func TestDeltasAllocateNothing(t *testing.T) {
	for name, c := range map[string]struct{ first, delta string }{
		"text": {chunk(`{"text":"a"}`), chunk(`{"text":"some\n words \"é\u00e9"}`,
			`,"index":0,"safetyRatings":[]`,
			`,"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"totalTokenCount":12,`+
				`"serviceTier":"standard"}`)},
		"reasoning": {chunk(`{"text":"a","thought":true}`), chunk(`{"text":"some\n words","thought":true}`)},
		"lost":      {chunk(`{"text":"a"}`), chunk(`{"text":"some"},{"inlineData":{"data":"AAAA"}}`)},
		"arguments": {chunk(`{"functionCall":{"name":"f","willContinue":true,` +
			`"partialArgs":[{"jsonPath":"$.a[0].b","stringValue":"","willContinue":true}]}}`),
			chunk(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0].b","stringValue":"some\n words",` +
				`"willContinue":true}],"willContinue":true}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDecoder(asksSearch(), &ir.Target{}, &ir.Lost{}, irtest.Discard)
			d.Event("", c.first)
			irtest.RequireNoAllocs(t, d, "", c.delta)
		})
	}
}

// recordings is a folder with streams of the real service, a chunk in each line, and bodies.
const recordings = "../../../shared/recorded/gemini/"

// TestRecorded covers answers of the real service. Of signatures only the beginnings count. The kind
// of traffic is a fact about Google's service: it is reported.
func TestRecorded(t *testing.T) {
	for name, want := range map[string]string{
		"google-text.chunks.txt": `start bH6LaZW8Fp_3nsEPqtaSwQ4 gemini-3-pro-preview|text|+There are ` +
			`**3**|+ \"r\"s in strawberry.\n\nst**r**awbe**rr**y|end|` +
			`redacted|signed text.EqsFC|end|finish end_turn 9 208 185`,
		"google-reasoning-gemini3.chunks.txt": `start M3iLaY-AI7zTxN8P3Piw4Qg ` +
			`gemini-3-pro-preview|text|+There are **3** \"r\"s in strawberry.\n\n|+St**r**awbe**rr**y|end|` +
			`redacted|signed text.EpAIC|end|finish end_turn 9 325 302`,
		"google-tool-call.chunks.txt": `start b36LacjwM668nsEP2tbsgQQ ` +
			`gemini-3-pro-preview|redacted|signed EqUCCqICA|end|` +
			`tool call_b36LacjwM668nsEP2tbsgQQ_2 weather|+{\"location\":\"San Francisco\"}|end|finish ` +
			`tool_use 29 60 45`,
		"google-stream-tool-call-arguments.chunks.txt": `start dqHOab6xGLzWodAPkPuViA4 ` +
			`gemini-3.1-pro-preview|redacted|signed CiMBjz1rX|end|` +
			`tool call_dqHOab6xGLzWodAPkPuViA4_2 getWeather|+{\"location\":\"Boston|+\"|+}|end|` +
			`tool call_dqHOab6xGLzWodAPkPuViA4_3 getWeather|+{\"location\":\"San ` +
			`Francisco|+\"|+}|end|finish tool_use 26 155 132`,
	} {
		recorded := irtest.Recorded(t, recordings+name)
		s, lost := streamed(t, asked(), strings.Split(strings.TrimSpace(recorded), "\n")...)
		require.Equal(t, want, brief(s), name)
		require.Equal(t, strings.Contains(recorded, "trafficType"), len(lost) == 1, lost)
		require.Subset(t, []string{"usageMetadata.trafficType"}, lost, name)
	}
	for name, want := range map[string]string{
		"google-text.json": `start Un6LacrVMcjUxs0PmJfWoQc gemini-3-pro-preview|text|+There are **3** r's ` +
			`in strawberry.\n\nHere is the breakdown: st**r**awbe**rr**y.|end|` +
			`redacted|signed text.EtoFC|end|finish end_turn 9 272 244`,
		"google-tool-call.json": `start m36LaZGyCLz1xs0PtNSB-QU gemini-3-pro-preview|redacted|signed ` +
			`EskgCsYgA|end|tool call_m36LaZGyCLz1xs0PtNSB-QU_2 weather|` +
			`+{\n                \"location\": \"San Francisco\"\n              }|end|finish tool_use ` +
			`29 908 893`,
	} {
		recorded := irtest.Recorded(t, recordings+name)
		s, lost := plain(t, asked(), recorded)
		require.Equal(t, want, brief(s), name)
		require.Equal(t, strings.Contains(recorded, "trafficType"), len(lost) == 1, lost)
		require.Subset(t, []string{"usageMetadata.trafficType"}, lost, name)
	}
}

// brief returns events in a line, with the tokens.
func brief(s *irtest.Recorder) string {
	lines, usage := s.Lines(), s.Last().Usage
	for i, line := range lines {
		if signed, ok := strings.CutSuffix(line, " by gemini"); ok {
			lines[i] = signed[:len("signed ")+len("text.EqsFC")-1]
			if strings.HasPrefix(signed, "signed text.") {
				lines[i] = signed[:len("signed text.EqsFC")]
			}
		}
	}
	return fmt.Sprintf("%s %d %d %d", strings.Join(lines, "|"), usage.Prompt(), usage.Output, usage.Reasoning)
}

// clients are the APIs of the clients that get the answers.
var clients = []*ir.API{&anthropic.API, &chat.API, &responses.API}

// FuzzAnswer sends anything. Events keep their grammar, the arguments of calls are JSON unless the
// answer was cut, and clients get JSON.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		chunk(`{"text":"a","thoughtSignature":"S"},{"text":"t","thought":true,"thoughtSignature":"T"},`+
			`{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"U"}`, stop),
		chunk(`{"functionCall":{"name":"f","willContinue":true}}`) + "\n" +
			chunk(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0]['b']","stringValue":"x",`+
				`"willContinue":true},{"jsonPath":"$.a[0].c","boolValue":true}],"willContinue":true}}`) +
			"\n" + chunk(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a[1].b","nullValue":"NULL_VALUE"}`+
			`,{"jsonPath":"$.a[]"}]}}`) + "\n" + chunk("", stop),
		chunk(`{"text":"häuser"}`) + "\n" + grounded,
		`{"promptFeedback":{"blockReason":"SAFETY"}}`,
		`[{"error":{"code":503,"status":"UNAVAILABLE","details":[{"retryDelay":"1s"}]}}]`,
		chunk(`{"text":"a"}`, `,"logprobsResult":{"chosenCandidates":[{"token":"a","logProbability":-1}]}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		for _, not := range []ir.BlockKind{0, ir.ReasoningBlock, ir.RedactedBlock, ir.ToolCallBlock,
			ir.WebSearchBlock} {
			r := asked(not)
			r.Tools, r.Logprobs = asksSearch().Tools, "logprobs"
			s, _ := streamed(t, r, strings.Split(answer, "\n")...)
			checkCalls(t, s)
			s, _ = plain(t, r, answer)
			checkCalls(t, s)
		}
		for _, api := range clients {
			folder := api.Client.NewPlainEncoder(&ir.Request{API: api, Tools: asksSearch().Tools}, "m", nil)
			d := newDecoder(&ir.Request{API: api}, &ir.Target{}, &ir.Lost{}, folder)
			irtest.Play(d, strings.Split(answer, "\n"))
			if body, failure := folder.Body(); failure == nil {
				require.True(t, json.Valid(body), "%s", body)
			}
		}
		Upstream{}.DecodeError(400, answer)
	})
}

func TestRecordedError(t *testing.T) {
	require.Equal(t, ir.Error{Kind: ir.RateLimit, Status: 429, Code: "RESOURCE_EXHAUSTED",
		Message: "You exceeded your current quota, please check your plan. Please retry in 34.4s.", Wait: 35},
		*Upstream{}.DecodeError(429, irtest.Recorded(t, recordings+"google-429-retry-info.json")))
}
