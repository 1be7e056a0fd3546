package translator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

const (
	head = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":`
	tail = `,"finish_reason":null}],"usage":null}` + "\n\n"
)

func exchange(tb testing.TB) *translator.Exchange {
	pair, ok := translator.Lookup("anthropic", "chat")
	require.True(tb, ok)
	x, err := pair.Decode([]byte(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}]}`))
	require.Nil(tb, err)
	_, err = x.AppendRequest(nil, &ir.Target{})
	require.Nil(tb, err)
	return x
}

var deltas = []struct{ name, delta string }{
	{"text", `{"content":"some words\n and a \"quote\" \u00e9"}`},
	{"reasoning", `{"reasoning_content":"some\nwords"}`},
	{"arguments", `{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"[[[\"a\\n\\\"b"}}]}`},
}

// TestDeltaAllocatesNothing holds every kind of delta to no allocation at all, in chunks of one event and cut in two.
func TestDeltaAllocatesNothing(t *testing.T) {
	for _, d := range deltas {
		t.Run(d.name, func(t *testing.T) {
			chunk := []byte(head + d.delta + tail)
			s := exchange(t).Stream()
			for range 10 {
				s.Push(chunk)
				s.Push(chunk[:100])
				s.Push(chunk[100:])
			}
			require.Zero(t, testing.AllocsPerRun(100, func() {
				if out, done := s.Push(chunk); len(out) == 0 || done {
					panic("no delta")
				}
			}))
			require.Zero(t, testing.AllocsPerRun(100, func() {
				s.Push(chunk[:100])
				s.Push(chunk[100:])
			}))
		})
	}
}

func BenchmarkDelta(b *testing.B) {
	for _, d := range deltas {
		b.Run(d.name, func(b *testing.B) {
			chunk := []byte(head + d.delta + tail)
			s := exchange(b).Stream()
			s.Push(chunk)
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			for b.Loop() {
				s.Push(chunk)
			}
		})
	}
}
