package chat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

// textsByKind returns the joined texts of all blocks, by kind.
func textsByKind(r *irtest.Recorder) map[ir.BlockKind]string {
	texts := map[ir.BlockKind]string{}
	for _, b := range r.Blocks() {
		texts[b.Start.Block] += string(b.Text())
	}
	return texts
}

// TestThinkTags feeds contents whole, and cut in two at each character.
func TestThinkTags(t *testing.T) {
	for _, c := range []struct{ content, reasoning, text string }{
		{`<think>a b</think>c`, `a b`, `c`},
		{`\n <think>\na < b\n\n</think>\n\nc </think> d`, `a < b\n\n`, `c </think> d`},
		{`\u003cthink\u003ea\u003c\/think\u003eb`, `a`, `b`},
		{`\u003Cthink\u003Ea</thin</think>b`, `a</thin`, `b`},
		{`<think></think>a`, ``, `a`},
		{`<think>\n\n</think>\n\na`, ``, `a`},
		{`<think>a`, `a`, ``},
		{`<think>a</thi`, `a</thi`, ``},
		{`<think`, ``, `<think`},
		{`  a<think>b</think>`, ``, `  a<think>b</think>`},
		{`<thi\nk>a`, ``, `<thi\nk>a`},
		{`\\u003cthink>a`, ``, `\\u003cthink>a`},
		{strings.Repeat(" ", 300) + `<think>`, ``, strings.Repeat(" ", 300) + `<think>`},
		{`  `, ``, `  `},
	} {
		chars := split(ir.Escaped(c.content))
		for i := range len(chars) + 1 {
			r := irtest.Record(t)
			d := newDecoder(irtest.Request(), &ir.Target{ThinkTags: true}, &ir.Lost{}, r)
			for _, content := range []ir.Escaped{join(chars[:i]), join(chars[i:])} {
				d.Event("", `{"choices":[{"delta":{"content":"`+string(content)+`"}}]}`)
			}
			d.Event("", `{"choices":[{"delta":{},"finish_reason":"stop"}]}`)
			d.Close(nil)
			texts := textsByKind(r)
			require.Equal(t, c.reasoning, texts[ir.ReasoningBlock], "%s at %d", c.content, i)
			require.Equal(t, c.text, texts[ir.TextBlock], "%s at %d", c.content, i)
		}
	}
}

// TestSpaceAt has every kind of white space, and what only resembles it.
func TestSpaceAt(t *testing.T) {
	for text, want := range map[ir.Escaped]int{"": 0, " ": 1, `\n\r\t x`: 7, `\nx`: 2, `\rx`: 2, `\tx`: 2, `\"`: 0, `\`: 0,
		"nrt": 0, `x\n`: 0} {
		require.Equal(t, want, spaceAt(text), text)
	}
}
