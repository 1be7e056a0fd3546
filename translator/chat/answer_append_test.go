package chat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestBufferedLogprobsAreBounded: a stream buffers logprobs without a text up to 64 KB, and then
// sends them in a chunk of their own.
func TestBufferedLogprobsAreBounded(t *testing.T) {
	const frame = `{"token":"","logprob":null,"bytes":null,"top_logprobs":[]}`
	for size, sent := range map[int]bool{maxLogprobs: false, maxLogprobs + 1: true} {
		e := Client{}.NewEncoder(&ir.Request{Logprobs: "true"}, "m")
		for _, ev := range []ir.Event{{Kind: ir.Start, ID: "c1", Usage: ir.NoUsage},
			{Kind: ir.BlockStart, Block: ir.TextBlock, NewMessage: true}} {
			e.AppendEvent(nil, &ev)
		}
		list := `[{"token":"` + strings.Repeat("a", size-len(frame)) + `"}]`
		out := e.AppendEvent(nil, &ir.Event{Kind: ir.Delta, Delta: ir.LogprobsDelta, Raw: ir.Raw(list)})
		require.Equal(t, sent, strings.Contains(string(out), "aaa"), size)
	}
}
