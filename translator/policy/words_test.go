package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

func TestMentions(t *testing.T) {
	drop := []string{"Read", "apply_patch", "WebSearch", "list"}
	for text, want := range map[string]string{
		"":                                 "",
		"nothing":                          "nothing",
		"Use the Read tool.":               "Use the [unavailable] tool.",
		"Use the `Read` tool, or 'Read'":   "Use the `[unavailable]` tool, or '[unavailable]'",
		"\"Read\" and **Read**":            "\"[unavailable]\" and **[unavailable]**",
		"Read(x) or Read tools":            "[unavailable](x) or [unavailable] tools",
		"the tool Read":                    "the tool [unavailable]",
		"use Read for files":               "use [unavailable] for files",
		"use Glob, Read or grep":           "use Glob, [unavailable] or grep",
		"Read the file. Read it!":          "Read the file. Read it!",
		"How To Read Files":                "How To Read Files",
		"- Read this\n* Read that":         "- Read this\n* Read that",
		"line\nRead this":                  "line\nRead this",
		"line\n Read this":                 "line\n Read this",
		"The\nTo Read":                     "The\nTo Read",
		"a\\nReadx, xRead, Read_x, Read-y": "a\\nReadx, xRead, Read_x, Read-y",
		"ReadFile":                         "ReadFile",
		"apply_patch, then.":               "[unavailable], then.",
		"\napply_patch\n":                  "\n[unavailable]\n",
		"é\tapply_patch":                   "é\t[unavailable]",
		"\\napply_patch":                   "\\napply_patch",
		"my_apply_patch apply_patches":     "my_apply_patch apply_patches",
		"WebSearch WebSearch":              "[unavailable] [unavailable]",
		"list things, `list`":              "list things, `[unavailable]`",
		"使用Read工具":                         "使用[unavailable]工具",
		"инструмент  Read.":                "инструмент  [unavailable].",
		"Read ツールを使う。Read!":                "[unavailable] ツールを使う。Read!",
		"• Read – café Read":               "• Read – café Read",
		"用list":                            "用list",
	} {
		got := unmentioned(ir.Escaped(jsonw.AppendText(nil, text)), drop)
		require.Equal(t, want, jsonw.Unescape(got), text)
	}
	require.Equal(t, ir.Escaped(`\u00e9[unavailable]`), without(`\u00e9apply_patch`, "apply_patch"))
	require.Equal(t, ir.Escaped(`\u7528[unavailable]. Read. [unavailable]\u30c4`),
		without(`\u7528Read. Read. Read\u30c4`, "Read"))
	require.Equal(t, ir.Escaped(`\\u00e9apply_patch`), without(`\\u00e9apply_patch`, "apply_patch"))
}

func TestIDs(t *testing.T) {
	for _, c := range []struct{ prefix, id, shown ir.Escaped }{
		{"toolu_", "toolu_01", "toolu_01"},
		{"toolu_", "toolu_", "toolu_"},
		{"toolu_", "toolu_elevator", "toolu_elevator"},
		{"toolu_", "call_abc", "toolu_el_call_abc"},
		{"toolu_", "a-b", "toolu_el_a-b"},
		{"toolu_", "", "toolu_elx_"},
		{"toolu_", "toolu_el_x", "toolu_el_toolu_el_x"},
		{"toolu_", "toolu_elx_61", "toolu_el_toolu_elx_61"},
		{"toolu_", "functions.f:0", "toolu_elx_66756e6374696f6e732e663a30"},
		{"toolu_", "toolu_é", "toolu_elx_746f6f6c755fc3a9"},
		{"toolu_", `a\n\"`, "toolu_elx_610a22"},
		{"call_", "toolu_01", "call_el_toolu_01"},
		{"call_", "call_01", "call_01"},
		{"call_", "0", "call_el_0"},
	} {
		shown := shownID(c.id, string(c.prefix))
		require.Equal(t, c.shown, shown)
		require.Equal(t, jsonw.Unescape(c.id), jsonw.Unescape(ownID(shown, string(c.prefix))))
	}
	// An id without another id inside is the upstream's own.
	for _, id := range []ir.Escaped{"", "x", "call_1", "toolu_elx_6", "toolu_elx_6g", "toolu_elx_61",
		"toolu_elx_C3A9", "toolu_el_toolu_01", "toolu_el_a.b", `toolu_el_\u0061`} {
		require.Equal(t, id, ownID(id, "toolu_"))
	}
}

// FuzzIDs checks that every id can be restored from the shown one, and that shown ids have the
// vendor's prefix.
func FuzzIDs(f *testing.F) {
	f.Add("call_abc")
	f.Add("toolu_elx_61")
	f.Add("a\x00\xff é")
	f.Fuzz(func(t *testing.T, id string) {
		id = strings.ToValidUTF8(id, "?")
		for _, prefix := range []string{"toolu_", "call_"} {
			shown := shownID(jsonw.Escape(id), prefix)
			require.True(t, strings.HasPrefix(string(shown), prefix))
			require.Equal(t, shown, ir.Identifier(shown, 0))
			require.Equal(t, id, jsonw.Unescape(ownID(shown, prefix)))
		}
	})
}

// TestFoundNames: two tools may have each other's name upstream.
func TestFoundNames(t *testing.T) {
	a := &answer{tools: []*Tool{{Name: "a", As: "b"}, {Name: "b", As: "a"}, {Name: "é", As: "e"}}}
	names := []ir.Escaped{"b", "a", "c", "e"}
	a.found(names)
	require.Equal(t, []ir.Escaped{"a", "b", "c", "é"}, names)
}
