package policy

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// TestFirstSentence has descriptions, each with a bar at the end of its first sentence.
func TestFirstSentence(t *testing.T) {
	for _, marked := range []string{
		"",
		"Reads a file",
		"Reads a file.|",
		"Reads a file.| Writes none.",
		"Reads a file!| Really?",
		"Reads a file?|\nYes.",
		"\n  Reads a file.| Writes none.",
		"Executes a given bash command and returns its output.|\n\nThe working directory persists.",
		"Wrapped lines of\ntext go\non.| Then this.",
		"Up to\n2000 lines.| More.",
		"Reads a file|\n\nUsage",
		"Reads a file |\n \nUsage",
		"Usage:|\n- The path must be absolute. Really.",
		"Usage:|\n* this",
		"Steps|\n1. Look",
		"Steps|\r\n\r\nLook",
		"1. Look around.| 2. Jump.",
		"10. Look around.| 11. Jump.",
		"9. Look around.| 10. Jump.",
		"Takes a glob (e.g. **/*.ts, i.e. all files).| Returns paths.",
		"Asks J. Doe.| Answers.",
		"Sends to example.com, by HTTP/1.1 or v2.5.| More.",
		"Cut at etc. and so on.| More.",
		"Ends in a quote (\"like this.\")| More.",
		"Ends in **bold.**| More.",
		"Reads \"a\" \\ file.| More.",
		"What is it?!| It is.",
		"Waits... and goes on.| More.",
		"# Bash\n\nRuns a command.| More.",
		"# Bash v1. Not yet.\nRuns a command.| More.",
		"读取文件。|写入文件。",
		"ファイルを読む。|書く。",
		"Liest eine Datei für dich.| Öffnet nichts.",
		"Reads emoji 😀.| More 😀.",
		"It says \"no.\"| More.",
		"A C compiler.| More.",
	} {
		before, after, _ := strings.Cut(marked, "|")
		end := strings.TrimRight(before, " \r")
		if after == "" {
			end = before
		}
		for _, text := range []ir.Escaped{jsonw.Escape(before + after), escapedAll(before + after)} {
			got := Cut{FirstSentence: true}.of(text)
			require.Equal(t, end, jsonw.Unescape(got), marked)
			require.Equal(t, got, Cut{FirstSentence: true}.of(got), marked)
		}
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 1, ""},
		{"ab", 1, "a"},
		{"a b", 1, "a"},
		{" ab", 1, " "},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc"},
		{"One. Two. Three.", 16, "One. Two. Three."},
		{"One. Two. Three.", 15, "One. Two."},
		{"One. Two. Three.", 9, "One. Two."},
		{"One. Two. Three.", 8, "One."},
		{"One. Twotwotwo three", 14, "One. Twotwotwo"},
		{"One. Twotwotwo three", 17, "One. Twotwotwo"},
		{"One. Twotwotwotwotwo", 12, "One. Twotwot"},
		{"one two three", 7, "one two"},
		{"one two   three", 9, "one two"},
		{"one two three", 6, "one"},
		{"a bcdefghij", 8, "a bcdefg"},
		{"\"\"\"\"", 3, `"""`},
		{"\n\n\na", 3, "\n\n\n"},
		{"äöüß", 2, "äö"},
		{"😀😀😀", 2, "😀😀"},
		{"读取文件。写入文件。", 7, "读取文件。"},
		{"读取文件", 3, "读取文"},
		{"x" + strings.Repeat(" ", 50), 9, "x        "},
	} {
		for _, text := range []ir.Escaped{jsonw.Escape(c.text), escapedAll(c.text)} {
			require.Equal(t, c.want, jsonw.Unescape(Cut{Max: c.most}.of(text)), "%q %d", c.text, c.most)
		}
	}
	require.Equal(t, ir.Escaped(`a\ud83d`), Cut{Max: 2}.of(`a\ud83d\ud83d`),
		"halves of characters stay apart")
	require.Equal(t, ir.Escaped("One two."), Cut{Max: 9, FirstSentence: true}.of("One two. Three."))
	require.Equal(t, ir.Escaped("One"), Cut{Max: 4, FirstSentence: true}.of("One two. Three."))
}

// escapedAll returns a text with each character as an escape sequence.
func escapedAll(text string) ir.Escaped {
	var b strings.Builder
	for _, r := range text {
		if r > 0xFFFF {
			r -= 0x10000
			escapeUnit(&b, 0xD800+r>>10)
			r = 0xDC00 + r&0x3FF
		}
		escapeUnit(&b, r)
	}
	return ir.Escaped(b.String())
}

func escapeUnit(b *strings.Builder, r rune) {
	const digits = "0123456789abcdef"
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(digits[r>>shift&15])
	}
}

// TestCutOf: the longest matching prefix wins.
func TestCutOf(t *testing.T) {
	p := Policy{Descriptions: Cut{Max: 1}, ToolDescriptions: []ToolCut{
		{"*", Cut{Max: 2}}, {"mcp__a__*", Cut{Max: 4}}, {"mcp__*", Cut{Max: 3}}, {"mcp__a__x", Cut{}},
		{`q"`, Cut{Max: 5}},
	}}
	for name, want := range map[ir.Escaped]int{"Bash": 2, "mcp__": 3, "mcp__b__x": 3, "mcp__a__y": 4,
		"mcp__a__x": 0, `q\"`: 5} {
		require.Equal(t, want, p.cutOf(&ir.Tool{Name: name}).Max, name)
	}
	require.Zero(t, p.cutOf(&ir.Tool{Name: "Bash", Kind: ir.VendorTool}))
	require.Equal(t, Cut{Max: 1}, (&Policy{Descriptions: Cut{Max: 1}}).cutOf(&ir.Tool{Kind: ir.CustomTool}))
	require.True(t, (&Policy{ToolDescriptions: []ToolCut{{"a", Cut{}}, {"b", Cut{Max: 1}}}}).Cuts())
	require.False(t, (&Policy{ToolDescriptions: []ToolCut{{"a", Cut{}}}}).Changes())
}

// TestCutSchema cuts the descriptions of a schema, but not properties of the same name.
func TestCutSchema(t *testing.T) {
	const schema = `{ "description":"One two. Three", "type" : "object",` +
		`"properties":{"description":{"type":"string","description":"One\ntwo three"},` +
		`"b":{"anyOf":[{"description":"One two three"},{"enum":["One two three"]}]}},` +
		`"$defs":{"description":{"items":{"description":"One two three",` +
		`"const":{"description":"One two three"}}}},"default":{"description":"One two three"},` +
		`"examples":[{"description":"One two three"}],"description":7}`
	n := int64(1)
	out, _, _ := rewritten(schema, rules{cut: Cut{Max: 8}, bytes: &n})
	require.JSONEq(t,
		`{"type":"object","properties":{"description":{"type":"string","description":"One\ntwo"},`+
			`"b":{"anyOf":[{"description":"One two"},{"enum":["One two three"]}]}},`+
			`"$defs":{"description":{"items":{"description":"One two",`+
			`"const":{"description":"One two three"}}}},"default":{"description":"One two three"},`+
			`"examples":[{"description":"One two three"}],"description":7}`, string(out))
	require.Equal(t, int64(1+len(schema)-len(out)), n)
	require.True(t, strings.HasPrefix(string(out), `{ "description":"One two.", "type" : "object"`), out)

	n = 0
	out, shrunk, _ := rewritten(`{"properties":{"a":{"description":"Ask the Task tool. This is optional"},`+
		`"b":{"description":"Ask the Task tool"}},"required":["a","b"]}`,
		rules{required: true, drop: []string{"Task"}, cut: Cut{FirstSentence: true}, bytes: &n})
	require.True(t, shrunk,
		"a description says that its parameter is optional also where the model does not read it")
	require.Equal(t,
		jsonw.Raw(`{"properties":{"a":{"description":"Ask the [unavailable] tool."},`+
			`"b":{"description":"Ask the [unavailable] tool"}},"required":["b"]}`), out)
	require.Equal(t, int64(len(" This is optional")), n)
}

// TestCutTool counts the removed bytes, and leaves descriptions by vendors, and of excepted tools,
// unchanged.
func TestCutTool(t *testing.T) {
	p := Policy{Descriptions: Cut{Max: 7}, ToolDescriptions: []ToolCut{{"kept", Cut{}}}}
	tools := []ir.Tool{
		{Name: "f", Description: "One two three", Schema: `{"description":"One two three"}`,
			Field: ".parameters", Examples: `[{"description":"One two three"}]`},
		{Name: "kept", Description: "One two three", Schema: `{"description":"One two three"}`,
			Field: ".parameters"},
		{Name: "free", Kind: ir.CustomTool, Description: "One two three",
			Grammar: `{"definition":"One two three"}`},
		{Name: "bash", Type: "bash_20250124", Description: "Runs a command.",
			Schema: `{"description":"Of ours, and long"}`, Raw: `{"type":"bash_20250124","name":"bash"}`},
		{Name: "tool_search", Type: "tool_search", Description: "One two three",
			Schema: `{"description":"Of ours, and long"}`,
			Raw:    `{"type":"tool_search","description":"One two three"}`},
		{Name: "web_search", Kind: ir.WebSearchTool, Type: "web_search", Description: "One two three",
			Raw: `{"description":"One two three"}`},
		{Name: "late", Deferred: true, Description: "One two three"},
	}
	sent, err := p.Apply(&ir.Request{Tools: tools}, &ir.Lost{})
	require.Nil(t, err)
	for i, want := range []ir.Escaped{"One two", "One two three", "One two", "Runs a command.", "One two",
		"One two three", "One two"} {
		require.Equal(t, want, sent.Tools[i].Description, i)
	}
	require.Equal(t, ir.Raw(`{"description":"One two"}`), sent.Tools[0].Schema)
	require.Equal(t, ir.Raw(`{"type":"tool_search","description":"One two"}`), sent.Tools[4].Raw)
	for i := range tools {
		was, is := tools[i], sent.Tools[i]
		was.Description, is.Description = "", ""
		if i == 0 {
			was.Schema, is.Schema = "", ""
		}
		if i == 4 {
			was.Raw, is.Raw = "", ""
		}
		require.Equal(t, was, is, i)
	}
	require.Equal(t, int64(5*len(" three")), sent.CutDescriptions)
}

// TestCutAllocatesNothing: a cut text is a view of the original.
func TestCutAllocatesNothing(t *testing.T) {
	text := jsonw.Escape(strings.Repeat("Reads a file, e.g. \"this\" one\n", 300))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		Cut{Max: 200}.of(text)
		Cut{FirstSentence: true}.of(text)
	}))
}

// FuzzCut: a cut schema is JSON, and equals the original except for its descriptions. Each
// description is the beginning of the original one.
func FuzzCut(f *testing.F) {
	for _, text := range []string{"One. Two", `a\n- b`, `\ud83d\ude00\ud83d`, `\\\"\u0041`, "。",
		"# a\\n\\nb. C", `e.g. x. Y`, "x" + strings.Repeat(" ", 9)} {
		f.Add(text, 3, true, `{"type":"object","properties":{"description":{"description":"`+text+
			`"}},"description":"`+text+`"}`)
	}
	f.Fuzz(func(t *testing.T, text string, most int, first bool, schema string) {
		cut := Cut{FirstSentence: first, Max: max(most, 0)}
		escaped := jsonw.Escape(text)
		if json.Valid([]byte(`"` + text + `"`)) {
			escaped = ir.Escaped(text)
		}
		said := checkCut(t, cut, escaped)
		require.LessOrEqual(t, len(checkCut(t, cut, said)), len(said))

		if !json.Valid([]byte(schema)) || !utf8.ValidString(schema) {
			return
		}
		n := int64(0)
		out, _, _ := rewritten(jsonw.Raw(schema), rules{cut: cut, bytes: &n})
		require.Equal(t, int64(len(schema)-len(out)), n)
		var was, is any
		require.NoError(t, json.Unmarshal([]byte(schema), &was))
		require.NoError(t, json.Unmarshal([]byte(out), &is))
		require.Equal(t, blanked(was), blanked(is))
	})
}

// checkCut cuts a description, checks the result, and returns the result.
func checkCut(t *testing.T, cut Cut, text ir.Escaped) ir.Escaped {
	said := cut.of(text)
	require.True(t, strings.HasPrefix(string(text), string(said)))
	require.True(t, json.Valid([]byte(`"`+string(said)+`"`)), said)
	require.Equal(t, text == "", said == "", "something is left")
	whole, part := jsonw.Unescape(text), jsonw.Unescape(said)
	require.True(t, strings.HasPrefix(whole, part), "%q is no beginning of %q", part, whole)
	if cut.Max > 0 {
		require.LessOrEqual(t, utf8.RuneCountInString(part), cut.Max)
	}
	if cut == (Cut{}) {
		require.Equal(t, text, said)
	}
	return said
}

// blanked returns a value without its descriptions.
func blanked(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			if text, ok := value.(string); ok && key == "description" {
				value = text[:0]
			}
			out[key] = blanked(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = blanked(v[i])
		}
		return out
	}
	return v
}
