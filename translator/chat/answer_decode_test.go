package chat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

func decode(sink ir.Sink) *decoder {
	return newDecoder(irtest.Request(), &ir.Target{}, &ir.Lost{}, sink)
}

// TestCallsAreStreamed: a call's fragments go out as they come, and so do fragments of a second
// call once the first call is whole.
func TestCallsAreStreamed(t *testing.T) {
	r := irtest.Record(t)
	d := decode(r)
	send := func(call string) []string {
		d.Event("", `{"choices":[{"delta":{"tool_calls":[`+call+`]}}]}`)
		return r.Take()
	}
	require.Equal(t, []string{"start unnamed_1700000000_0", "tool a f"},
		send(`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`))
	require.Equal(t, []string{`+{\"a\":`}, send(`{"index":0,"function":{"arguments":"{\"a\":"}}`))
	require.Equal(t, []string{"+1}"}, send(`{"index":0,"function":{"arguments":"1}"}}`))
	require.Equal(t, []string{"end", "tool b f"},
		send(`{"index":1,"id":"b","function":{"name":"f","arguments":""}}`))
	require.Equal(t, []string{"+{"}, send(`{"index":1,"function":{"arguments":"{"}}`))
	require.Empty(t, send(`{"index":2,"id":"c","function":{"name":"f","arguments":"{}"}}`),
		"the second is open still")
	require.Equal(t, []string{"+}", "end", "tool c f", "+{}"},
		send(`{"index":1,"function":{"arguments":"}"}}`))
}

// TestLogprobs: the probabilities of a chunk precede its text, and come once, also without a text.
// Before the first text they are lost.
func TestLogprobs(t *testing.T) {
	r, lost := irtest.Record(t), &ir.Lost{}
	request := irtest.Request()
	request.Logprobs = "true"
	d := newDecoder(request, &ir.Target{}, lost, r)
	send := func(text, list string) []string {
		d.Event("", `{"choices":[{"delta":{"content":"`+text+`"},"logprobs":{"content":`+list+`}}]}`)
		return r.Take()
	}
	require.Equal(t, []string{"start unnamed_1700000000_0"}, send("", "[0]"))
	require.Equal(t, []string{lostLogprobs}, lost.Paths())
	require.Equal(t, []string{"text", "logprobs [1]", "+a"}, send("a", "[1]"))
	require.Equal(t, []string{"logprobs [2]"}, send("", "[2]"))
	require.Equal(t, []string{"+b"}, send("b", "null"))
}

// TestNameBehindTheArguments: a name after the arguments of all calls belongs to the call without a
// name.
func TestNameBehindTheArguments(t *testing.T) {
	r := irtest.Record(t)
	d := decode(r)
	for _, call := range []string{`{"index":0,"function":{"arguments":"{}"}}`,
		`{"index":0,"function":{"name":"f"}}`} {
		d.Event("", `{"choices":[{"delta":{"tool_calls":[`+call+`]}}]}`)
	}
	d.Event("", `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`)
	d.Close(nil)
	require.Equal(t, []string{"start unnamed_1700000000_0", "tool call_unnamed_1700000000_0_0 f", "+{}",
		"end", "finish tool_use"}, r.Lines())
}

// TestComplete: after finish_reason an answer is complete except for its usage, until more of the
// answer comes.
func TestComplete(t *testing.T) {
	r := irtest.Record(t)
	d := decode(r)
	for i, choice := range []string{`"delta":{"content":"a"}`, `"delta":{},"finish_reason":"stop"`,
		`"delta":{"role":"assistant"}`, `"delta":{"content":"b"}`, `"delta":{},"finish_reason":"stop"`} {
		d.Event("", `{"choices":[{`+choice+`}]}`)
		require.Equal(t, i == 1 || i == 2, d.Complete(), i)
	}
	d.Close(nil)
	require.True(t, d.Complete())
	require.Equal(t, []string{"start unnamed_1700000000_0", "text", "+a", "+b", "end", "finish end_turn"},
		r.Lines())
}

func TestNothingFollowsTheEnd(t *testing.T) {
	r := irtest.Record(t)
	d := decode(r)
	d.Close(nil)
	require.Equal(t, ir.Failure, r.Last().Kind)
	require.Len(t, r.Events, 1)
	d.Event("", `{"choices":[{"delta":{"content":"x"}}]}`)
	d.Body(`{"choices":[{"message":{"content":"x"}}]}`)
	d.Event("", "[DONE]")
	d.Close(nil)
	require.Len(t, r.Events, 1)
}

func TestReadUsage(t *testing.T) {
	require.Equal(t, ir.Usage{Input: 0, CacheRead: 9, CacheWrite: -1, Output: 2, Reasoning: -1},
		readUsage(`{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":9},`+
			`"completion_tokens_details":null}`, nil))
	require.Equal(t, ir.NoUsage,
		readUsage(`{"prompt_tokens":null,"completion_tokens":-1,"prompt_tokens_details":[]}`, nil))
	google := &ir.Target{ReasoningEcho: ir.EchoExtra}
	for _, c := range []struct {
		usage             string
		target            *ir.Target
		output, reasoning int64
	}{
		{`{"prompt_tokens":90,"total_tokens":119}`, nil, 29, -1},
		{`{"prompt_tokens":90,"total_tokens":119,"completion_tokens_details":{"reasoning_tokens":29}}`, nil,
			29, 29},
		{`{"prompt_tokens":90,"completion_tokens":0,"total_tokens":119,"completion_tokens_details":` +
			`{"reasoning_tokens":29}}`, nil, 29, 29},
		{`{"prompt_tokens":106,"completion_tokens":22,"total_tokens":289}`, google, 183, 161},
		{`{"prompt_tokens":106,"completion_tokens":22,"total_tokens":289}`, nil, 22, -1}, // who knows of what
		{`{"prompt_tokens":106,"completion_tokens":22,"total_tokens":128}`, google, 22, -1},
		{`{"prompt_tokens":106,"completion_tokens":22}`, google, 22, -1},
		{`{"prompt_tokens":106,"total_tokens":106}`, google, -1, -1},
		{`{"completion_tokens":22,"total_tokens":289}`, google, 22, -1},
	} {
		u := readUsage(ir.Raw(c.usage), c.target)
		require.Equal(t, [2]int64{c.output, c.reasoning}, [2]int64{u.Output, u.Reasoning}, c.usage)
	}
}

// TestReadCustomCalls reads calls with free text (API reference, "Custom tool calls"), streamed and
// plain.
func TestReadCustomCalls(t *testing.T) {
	for _, stream := range []bool{true, false} {
		r := irtest.Record(t)
		d := newDecoder(irtest.Request(), &ir.Target{OpenAI: true}, &ir.Lost{}, r)
		if stream {
			d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"custom",`+
				`"custom":{"name":"patch","input":""}}]}}]}`)
			d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":0,"custom":{"input":"{\"a\""}}]}}]}`)
			d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":0,"custom":{"input":"{\"a\"\n"}}]}}]}`)
			d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","type":"function",`+
				`"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}`)
			d.Close(nil)
		} else {
			d.Body(`{"choices":[{"message":{"tool_calls":[{"id":"a","type":"custom",` +
				`"custom":{"name":"patch","input":"{\"a\"{\"a\"\n"}},` +
				`{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`"finish_reason":"stop"}]}`)
		}
		require.Equal(t, map[ir.BlockKind]string{ir.CustomToolCallBlock: `{\"a\"{\"a\"\n`,
			ir.ToolCallBlock: "{}"}, textsByKind(r), "what is no JSON is not looked at")
		require.Equal(t, ir.ToolUse, r.Last().Stop)
	}
}

func TestCreated(t *testing.T) {
	r := irtest.Record(t)
	d := newDecoder(irtest.Request(), &ir.Target{}, &ir.Lost{}, r)
	d.Event("", `{"created":1764657993,"choices":[{"delta":{"content":"x"}}]}`)
	require.Equal(t, int64(1764657993), r.Events[0].Created)
}

// TestDeltasOfTargetsAllocateNothing covers deltas that only some targets send: reasoning in tags
// and with details, and object arguments. Their gathered text grows now and then, which does not
// count for each delta.
func TestDeltasOfTargetsAllocateNothing(t *testing.T) {
	head := `{"choices":[{"index":0,"delta":`
	for _, c := range []struct {
		name, first, delta string
		target             ir.Target
	}{
		{"think tags", `{"content":"<think>x"}`, `{"content":"some \n words </thin"}`,
			ir.Target{ThinkTags: true}},
		{"behind think tags", `{"content":"<think>x</think>y"}`, `{"content":"some <words>"}`,
			ir.Target{ThinkTags: true}},
		{"details", `{}`,
			`{"reasoning":"some","reasoning_details":[{"type":"reasoning.text","text":"some","format":"f",` +
				`"index":0}]}`, ir.Target{ReasoningEcho: ir.EchoDetails}},
		{"arguments", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f",` +
			`"arguments":"{\"a\":\""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"some \\n words"}}]}`, ir.Target{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDecoder(irtest.Request(), &c.target, &ir.Lost{}, irtest.Discard)
			d.Event("", head+c.first+`}]}`)
			chunk := head + c.delta + `}]}`
			for range 100 {
				d.Event("", chunk)
			}
			require.Zero(t, testing.AllocsPerRun(100, func() { d.Event("", chunk) }))
			require.False(t, d.out.Ended())
		})
	}
}

// TestEmptyError: an empty or null error is not a failure.
func TestEmptyError(t *testing.T) {
	for value, fails := range map[string]bool{`""`: false, `null`: false, `{}`: true, `"gone"`: true} {
		r := irtest.Record(t)
		decode(r).Event("", `{"choices":[{"index":0,"delta":{"content":"a"}}],"error":`+value+`}`)
		require.Equal(t, fails, r.Failure() != nil, value)
	}
}
