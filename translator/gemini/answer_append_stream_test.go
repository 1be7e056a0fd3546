package gemini_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/gemini"
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// TestPositionsAreBounded cites from texts around the limit for positions.
func TestPositionsAreBounded(t *testing.T) {
	for size, positions := range map[int]bool{google.MaxCited: true, google.MaxCited + 1: false} {
		r := &ir.Request{Tools: []ir.Tool{{Kind: ir.WebSearchTool}}}
		e := gemini.Client{}.NewEncoder(r, "m")
		var stream []byte
		for _, ev := range []ir.Event{
			{Kind: ir.Start, ID: "r1", Usage: ir.NoUsage},
			{Kind: ir.BlockStart, Block: ir.TextBlock},
			{Kind: ir.Delta, Delta: ir.TextDelta, Text: ir.Escaped(strings.Repeat("a", size))},
			{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{URL: "u", Start: 0, End: 2}},
			{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{URL: "u", Start: 1, End: int64(size) + 1}},
			{Kind: ir.BlockStop},
			{Kind: ir.Finish, Stop: ir.EndTurn, Usage: ir.NoUsage},
		} {
			stream = e.AppendEvent(stream, &ev)
		}
		require.Equal(t, positions, strings.Contains(string(stream), `"endIndex":2,"text":"aa"`), size)
		require.Equal(t, positions, strings.Count(string(stream), `"segment"`) == 1, "the second span does not fit")
		require.Equal(t, 2, strings.Count(string(stream), `"groundingChunkIndices":[0]`))
	}
}

// TestChunksHaveUsage streams a text, a call and the end, with and without counts of tokens. Each of
// Google's chunks has usageMetadata; BAML 0.226 drops chunks that have none.
func TestChunksHaveUsage(t *testing.T) {
	for _, usage := range []ir.Usage{ir.NoUsage, {Input: 9, CacheRead: -1, CacheWrite: -1, Output: 2}} {
		e := gemini.Client{}.NewEncoder(&ir.Request{}, "m")
		var stream []byte
		for _, ev := range []ir.Event{
			{Kind: ir.Start, ID: "r1", Usage: ir.NoUsage},
			{Kind: ir.BlockStart, Block: ir.TextBlock},
			{Kind: ir.Delta, Delta: ir.TextDelta, Text: "One moment."},
			{Kind: ir.BlockStop},
			{Kind: ir.BlockStart, Block: ir.ToolCallBlock, Name: "look", CallID: "call_1"},
			{Kind: ir.Delta, Delta: ir.TextDelta, Text: "{}"},
			{Kind: ir.BlockStop},
			{Kind: ir.Finish, Stop: ir.ToolUse, Usage: usage},
		} {
			stream = e.AppendEvent(stream, &ev)
		}
		chunks := strings.Split(strings.TrimSuffix(string(stream), "\n\n"), "\n\n")
		require.Len(t, chunks, 3)
		for _, chunk := range chunks {
			require.Equal(t, 1, strings.Count(chunk, `"usageMetadata":{`), chunk)
		}
	}
}
