package chat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// log keeps the kinds of events.
type log struct{ kinds []ir.EventKind }

func (l *log) Event(ev *ir.Event) { l.kinds = append(l.kinds, ev.Kind) }

// showing is a client whose API has a form for every block.
type showing struct{ ir.Client }

func (showing) Name() string            { return "showing" }
func (showing) Shows(ir.BlockKind) bool { return true }

func decode(l *log) *decoder {
	return newDecoder(&ir.Request{Client: showing{}}, &ir.Target{}, &ir.Lost{}, l)
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
