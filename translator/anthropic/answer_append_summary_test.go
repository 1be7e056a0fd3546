package anthropic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestSummary checks the block of a summary, and the answer's usage.
func TestSummary(t *testing.T) {
	took, none := ir.Usage{Input: 90, CacheRead: 8, Output: 7, CacheWrite: -1, Reasoning: -1}, ir.NoUsage
	const compaction = `{"type":"compaction","input_tokens":90,"cache_creation_input_tokens":0,` +
		`"cache_read_input_tokens":8,"output_tokens":7,"cache_creation":null}`
	const message = `{"type":"message","model":null,"input_tokens":3,"cache_creation_input_tokens":0,` +
		`"cache_read_input_tokens":0,"output_tokens":2,"cache_creation":null}`
	made := &ir.Edits{Made: true}
	for name, c := range map[string]struct {
		sealed      ir.Escaped
		usage       ir.Usage
		stop        ir.StopReason
		edits       *ir.Edits
		block, used string
	}{
		"readable": {"el1::c::So far.", took, ir.EndTurn, made,
			`"content":"So far.","encrypted_content":null`, `"iterations":[` + compaction + `,` + message +
				`]}`},
		"sealed": {"el1::s::QQ", took, ir.EndTurn, made,
			`"content":"So far.","encrypted_content":"el1::s::QQ"`,
			`"iterations":[` + compaction + `,` + message + `]}`},
		"nothing but summary": {"el1::s::QQ", took, ir.Compacted, made, `"encrypted_content":"el1::s::QQ"`,
			`"iterations":[` + compaction + `]}`},
		"the upstream's own": {"gAAA", none, ir.EndTurn, nil,
			`"content":"So far.","encrypted_content":"gAAA"`, `"speed":null}`},
	} {
		r := &ir.Request{API: &API, Compaction: &ir.Compaction{}, Edits: c.edits}
		events := []*ir.Event{
			{Kind: ir.Start, ID: "msg_1", Usage: ir.NoUsage},
			{Kind: ir.BlockStart, Block: ir.CompactionBlock},
			{Kind: ir.Delta, Delta: ir.SummaryDelta, Text: "So far.", Envelope: c.sealed, Usage: c.usage},
			{Kind: ir.BlockStop},
			{Kind: ir.Finish, Stop: c.stop, Usage: ir.Usage{Input: 3, Output: 2}},
		}
		body := Client{}.NewPlainEncoder(r, "m", nil)
		stream, streamed := Client{}.NewEncoder(r, "m"), []byte(nil)
		for _, ev := range events {
			body.Event(ev)
			streamed = stream.AppendEvent(streamed, ev)
		}
		plain, err := body.Body()
		require.Nil(t, err, name)
		require.Contains(t, string(plain), `"content":[{"type":"compaction",`, name)
		require.Contains(t, string(plain), c.block, name)
		require.Contains(t, string(plain), c.used, name)
		counts := `"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,` +
			`"output_tokens":2,`
		if c.stop == ir.Compacted {
			counts = `"usage":{"input_tokens":0,"cache_creation_input_tokens":0,` +
				`"cache_read_input_tokens":0,"output_tokens":0,`
		}
		require.Contains(t, string(plain), counts, name)
		require.Contains(t, string(streamed), counts, name)
		require.Contains(t, string(streamed),
			`"content_block":{"type":"compaction","content":null,"encrypted_content":null}}`, name)
		require.Contains(t, string(streamed), c.block+"}}\n", name)
		require.Contains(t, string(streamed), c.used, name)
		require.Equal(t, c.stop == ir.Compacted, strings.Contains(string(plain),
			`"stop_reason":"compaction"`), name)
	}
	r := &ir.Request{API: &API, Compaction: &ir.Compaction{}, Edits: made}
	body := Client{}.NewPlainEncoder(r, "m", nil)
	body.Event(&ir.Event{Kind: ir.Start, Usage: ir.NoUsage})
	body.Event(&ir.Event{Kind: ir.Finish, Stop: ir.EndTurn, Usage: ir.Usage{Input: 3, Output: 2}})
	plain, _ := body.Body()
	require.Contains(t, string(plain), `"iterations":[`+message+
		`]},"context_management":{"applied_edits":[]}}`, "a conversation that was short enough")
}
