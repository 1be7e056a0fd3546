package translator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

const (
	head = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m",` +
		`"choices":[{"index":0,"delta":`
	tail = `,"finish_reason":null}],"usage":null}` + "\n\n"
)

func exchange(tb testing.TB) *translator.Exchange {
	pair, ok := translator.Lookup("anthropic", "chat")
	require.True(tb, ok)
	x, err := pair.Decode("",
		[]byte(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}]}`))
	require.Nil(tb, err)
	_, err = x.AppendRequest(nil, &ir.Target{})
	require.Nil(tb, err)
	return x
}

// opened has, for each upstream and kind of delta, the event that begins such an answer and a delta
// that may be repeated, both in the form of the vendors' own services.
var opened = map[string]map[string][2]string{
	"anthropic": {
		"text": {`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta",` +
				`"text":"some words\n and a \"quote\" \u00e9"}}`},
		"reasoning": {`{"type":"content_block_start","index":0,"content_block":{"type":"thinking",` +
			`"thinking":"","signature":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta",` +
				`"thinking":"some\nwords"}}`},
		"arguments": {`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use",` +
			`"id":"t","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta",` +
				`"partial_json":"[[[\"a\\n\\\"b"}}`},
	},
	"chat": {
		"text": {chatChunk(`{"role":"assistant","content":"","refusal":null}`),
			chatChunk(`{"content":"some words\n and a \"quote\" \u00e9"}`)},
		"reasoning": {chatChunk(`{"role":"assistant"}`), chatChunk(`{"reasoning_content":"some\nwords"}`)},
		"arguments": {chatChunk(`{"role":"assistant","content":null,"tool_calls":[{"index":0,` +
			`"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}`),
			chatChunk(`{"tool_calls":[{"index":0,"function":{"arguments":"[[[\"a\\n\\\"b"}}]}`)},
	},
	"responses": {
		"text": {`{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1",` +
			`"type":"message","role":"assistant","content":[]}}`, responsesDelta("output_text", "msg_1",
			`"content_index":0,"delta":"some words\n and a \"quote\" \u00e9","logprobs":[]`)},
		"reasoning": {`{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1",` +
			`"type":"reasoning","summary":[]}}`, responsesDelta("reasoning_summary_text", "rs_1",
			`"summary_index":0,"delta":"some\nwords"`)},
		"arguments": {`{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1",` +
			`"type":"function_call","call_id":"c","name":"f","arguments":""}}`,
			responsesDelta("function_call_arguments", "fc_1", `"delta":"[[[\"a\\n\\\"b"`)},
	},
	"gemini": {
		"text": {geminiChunk(`{"text":"I"}`),
			geminiChunk(`{"text":"some words\n and a \"quote\" \u00e9"}`)},
		"reasoning": {geminiChunk(`{"text":"I","thought":true}`),
			geminiChunk(`{"text":"some\nwords","thought":true}`)},
		"arguments": {geminiChunk(`{"functionCall":{"id":"c","name":"f","willContinue":true}}`),
			geminiChunk(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"[[[\"a\n\\\"b",` +
				`"willContinue":true}],"willContinue":true}}`)},
	},
	"interactions": {
		"text": {interactionsStart(`"type":"model_output"`),
			interactionsDelta(`"type":"text","text":"some words\n and a \"quote\" \u00e9"`)},
		"reasoning": {interactionsStart(`"type":"thought"`),
			interactionsDelta(`"type":"thought_summary","content":{"type":"text","text":"some\nwords"}`)},
		"arguments": {interactionsStart(`"type":"function_call","id":"c","name":"f","arguments":{}`),
			interactionsDelta(`"type":"arguments_delta","arguments":"[[[\"a\\n\\\"b"`)},
	},
}

// interactionsBody is a plain answer of Google's Interactions API.
const interactionsBody = `{"id":"r1","status":"requires_action","steps":[{"type":"thought",` +
	`"signature":"UwA=","summary":[{"type":"text","text":"t"}]},{"type":"model_output",` +
	`"content":[{"type":"text","text":"I look.",` +
	`"annotations":[{"type":"url_citation","url":"https://a.example","title":"A","start_index":0,` +
	`"end_index":1}]}]},{"type":"google_search_call","id":"s","arguments":{"queries":["q"]}},` +
	`{"type":"function_call","id":"c","name":"f","arguments":{"a":1}}],"usage":{"total_input_tokens":9,` +
	`"total_output_tokens":3},"object":"interaction","model":"gemini-3-pro"}`

func interactionsStart(step string) string {
	return `{"index":0,"step":{` + step + `},"event_type":"step.start"}`
}

func interactionsDelta(delta string) string {
	return `{"index":0,"delta":{` + delta + `},"event_type":"step.delta"}`
}

func geminiChunk(part string) string {
	return `{"candidates":[{"content":{"parts":[` + part +
		`],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9,` +
		`"promptTokensDetails":[{"modality":"TEXT","tokenCount":9}],"trafficType":"ON_DEMAND"},` +
		`"modelVersion":"gemini-3-pro","createTime":"2025-01-01T00:00:00Z","responseId":"r1"}`
}

func chatChunk(delta string) string {
	return `{"id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG","object":"chat.completion.chunk",` +
		`"created":1741570283,"model":"m-2025-01-01","service_tier":"default",` +
		`"system_fingerprint":"fp_fc9f1d7035",` +
		`"choices":[{"index":0,"delta":` + delta +
		`,"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x3bDq9fT"}`
}

func responsesDelta(what, item, rest string) string {
	return `{"type":"response.` + what + `.delta","sequence_number":40,"item_id":"` + item +
		`","output_index":0,` + rest + `,"obfuscation":"x3bDq9fT"}`
}

// kinds are the kinds of deltas in opened.
var kinds = []string{"text", "reasoning", "arguments"}

// begun returns a stream whose answer has begun, and a delta for the stream.
func begun(tb testing.TB, client, upstream, kind string) (s *translator.Stream, delta string) {
	x := ask(tb, client, upstream)
	x.AskUsage = true // also estimates tokens
	s = x.Stream()
	s.Push([]byte("data: " + opened[upstream][kind][0] + "\n\n"))
	return s, "data: " + opened[upstream][kind][1] + "\n\n"
}

// TestTextCallsAllocateNothing: a text delta allocates nothing even if the translator looks for
// calls in the text.
func TestTextCallsAllocateNothing(t *testing.T) {
	for _, upstream := range upstreams {
		pair, _ := translator.Lookup("anthropic", upstream)
		x, refused := pair.Decode("", []byte(firstTurns["anthropic"]+"]}"))
		require.Nil(t, refused)
		_, refused = x.AppendRequest(nil, &ir.Target{TextCalls: true})
		require.Nil(t, refused)
		s, delta := x.Stream(), []byte("data: "+opened[upstream]["text"][1]+"\n\n")
		s.Push([]byte("data: " + opened[upstream]["text"][0] + "\n\n"))
		s.Push(delta)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if out, done := s.Push(delta); len(out) == 0 || done {
				panic("no delta")
			}
		}))
	}
}

// TestDeltaAllocatesNothing: no kind of delta allocates in any pair, neither whole nor cut in two.
// Encoders gather text (Responses all text, Chat reasoning) in buffers that double when full.
// Unmeasured deltas make the buffers large enough first.
func TestDeltaAllocatesNothing(t *testing.T) {
	for _, upstream := range upstreams {
		for _, client := range protocols {
			for _, kind := range kinds {
				t.Run(client+"/"+upstream+"/"+kind, func(t *testing.T) {
					s, text := begun(t, client, upstream, kind)
					delta := []byte(text)
					for range 1000 {
						s.Push(delta)
						s.Push(delta[:60])
						s.Push(delta[60:])
					}
					require.Zero(t, testing.AllocsPerRun(100, func() {
						out, done := s.Push(delta)
						if gathers := isGoogle(client) &&
							kind == "arguments"; (len(out) == 0) != gathers || done {
							panic("no delta")
						}
					}))
					require.Zero(t, testing.AllocsPerRun(100, func() {
						s.Push(delta[:60])
						s.Push(delta[60:])
					}))
				})
			}
		}
	}
}
