package chat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// shown writes down what kind of block each text came in.
type shown struct {
	kind    ir.BlockKind
	text    map[ir.BlockKind]string
	stop    ir.StopReason
	created int64
}

func (s *shown) Event(ev *ir.Event) {
	switch ev.Kind {
	case ir.BlockStart:
		s.kind = ev.Block
	case ir.Start:
		s.created = ev.Created
	case ir.Finish:
		s.stop = ev.Stop
	case ir.Delta:
		s.text[s.kind] += string(ev.Text)
	}
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
			s := &shown{text: map[ir.BlockKind]string{}}
			d := newDecoder(&ir.Request{API: &ir.API{Client: showing{}}}, &ir.Target{ThinkTags: true}, &ir.Lost{}, s)
			for _, content := range []ir.Escaped{join(chars[:i]), join(chars[i:])} {
				d.Event("", `{"choices":[{"delta":{"content":"`+string(content)+`"}}]}`)
			}
			d.Event("", `{"choices":[{"delta":{},"finish_reason":"stop"}]}`)
			d.Close(nil)
			require.Equal(t, c.reasoning, s.text[ir.ReasoningBlock], "%s at %d", c.content, i)
			require.Equal(t, c.text, s.text[ir.TextBlock], "%s at %d", c.content, i)
		}
	}
}
