package chat

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// log keeps the kinds of events.
type log struct{ kinds []ir.EventKind }

func (l *log) Event(ev *ir.Event) { l.kinds = append(l.kinds, ev.Kind) }

// showing is a client whose API has a form for every block.
type showing struct{ ir.Client }

func (showing) Shows(ir.BlockKind) bool { return true }

func decode(l *log) *decoder {
	return newDecoder(&ir.Request{API: &ir.API{Client: showing{}}}, &ir.Target{}, &ir.Lost{}, l)
}

// TestCallsAreStreamed sees that a call's fragments go out as they come, also those of a second call once the first is whole.
func TestCallsAreStreamed(t *testing.T) {
	var l log
	d := decode(&l)
	send := func(call string) []ir.EventKind {
		l.kinds = nil
		d.Event("", `{"choices":[{"delta":{"tool_calls":[`+call+`]}}]}`)
		return l.kinds
	}
	require.Equal(t, []ir.EventKind{ir.Start, ir.BlockStart}, send(`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`))
	require.Equal(t, []ir.EventKind{ir.Delta}, send(`{"index":0,"function":{"arguments":"{\"a\":"}}`))
	require.Equal(t, []ir.EventKind{ir.Delta}, send(`{"index":0,"function":{"arguments":"1}"}}`))
	require.Equal(t, []ir.EventKind{ir.BlockStop, ir.BlockStart}, send(`{"index":1,"id":"b","function":{"name":"f","arguments":""}}`))
	require.Equal(t, []ir.EventKind{ir.Delta}, send(`{"index":1,"function":{"arguments":"{"}}`))
	require.Empty(t, send(`{"index":2,"id":"c","function":{"name":"f","arguments":"{}"}}`), "the second is open still")
	require.Equal(t, []ir.EventKind{ir.Delta, ir.BlockStop, ir.BlockStart, ir.Delta}, send(`{"index":1,"function":{"arguments":"}"}}`))
}

// TestNameBehindTheArguments: a name that comes last of all belongs to the call that has none.
func TestNameBehindTheArguments(t *testing.T) {
	var l log
	d := decode(&l)
	for _, call := range []string{`{"index":0,"function":{"arguments":"{}"}}`, `{"index":0,"function":{"name":"f"}}`} {
		d.Event("", `{"choices":[{"delta":{"tool_calls":[`+call+`]}}]}`)
	}
	d.Event("", `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`)
	d.Close(nil)
	require.Equal(t, []ir.EventKind{ir.Start, ir.BlockStart, ir.Delta, ir.BlockStop, ir.Finish}, l.kinds)
}

// TestComplete: finish_reason makes an answer complete but for its usage, until more of the answer comes.
func TestComplete(t *testing.T) {
	var l log
	d := decode(&l)
	for i, choice := range []string{`"delta":{"content":"a"}`, `"delta":{},"finish_reason":"stop"`, `"delta":{"role":"assistant"}`, `"delta":{"content":"b"}`, `"delta":{},"finish_reason":"stop"`} {
		d.Event("", `{"choices":[{`+choice+`}]}`)
		require.Equal(t, i == 1 || i == 2, d.Complete(), i)
	}
	d.Close(nil)
	require.True(t, d.Complete())
	require.Equal(t, []ir.EventKind{ir.Start, ir.BlockStart, ir.Delta, ir.Delta, ir.BlockStop, ir.Finish}, l.kinds)
}

func TestNothingFollowsTheEnd(t *testing.T) {
	var l log
	d := decode(&l)
	d.Close(nil)
	require.Equal(t, []ir.EventKind{ir.Failure}, l.kinds)
	d.Event("", `{"choices":[{"delta":{"content":"x"}}]}`)
	d.Body(`{"choices":[{"message":{"content":"x"}}]}`)
	d.Event("", "[DONE]")
	d.Close(nil)
	require.Len(t, l.kinds, 1)
}

func TestReadUsage(t *testing.T) {
	require.Equal(t, ir.Usage{Input: 0, CacheRead: 9, CacheWrite: -1, Output: 2, Reasoning: -1},
		readUsage(`{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":9},"completion_tokens_details":null}`))
	require.Equal(t, ir.NoUsage, readUsage(`{"prompt_tokens":null,"completion_tokens":-1,"prompt_tokens_details":[]}`))
}

// TestReadCustomCalls reads calls with free text (API reference, "Custom tool calls"), streamed and plain.
func TestReadCustomCalls(t *testing.T) {
	for _, stream := range []bool{true, false} {
		s := &shown{text: map[ir.BlockKind]string{}}
		d := newDecoder(&ir.Request{API: &ir.API{Client: showing{}}}, &ir.Target{OpenAI: true}, &ir.Lost{}, s)
		if stream {
			d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"patch","input":""}}]}}]}`)
			d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":0,"custom":{"input":"{\"a\""}}]}}]}`)
			d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":0,"custom":{"input":"{\"a\"\n"}}]}}]}`)
			d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}`)
			d.Close(nil)
		} else {
			d.Body(`{"choices":[{"message":{"tool_calls":[{"id":"a","type":"custom","custom":{"name":"patch","input":"{\"a\"{\"a\"\n"}},` +
				`{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}`)
		}
		require.Equal(t, map[ir.BlockKind]string{ir.CustomToolCallBlock: `{\"a\"{\"a\"\n`, ir.ToolCallBlock: "{}"}, s.text, "what is no JSON is not looked at")
		require.Equal(t, ir.ToolUse, s.stop)
	}
}

func TestCreated(t *testing.T) {
	s := &shown{text: map[ir.BlockKind]string{}}
	d := newDecoder(&ir.Request{API: &ir.API{Client: showing{}}}, &ir.Target{}, &ir.Lost{}, s)
	d.Event("", `{"created":1764657993,"choices":[{"delta":{"content":"x"}}]}`)
	require.Equal(t, int64(1764657993), s.created)
}

// TestDeltasOfTargetsAllocateNothing covers the deltas that need a target to be read so: reasoning in tags and with details; and the
// arguments of an object. What is gathered of them grows, which is no cost of each.
func TestDeltasOfTargetsAllocateNothing(t *testing.T) {
	head := `{"choices":[{"index":0,"delta":`
	for _, c := range []struct {
		name, first, delta string
		target             ir.Target
	}{
		{"think tags", `{"content":"<think>x"}`, `{"content":"some \n words </thin"}`, ir.Target{ThinkTags: true}},
		{"behind think tags", `{"content":"<think>x</think>y"}`, `{"content":"some <words>"}`, ir.Target{ThinkTags: true}},
		{"details", `{}`, `{"reasoning":"some","reasoning_details":[{"type":"reasoning.text","text":"some","format":"f","index":0}]}`, ir.Target{ReasoningEcho: ir.EchoDetails}},
		{"arguments", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":\""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"some \\n words"}}]}`, ir.Target{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDecoder(&ir.Request{API: &ir.API{Client: showing{}}}, &c.target, &ir.Lost{}, ignored{})
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

type ignored struct{}

func (ignored) Event(*ir.Event) {}

// TestEmptyError: a chunk whose error is empty, null or no value of an error has not failed.
func TestEmptyError(t *testing.T) {
	for value, fails := range map[string]bool{`""`: false, `null`: false, `{}`: true, `"gone"`: true} {
		l := &log{}
		decode(l).Event("", `{"choices":[{"index":0,"delta":{"content":"a"}}],"error":`+value+`}`)
		require.Equal(t, fails, slices.Contains(l.kinds, ir.Failure), value)
	}
}
