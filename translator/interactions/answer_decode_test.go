package interactions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/ir/irtext"
)

var asked, asksSearch = irtest.Request, irtest.SearchRequest

// streamed returns the events of a stream, one event a line, and the losses.
func streamed(t *testing.T, r *ir.Request, events ...string) (*irtest.Recorder, []string) {
	return irtest.Streamed(t, Upstream{}, r, events...)
}

// plain returns the events of a body, and the losses.
func plain(t *testing.T, r *ir.Request, body string) (*irtest.Recorder, []string) {
	return irtest.Plain(t, Upstream{}, r, body)
}

const created = `{"interaction":{"id":"r","status":"in_progress","object":"interaction","model":"m"},` +
	`"event_type":"interaction.created"}`

// ended returns the last event of a stream.
func ended(status string, members ...string) string {
	return `{"interaction":{"id":"r","status":"` + status + `"` + strings.Join(members, "") +
		`},"event_type":"interaction.completed"}`
}

// begins, more and ends are the events of a step.
func begins(index int, step string) string {
	return fmt.Sprintf(`{"index":%d,"step":{%s},"event_type":"step.start"}`, index, step)
}

func more(index int, delta string) string {
	return fmt.Sprintf(`{"index":%d,"delta":{%s},"event_type":"step.delta"}`, index, delta)
}

func ends(index int) string { return fmt.Sprintf(`{"index":%d,"event_type":"step.stop"}`, index) }

func say(text string) string { return `"type":"text","text":"` + text + `"` }

const (
	output  = `"type":"model_output"`
	think   = `"type":"thought"`
	callF   = `"type":"function_call","id":"c1","name":"f","arguments":{}`
	signedS = `"type":"thought_signature","signature":"S"`
	summary = `"type":"thought_summary","content":{"type":"text","text":"t"}`
)

func arguments(text string) string { return `"type":"arguments_delta","arguments":"` + text + `"` }

// body returns a plain answer with some steps.
func answer(steps, status string, members ...string) string {
	return `{"id":"r","status":"` + status + `","steps":[` + steps + `],"object":"interaction","model":"m"` +
		strings.Join(members, "") + `}`
}

// TestSteps checks which events streams yield between Start and the end.
func TestSteps(t *testing.T) {
	for name, c := range map[string]struct {
		events []string
		want   []string
		lost   []string
	}{
		"a thought without a summary, and a text": {[]string{begins(0, think), more(0, signedS), ends(0),
			begins(1, output), more(1, say(`a\n`)), more(1, say("")), more(1, say("b")), ends(1)},
			[]string{"redacted", "signed S by interactions", "end", "text", `+a\n`, "+b", "end",
				"finish end_turn"}, nil},
		"a summary behind and before its signature": {[]string{begins(0, think), more(0, signedS),
			more(0, summary), more(0, summary), ends(0), begins(1, think), more(1, summary),
			more(1, signedS), ends(1)},
			[]string{"reasoning", "+t", "+t", "signed S by interactions", "end", "reasoning", "+t",
				"signed S by interactions", "end", "finish end_turn"}, nil},
		"an unsigned summary, and an empty thought": {[]string{begins(0, think+`,"signature":""`),
			more(0, summary), ends(0), begins(1, think), ends(1)}, []string{"reasoning", "+t", "end",
			"finish end_turn"}, nil},
		"all in the start": {[]string{begins(0,
			think+`,"signature":"S","summary":[{"type":"text","text":"t"}]`), ends(0), begins(1,
			output+`,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`), ends(1),
			begins(2, `"type":"function_call","id":"c1","name":"f","arguments":{"a": 1}`), ends(2)},
			[]string{"reasoning", "+t", "signed S by interactions", "end", "text", "+a", "end", "text", "+b",
				"end", "tool c1 f", `+{\"a\": 1}`, "end", "finish tool_use"}, nil},
		"parallel calls": {[]string{begins(0, callF), more(0, arguments(`{\"a\"`)),
			more(0, arguments(`:1}`)), ends(0), begins(1, `"type":"function_call","id":"c2","name":"g"`),
			ends(1), begins(2, callF), more(2, arguments("{}")), ends(2)},
			[]string{"tool c1 f", `+{\"a\"`, "+:1}", "end", "tool c2 g", "+{}", "end", "tool c1_3 f", "+{}",
				"end", "finish tool_use"}, nil},
		"a call without an id, with a signature": {[]string{begins(0,
			`"type":"function_call","name":"f","signature":"S"`), ends(0)},
			[]string{"tool call_r_1 f", "+{}", "end", "finish tool_use"}, []string{"steps[].signature"}},
		"steps that come mixed": {[]string{begins(0, output), begins(1, callF), more(1, arguments("{}")),
			more(0, say("a")), ends(1), more(0, say("b")), ends(0)},
			[]string{"text", "+a", "+b", "end", "tool c1 f", "+{}", "end", "finish tool_use"}, nil},
		"no starts, no stops, no indexes": {[]string{more(0, say("a")),
			`{"delta":{"type":"text","text":"b"},"event_type":"step.delta"}`, begins(1, callF)},
			[]string{"text", "+a", "+b", "end", "tool c1 f", "+{}", "end", "finish tool_use"}, nil},
		"the same index again": {[]string{begins(0, output), more(0, say("a")), begins(0, output),
			more(0, say("b")), ends(0), ends(0)}, []string{"text", "+a", "end", "text", "+b", "end",
			"finish end_turn"}, nil},
		"what has no form": {[]string{begins(0,
			`"type":"code_execution_call","id":"x","arguments":{"code":"1"}`),
			more(0, `"type":"code_execution_call"`), ends(0), begins(1, output), more(1, say("a")),
			more(1, `"type":"image","data":"AAAA"`), ends(1),
			begins(2, think), more(2, `"type":"thought_summary","content":{"type":"image","data":"AAAA"}`),
			ends(2), `{"event_type":"interaction.paused"}`},
			[]string{"text", "+a", "end", "finish end_turn"}, []string{lostStep + "code_execution_call",
				lostDelta + "image", lostSummary + "image", "event:interaction.paused"}},
		"a delta that a call does not have": {[]string{begins(0, callF), more(0, say("a")), ends(0)},
			[]string{"tool c1 f", "+{}", "end", "finish tool_use"}, []string{lostDelta + "text"}},
		"steps in the last event": {[]string{ended("completed",
			`,"steps":[{"type":"model_output","content":[{"type":"text","text":"a"}]}]`)}, []string{"text",
			"+a", "end", "finish end_turn"}, nil},
		"nothing": {nil, []string{"finish end_turn"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, lost := streamed(t, asked(), append(append([]string{created}, c.events...),
				ended("completed"))...)
			require.Equal(t, append([]string{"start r m"}, c.want...), s.Lines())
			require.Equal(t, c.lost, lost)
		})
	}
}

// TestBodies covers plain answers.
func TestBodies(t *testing.T) {
	s, lost := plain(t, asked(),
		answer(`{"signature":"S","type":"thought"},{"content":[{"text":"a","type":"text"}],`+
			`"type":"model_output"},{"id":"c1","type":"function_call","name":"f","arguments":{"a":1}},`+
			`{"type":"url_context_call","id":"u"}`,
			"requires_action"))
	require.Equal(t, []string{"start r m", "redacted", "signed S by interactions", "end", "text", "+a",
		"end", "tool c1 f", `+{\"a\":1}`, "end", "finish tool_use"}, s.Lines())
	require.Equal(t, []string{lostStep + "url_context_call"}, lost)
	s, lost = plain(t, asked(),
		answer(`{"type":"user_input","content":[{"type":"text","text":"q"}]},{"type":"function_call",`+
			`"id":"c0","name":"f","arguments":{}},{"type":"function_result","call_id":"c0","result":"1"},`+
			`{"type":"model_output","content":[{"type":"text","text":"a"}]}`, "completed"))
	require.Equal(t, []string{"start r m", "text", "+a", "end", "finish end_turn"}, s.Lines())
	require.Empty(t, lost)
	for body, want := range map[string]string{
		`{`: "failure unavailable The upstream's answer can't be read: the body " +
			"is not JSON.",
		`{}`: "failure unavailable The upstream's answer can't be read: the body " +
			"has no steps.",
		`[]`: "failure unavailable The upstream's answer can't be read: the body " +
			"has no steps.",
		`{"steps":[]}`:                "finish end_turn",
		answer("", "completed"):       "finish end_turn",
		answer("", "in_progress"):     "failure unavailable The upstream aborted the answer: in_progress.",
		answer("", "queued"):          "failure unavailable The upstream aborted the answer: queued.",
		`{"id":"","status":"failed"}`: "failure unavailable The upstream aborted the answer: failed.",
		answer("", "failed",
			`,"errors":[{"code":"rate_limit_exceeded","message":"Slow."}]`): "failure rate_limit Slow.",
		`{"error":{"code":"invalid_request","message":"Bad."}}`:             "failure invalid_request Bad.",
		`[{"error":{"code":503,"message":"Full.","status":"UNAVAILABLE"}}]`: "failure overloaded Full.",
		answer(`{"type":"model_output","error":{"code":13,"message":"Gone."}}`,
			"completed"): "failure internal Gone.",
		answer(`{"type":"function_call","id":"c","name":"f","arguments":"{}"}`,
			"requires_action"): "failure unavailable The upstream's answer can't be read: the arguments " +
			"of a tool call are not an object.",
		answer(`{"type":"function_call","id":"c","arguments":{}}`,
			"requires_action"): "failure unavailable The upstream's answer can't be read: a tool call " +
			"has no name.",
		answer(`{"type":"model_output","content":[{"type":"text","text":"a"}]}`,
			"requires_action"): "failure unavailable The upstream's answer can't be read: its status is " +
			"requires_action, but it has no tool call.",
		answer(`{"type":"model_output","content":[{"type":"text","text":"a"}],"error":null}`, "completed",
			`,"error":null`): "finish end_turn",
	} {
		s, _ := plain(t, asked(), body)
		require.Equal(t, want, s.LastLine(), body)
	}
	s, _ = plain(t, asked(), `{"steps":[]}`)
	require.Equal(t, "start unnamed_1700000000_0", s.Lines()[0])
}

// TestStatuses covers every status of an Interaction, as the end of a stream and of a body.
func TestStatuses(t *testing.T) {
	text, call := []string{begins(0, output), more(0, say("a"))}, []string{begins(0, callF)}
	for status, want := range map[string][2]string{
		"completed": {"finish end_turn", "finish tool_use"},
		"requires_action": {"failure unavailable The upstream's answer can't be read: its status is " +
			"requires_action, but it has no tool call.", "finish tool_use"},
		"incomplete":            {"finish max_tokens", "finish max_tokens"},
		"budget_exceeded":       {"finish max_tokens", "finish max_tokens"},
		"requires_continuation": {"finish max_tokens", "finish max_tokens"},
		"failed": {"failure unavailable The upstream aborted the answer: failed.",
			"failure unavailable The upstream aborted the answer: failed."},
		"cancelled": {"failure unavailable The upstream aborted the answer: cancelled.",
			"failure unavailable The upstream aborted the answer: cancelled."},
		"in_progress": {"failure unavailable The upstream aborted the answer: in_progress.",
			"failure unavailable The upstream aborted the answer: in_progress."},
		"queued": {"failure unavailable The upstream aborted the answer: queued.",
			"failure unavailable The upstream aborted the answer: queued."},
		"of_next_year": {"failure unavailable The upstream aborted the answer: of_next_year.",
			"failure unavailable The upstream aborted the answer: of_next_year."},
	} {
		for i, events := range [][]string{text, call} {
			s, _ := streamed(t, asked(), append(append([]string{created}, events...), ended(status))...)
			require.Equal(t, want[i], s.LastLine(), status)
		}
	}
}

// TestPhases checks that the last text of an answer is the final one.
func TestPhases(t *testing.T) {
	one, two := []string{begins(0, output), more(0, say("a")), ends(0)}, []string{begins(1, output),
		more(1, say("b")), ends(1)}
	for _, c := range []struct {
		events []string
		status string
		want   []ir.Phase
	}{
		{append(one, two...), "completed", []ir.Phase{0, ir.FinalAnswer}},
		{append(one, begins(1, callF), ends(1)), "completed", []ir.Phase{0, 0}},
		{append(one, begins(1, `"type":"google_search_call","id":"s","arguments":{"queries":["q"]}`),
			ends(1)), "completed", []ir.Phase{ir.FinalAnswer, 0}},
		{one, "incomplete", []ir.Phase{0}},
	} {
		s, _ := streamed(t, asked(), append(append([]string{created}, c.events...), ended(c.status))...)
		require.Equal(t, c.want, s.Phases())
	}
}

// TestEnds covers good and bad ends of a stream.
func TestEnds(t *testing.T) {
	const incomplete = "failure unavailable The upstream's stream ended before the answer was complete."
	text := more(0, say("a"))
	for name, c := range map[string]struct {
		events []string
		want   string
	}{
		"no event":     {nil, incomplete},
		"no end":       {[]string{created, begins(0, output), text, ends(0)}, incomplete},
		"[DONE] alone": {[]string{created, text, "[DONE]"}, incomplete},
		"[DONE]": {[]string{created, text, ended("completed"), "[DONE]", text},
			"finish end_turn"},
		"no JSON": {[]string{created, text, "{"},
			"failure unavailable The upstream's answer can't be read: an event is not JSON."},
		"an error": {[]string{created, text,
			`{"event_type":"error","error":{"message":"Deadline expired.","code":"deadline_exceeded"}}`,
			ended("completed")}, "failure timeout Deadline expired."},
		"an error alone": {[]string{`{"event_type":"error","error":{"code":"content_blocked",` +
			`"message":"No."}}`}, "failure invalid_request No."},
		"an error of nothing": {[]string{created, `{"event_type":"error"}`},
			`failure internal The upstream reported an error without a message: {"event_type":"error"}`},
		"an error of Google": {[]string{created, text,
			`{"error":{"code":503,"message":"Full.","status":"UNAVAILABLE"}}`}, "failure overloaded Full."},
		"a list of an error": {[]string{`[{"error":{"code":429,"message":"Slow.",` +
			`"status":"RESOURCE_EXHAUSTED"}}]`}, "failure rate_limit Slow."},
		"arguments of a text": {[]string{created, begins(0, output), more(0, arguments("{}"))},
			"failure unavailable The upstream's answer can't be read: a step has arguments but is " +
				"not a tool call."},
		"arguments, no text": {[]string{created, begins(0, callF),
			more(0, `"type":"arguments_delta","arguments":{"a":1}`)},
			"failure unavailable The upstream's answer can't be read: the arguments of a tool call " +
				"are not a string."},
		"no interaction": {[]string{text, `{"event_type":"interaction.completed"}`}, "finish end_turn"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := streamed(t, asked(), c.events...)
			require.Equal(t, c.want, s.LastLine())
		})
	}
	s := irtest.Record(t)
	d := newDecoder(asked(), &ir.Lost{}, s)
	d.Event("error", `Gone.`)
	require.Equal(t, []string{"failure internal Gone."}, s.Lines())

	s = irtest.Record(t)
	d = newDecoder(asked(), &ir.Lost{}, s)
	d.Event("interaction.created", `{"interaction":{"id":"r","model":"m"}}`)
	d.Event("step.delta", `{"index":0,"delta":{`+say("a")+`}}`)
	require.False(t, d.Complete())
	d.Close(&ir.Error{Kind: ir.Unavailable, Message: "cut"})
	require.Equal(t, []string{"start r m", "text", "+a", "failure unavailable cut"}, s.Lines())
	require.True(t, d.Complete())
	d.Body(answer("", "completed"))
	d.Close(nil)
	require.Len(t, s.Lines(), 4)
}

// TestHidden covers clients whose API lacks a form for a block.
func TestHidden(t *testing.T) {
	events := []string{created, begins(0, think), more(0, summary), more(0, signedS), ends(0),
		begins(1, think), more(1, signedS), ends(1), begins(2, output), more(2, say("a")),
		more(2, `"type":"text_annotation_delta","annotations":[{"type":"url_citation","url":"https://a",`+
			`"end_index":1}]`), ends(2),
		begins(3, `"type":"google_search_call","id":"s"`),
		more(3, `"type":"google_search_call","arguments":{"queries":["q"]}`), ends(3), begins(4, callF),
		ends(4), ended("requires_action")}
	for not, path := range map[ir.BlockKind]string{ir.ReasoningBlock: "steps[].summary",
		ir.RedactedBlock: "steps[].signature", ir.WebSearchBlock: lostQueries} {
		s, lost := streamed(t, asked(not), events...)
		require.NotContains(t, s.Lines(), irtext.Block(not))
		require.Contains(t, lost, path)
		require.Equal(t, "finish tool_use", s.LastLine())
	}
}

// TestSources covers citations, and searches before the text and after it.
func TestSources(t *testing.T) {
	search := []string{begins(0, `"type":"google_search_call","id":"s","signature":""`),
		more(0, `"type":"google_search_call","arguments":{"queries":["q","","p"]}`), ends(0),
		begins(1, `"type":"google_search_result","call_id":"s"`),
		more(1, `"type":"google_search_result","result":[{"search_suggestions":"<div>"}],"is_error":false`),
		ends(1)}
	text := []string{begins(2, output), more(2, say("é is")), more(2, say(" so")),
		more(2, `"type":"text_annotation_delta","annotations":[{"type":"url_citation","url":"https://a",`+
			`"title":"A","start_index":3,"end_index":5},{"type":"url_citation","url":"https://b",`+
			`"end_index":2},`+
			`{"type":"url_citation","url":"https://a","start_index":1,"end_index":90},`+
			`{"type":"file_citation","file_name":"x"},{"type":"url_citation"}]`), ends(2)}
	said := []string{"text", "+é is", "+ so", "cites https://a (A) 2-4", "cites https://b () 0-1",
		"cites https://a () -1--1", "end"}
	searched := []string{"search", "+q", "cites https://a (A) -1--1", "cites https://b () -1--1", "end",
		"search", "+p", "end", "finish end_turn"}
	for _, events := range [][]string{append(append([]string{}, search...), text...),
		append(append([]string{}, text...), search...)} {
		s, lost := streamed(t, asksSearch(), append(append([]string{created}, events...),
			ended("completed"))...)
		require.Equal(t, append(append([]string{"start r m"}, said...), searched...), s.Lines())
		require.ElementsMatch(t, []string{lostAnnotation + "file_citation", lostAnnotation + "url_citation",
			lostResult + "search_suggestions"}, lost)
	}
	s, lost := plain(t, asked(),
		answer(`{"type":"google_search_result","call_id":"s","signature":"S","is_error":true,"result":[]},`+
			`{"type":"model_output","content":[{"type":"text","text":"ab",`+
			`"annotations":[{"type":"url_citation","url":"https://a","start_index":0,"end_index":1}]}]}`,
			"completed"))
	require.Equal(t, []string{"start r m", "text", "+ab", "cites https://a () -1--1", "end",
		"finish end_turn"}, s.Lines())
	require.Equal(t, []string{"steps[].signature", lostSearchError}, lost)
}

// TestNames checks that a call has the client's name of the tool.
func TestNames(t *testing.T) {
	r := asked()
	r.Tools = []ir.Tool{{Name: "my tool"}}
	s, _ := streamed(t, r, created, begins(0, `"type":"function_call","id":"a","name":"`+
		string(ir.Identifier("my tool", API.MaxToolName))+`"`), ended("requires_action"))
	require.Equal(t, "tool a my tool", s.Lines()[1])
}

func TestUsage(t *testing.T) {
	for usage, want := range map[string]ir.Usage{
		`{}`: ir.NoUsage,
		`{"total_tokens":1983,"total_input_tokens":22,"total_cached_tokens":0,"total_output_tokens":590,` +
			`"total_tool_use_tokens":198,"total_thought_tokens":1173}`: {Input: 220, CacheRead: 0,
			CacheWrite: -1, Output: 1763, Reasoning: 1173},
		`{"total_input_tokens":100,"total_cached_tokens":64,` +
			`"total_output_tokens":5}`: {Input: 36, CacheRead: 64, CacheWrite: -1, Output: 5, Reasoning: -1},
		`{"total_thought_tokens":5}`: {Input: -1, CacheRead: -1, CacheWrite: -1, Output: 5, Reasoning: 5},
		`{"total_output_tokens":0}`:  {Input: -1, CacheRead: -1, CacheWrite: -1, Output: 0, Reasoning: -1},
		`{"total_thought_tokens":0}`: {Input: -1, CacheRead: -1, CacheWrite: -1, Output: 0, Reasoning: 0},
		`{"total_input_tokens":0,"total_tool_use_tokens":3}`: {Input: 3, CacheRead: -1, CacheWrite: -1,
			Output: -1, Reasoning: -1},
		`{"total_input_tokens":null,"total_output_tokens":"x","total_tool_use_tokens":3}`: ir.NoUsage,
	} {
		s, _ := plain(t, asked(), answer("", "completed", `,"usage":`+usage, `,"service_tier":"flex"`))
		require.Equal(t, want, s.Last().Usage, usage)
		require.Equal(t, ir.FlexTier, s.Last().Tier)
		s, _ = streamed(t, asked(), created, ended("completed", `,"usage":`+usage, `,"service_tier":"flex"`))
		require.Equal(t, want, s.Last().Usage, usage)
		require.Equal(t, ir.FlexTier, s.Last().Tier)
	}
}

// TestBounds checks that an answer with too many blocks or too much to buffer fails.
func TestBounds(t *testing.T) {
	steps := strings.Repeat(`{"type":"function_call","name":"f"},`, ir.MaxBlocks-1) +
		`{"type":"function_call","name":"f"}`
	s, _ := plain(t, asked(), answer(steps, "requires_action"))
	require.Equal(t, "finish tool_use", s.LastLine())
	for _, one := range []string{`{"type":"thought"}`,
		`{"type":"google_search_call","arguments":{"queries":["q"]}}`} {
		s, _ = plain(t, asked(), answer(steps+","+one, "requires_action"))
		require.Contains(t, s.LastLine(), "it has more than 1024 blocks")
	}
	texts := strings.Repeat(`{"type":"text","text":"a"},`, ir.MaxBlocks)
	s, _ = plain(t, asked(), answer(`{"type":"model_output","content":[`+texts+
		`{"type":"text","text":"a"}]}`, "completed"))
	require.Contains(t, s.LastLine(), "it has more than 1024 blocks")
	queries := strings.Repeat(`"q",`, maxSearches)
	s, lost := plain(t, asked(), answer(`{"type":"google_search_call","arguments":{"queries":[`+queries+
		`"q"]}}`, "completed"))
	require.Equal(t, "finish end_turn", s.LastLine())
	require.Equal(t, []string{lostQueries}, lost)
	long := strings.Repeat("S", ir.MaxBuffered+1)
	for _, events := range [][]string{
		{begins(0, think), more(0, `"type":"thought_signature","signature":"`+long+`"`)},
		{begins(0, output), begins(1, output), more(1, say(long))},
		{begins(0, `"type":"function_call","name":"f","arguments":{"a":"`+long+`"}`)},
		{begins(0, `"type":"google_search_call","arguments":{"queries":["`+long+`"]}`)},
		{begins(0, output), more(0, say("a")), more(0,
			`"type":"text_annotation_delta","annotations":[{"type":"url_citation","url":"`+long+`"}]`)},
	} {
		s, _ = streamed(t, asked(), append(append([]string{created}, events...), ended("completed"))...)
		require.Contains(t, s.LastLine(), tooMuch)
	}
	notes := strings.Repeat(`{"type":"url_citation","url":"https://a"},`, maxCitations)
	s, lost = streamed(t, asked(), created, more(0, say("a")),
		more(0, `"type":"text_annotation_delta","annotations":[`+notes+
			`{"type":"url_citation","url":"https://b"}]`), ended("completed"))
	require.Len(t, s.Lines(), maxCitations+5)
	require.Equal(t, []string{lostAnnotation + "url_citation"}, lost)
}

// TestDeltasAllocateNothing covers all deltas, also those of a text whose citations will have
// positions.
func TestDeltasAllocateNothing(t *testing.T) {
	for name, c := range map[string]struct{ first, delta string }{
		"text": {begins(0, output), more(0, say(`some\n words \"é\u00e9`)+`,"metadata":null`)},
		"reasoning": {begins(0, think),
			more(0, `"type":"thought_summary","content":{"type":"text","text":"some\n words"}`)},
		"lost":      {begins(0, output), more(0, `"type":"image","data":"AAAA"`)},
		"arguments": {begins(0, callF), more(0, arguments(`[[[\"a`))},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDecoder(asksSearch(), &ir.Lost{}, irtest.Discard)
			d.Event("", created)
			d.Event("", c.first)
			irtest.RequireNoAllocs(t, d, "step.delta", c.delta)
		})
	}
}

// recordings is a folder with answers of the real service, one event a line, and bodies.
const recordings = "../../../shared/recorded/interactions/"

// TestRecorded covers answers of the real service. It compares only the beginnings of ids, texts
// and signatures.
func TestRecorded(t *testing.T) {
	for name, want := range map[string]string{
		"basic.chunks.txt": "start v1_ChdUR3NIYXVyQkFlYV " +
			"gemini-2.5-flash|redacted|signed CiQBDDnWxz|end|text|+I'm doing great, thank|end|finish " +
			"end_turn 7 141 115",
		"basic.json": "start v1_ChdTbXNIYXFyUEV0ZU " +
			"gemini-2.5-flash|redacted|signed CqwBAQw51s|end|text|+Hello! I'm doing well,|end|finish " +
			"end_turn 7 51 32",
		"multi-turn-stateless-turn1.chunks.txt": "start unnamed_1700000000_0 " +
			"gemini-2.5-flash|redacted|signed CiIBDDnWxy|end|text|+The three largest citie|end|finish " +
			"end_turn 10 203 174",
		"multi-turn-stateless-turn1.json": "start unnamed_1700000000_0 " +
			"gemini-2.5-flash|redacted|signed CsEKAQw51s|end|text|+The three largest citie|end|finish " +
			"end_turn 10 309 276",
		"multi-turn-stateless-turn2.chunks.txt": "start unnamed_1700000000_0 " +
			"gemini-2.5-flash|redacted|signed CiUBDDnWx9|end|text|+The most famous landmar|+ city) is " +
			"undoubtedly t|end|finish end_turn 52 417 395",
		"multi-turn-stateless-turn2.json": "start unnamed_1700000000_0 " +
			"gemini-2.5-flash|redacted|signed CvcOAQw51s|end|text|+The most famous landmar|end|finish " +
			"end_turn 56 500 446",
		"structured-output.json": `start v1_ChdUV3NIYW9LTk9OYX gemini-2.5-flash|redacted|signed ` +
			`CqACAQw51s|end|text|+{\"name\":\"John Doe\",|end|finish end_turn 8 70 59`,
		"tool-call-step1.chunks.txt": `start v1_ChdVbXNIYXVEUkVacm gemini-2.5-flash|redacted|signed ` +
			`CiQBDDnWx+|end|tool 61nzpsv4 getWeather|+{\"location\":\"San Fra|end|finish tool_use 53 80 65`,
		"tool-call-step1.json": `start v1_ChdUMnNIYXVxU0lJX2 gemini-2.5-flash|redacted|signed ` +
			`CtkBAQw51s|end|tool zggxzq8r getWeather|+{ \"location\": \"San F|end|finish tool_use 53 56 41`,
	} {
		t.Run(name, func(t *testing.T) {
			text := irtest.Recorded(t, recordings+name)
			var s *irtest.Recorder
			var lost []string
			if strings.HasSuffix(name, ".json") {
				s, lost = plain(t, asked(), text)
			} else {
				s, lost = streamed(t, asked(), strings.Split(strings.TrimSpace(text), "\n")...)
			}
			require.Empty(t, lost)
			lines, usage := s.Lines(), s.Last().Usage
			for i, line := range lines {
				line = strings.Join(strings.Fields(strings.ReplaceAll(line, `\n`, "")), " ")
				lead, _, _ := strings.Cut(line, " by interactions")
				switch {
				case strings.HasPrefix(lead, "signed "):
					line = lead[:len("signed ")+10]
				case strings.HasPrefix(lead, "start v1_"):
					line = lead[:27] + lead[strings.LastIndex(lead, " "):]
				case strings.HasPrefix(lead, "+"):
					line = strings.TrimSpace(lead[:min(len(lead), 24)])
				case strings.HasPrefix(lead, "finish"):
					line = fmt.Sprintf("%s %d %d %d", lead, usage.Prompt(), usage.Output, usage.Reasoning)
				}
				lines[i] = line
			}
			require.Equal(t, want, strings.Join(lines, "|"))
		})
	}
}
