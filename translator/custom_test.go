package translator

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

var customRequest = &ir.Request{Tools: []ir.Tool{{Name: "patch", Kind: ir.CustomTool}, {Name: "f"}}}

func newCustoms(sink ir.Sink) ir.Sink { return &customs{sink: sink, request: customRequest} }

// TestCustomText: arguments as JSON source, and the text that they hold, as it is escaped.
func TestCustomText(t *testing.T) {
	for name, c := range map[string]struct{ source, text string }{
		"plain":                   {`{"input":"abc"}`, `abc`},
		"empty":                   {`{"input":""}`, ``},
		"escapes":                 {`{"input":"a\nb \"q\" \\n \/ \u0041 \u00e9 \ud83d\ude00 é😀"}`, `a\nb \"q\" \\n \/ \u0041 \u00e9 \ud83d\ude00 é😀`},
		"half a pair":             {`{"input":"\ud83d"}`, `\ud83d`},
		"space":                   {" {\n\t\"input\" :\r \"a\" } ", `a`},
		"member before":           {`{"why":"\"input\": {\"","n":[1,{"input":"no"}],"o":{},"t":true,"input":"yes"}`, `yes`},
		"member behind":           {`{"input":"yes","input":"no","why":1} more`, `yes`},
		"similar keys":            {`{"inputs":"a","inpu":"b","":"c","in\"put":"d","input":"yes"}`, `yes`},
		"line break as it is":     {"{\"input\":\"a\nb\tc\u0001\"}", `a\nb\tc\u0001`},
		"no escape":               {`{"input":"\d+ \u12 C:\Users"}`, `\\d+ \\u12 C:\\Users`},
		"cut off":                 {`{"input":"ab`, `ab`},
		"cut off in an escape":    {`{"input":"ab\u00`, `ab`},
		"cut off before the text": {`{"input"`, `{\"input\"`},
		"no JSON":                 {"*** Begin Patch\n\"x\"", `*** Begin Patch\n\"x\"`},
		"a string":                {`"abc"`, `\"abc\"`},
		"a list":                  {`["input","a"]`, `[\"input\",\"a\"]`},
		"no input":                {`{"patch":"a"}`, `{\"patch\":\"a\"}`},
		"input is no string":      {`{"input":["a"]}`, `{\"input\":[\"a\"]}`},
		"an empty object":         {`{}`, `{}`},
		"nothing":                 {``, ``},
	} {
		t.Run(name, func(t *testing.T) {
			eachCut(string(jsonw.AppendText(nil, c.source)), func(deltas ...ir.Escaped) {
				s := played(t, newCustoms, answerOf(block(ir.ToolCallBlock, "patch", deltas...)))
				require.Equal(t, "custom["+c.text+"] finish", s.whole(), "%q", deltas)
			})
		})
	}
}

// TestCustomTextIsEscapedInAnyWay: what the upstream's event escapes is not what the text escapes.
func TestCustomTextIsEscapedInAnyWay(t *testing.T) {
	const source = "{\"input\":\"a\\nb \\\"q\\\" \\\\ é\\u00e9😀\"}"
	var each strings.Builder // every code unit as \uXXXX
	for _, u := range toUTF16(source) {
		const hex = "0123456789abcdef"
		each.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			each.WriteByte(hex[u>>shift&15])
		}
	}
	eachCut(each.String(), func(deltas ...ir.Escaped) {
		s := played(t, newCustoms, answerOf(block(ir.ToolCallBlock, "patch", deltas...)))
		text, ok := strings.CutPrefix(s.whole(), "custom[")
		require.True(t, ok)
		text, ok = strings.CutSuffix(text, "] finish")
		require.True(t, ok)
		var got string
		require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &got))
		require.Equal(t, "a\nb \"q\" \\ éé😀", got)
	})
}

func toUTF16(s string) (units []uint16) {
	for _, r := range s {
		if r >= 0x10000 {
			r -= 0x10000
			units = append(units, uint16(0xD800+r>>10), uint16(0xDC00+r&0x3FF))
			continue
		}
		units = append(units, uint16(r))
	}
	return units
}

func TestCustomTextComesAsItComes(t *testing.T) {
	s := played(t, newCustoms, answerOf(
		block(ir.TextBlock, "", "x"),
		block(ir.ToolCallBlock, "patch", `{\"inp`, `ut\":\"`, `a`, `b\\`, `nc`, `\"`, `}`),
		block(ir.ToolCallBlock, "f", `{\"input\"`, `:\"x\"}`),
		block(ir.ToolCallBlock, "patch", `{\"input\":\"d\"}`),
		block(ir.CustomToolCallBlock, "patch", `{\"input\"`, `:\"native\"}`)))
	require.Equal(t, `text[x]custom[a|b|\nc]call[{\"input\"|:\"x\"}]custom[d]custom[{\"input\"|:\"native\"}] finish`, string(s.text))
}

func TestCustomTextIsBounded(t *testing.T) {
	big := ir.Escaped(strings.Repeat("x", 1<<20))
	deltas := []ir.Escaped{"no object"}
	for range 8 {
		deltas = append(deltas, big)
	}
	s := played(t, newCustoms, answerOf(block(ir.ToolCallBlock, "patch", deltas...)))
	require.Equal(t, "custom[ failure: The upstream's answer can't be read: arguments of a tool call of more than 8 MB.", string(s.text))
}

func TestCustomDeltaAllocatesNothing(t *testing.T) {
	c := newCustoms(nothing{})
	for _, ev := range block(ir.ToolCallBlock, "patch", `{\"input\":\"`)[:2] {
		c.Event(&ev)
	}
	delta := ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: `some words\\n\\\"q\\\" \\u00e9\\\\ \\`}
	c.Event(&delta)
	rest := ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: `n`}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		c.Event(&rest)
		c.Event(&delta)
	}))
}

type nothing struct{}

func (nothing) Event(*ir.Event) {}
