package translator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/translator/stages"
)

// refused returns the code that rejects the fetch of a URL after a user's text and a history, or ""
// if the fetch runs.
func refused(t *testing.T, url, said, history string) (code string) {
	c := fetches(t, "chat", said, history, false, []spoken{{calls: [][2]string{fetchCall(url)}},
		{text: "Done."}}, page)
	if len(c.searched) > 0 {
		return ""
	}
	return gjson.Get(c.got, "content.#(type==web_fetch_tool_result).content.error_code").Str
}

// TestURLsToTheLetter: the beginning of a written URL is not allowed, but punctuation after a URL is no
// part of it.
func TestURLsToTheLetter(t *testing.T) {
	for _, c := range [][2]string{
		{"https://a.example/Zürich", "https://a.example/Z"}, {"https://a.exampleß.example/",
			"https://a.example/"},
		{"https://a.example/guide.html", "https://a.example/guide"}, {"https://a.example/p?token=1",
			"https://a.example/p"}, {"https://a.example/a_b*c", "https://a.example/a"},
		{"https://a.example/a,b;c", "https://a.example/a"}, {"https://a.example/q_(z)_w",
			"https://a.example/q_(z"}, {"https://a.example:443:80/x", "https://a.example/x"},
		{"https://a.example?x", "https://a.example/"}, {"https://a.example/x%20y", "https://a.example/x"},
		{"https://a.example/x'y", "https://a.example/x"},
	} {
		require.Equal(t, ir.FetchNotInPrior, refused(t, c[1], c[0], ""), c[0])
	}
	for _, said := range []string{"https://a.example/x.", "(https://a.example/x)", "**https://a.example/x**",
		"_https://a.example/x_", "https://a.example/x?!", "https://a.example/x谢谢", "|https://a.example/x|y",
		"'https://a.example/x',", "[https://a.example/x](https://b.example/)",
		"https://a.example/x„", "“https://a.example/x”", "https://a.example/x。", "https://a.example/x…",
		"https://a.example/x), b", "https://a.example/x,https://b.example/", "`https://a.example/x`",
		"https://a.example/x#ü"} {
		require.Empty(t, refused(t, "https://a.example/x", said, ""), said)
	}
}

// TestURLsOfModels: a model has written a summary, and a tool result stays one without its call.
func TestURLsOfModels(t *testing.T) {
	const other = "https://z.example/?secret"
	require.Equal(t, ir.FetchNotInPrior, refused(t, other, "q",
		`,{"role":"assistant","content":[{"type":"compaction","content":"See `+other+
			`"}]},{"role":"user","content":"go"}`))
	require.Equal(t, ir.FetchNotInPrior, refused(t, other, "q",
		`,{"role":"assistant","content":"a"},{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"gone","content":"See `+other+`"},{"type":"text","text":"go"}]}`))
}

// TestURLsAreFast: a text of many URLs in one word is read once. If the time grew with the square
// of the length, the test would take hours.
func TestURLsAreFast(t *testing.T) {
	for _, unit := range []string{"http://", "https://a.example/"} {
		said := strings.Repeat(unit, (16<<20)/len(unit))
		require.Equal(t, ir.FetchNotInPrior, refused(t, "https://a.example/none", said, ""))
	}
}

// TestCallsOfARound: failed fetches count, because their servers got a request, and max_uses limits the
// fetches of a round.
func TestCallsOfARound(t *testing.T) {
	var calls [][2]string
	for range 200 {
		calls = append(calls, fetchCall("https://a.example/"))
	}
	c := fetches(t, "chat", "https://a.example/", "", false, []spoken{{calls: calls}, {text: "Done."}},
		func(stages.Search) ([]stages.Hit, string) { return nil, ir.FetchUnreachable })
	require.Len(t, c.searched, 3, "max_uses")
	require.EqualValues(t, 0, c.exchange.Fetched)
	codes := gjson.Get(c.got, "content.#.content.error_code").Array()
	require.Equal(t, ir.FetchUnreachable, codes[2].Str)
	require.Equal(t, ir.SearchMaxUses, codes[3].Str)
}

// TestRefusedCalls: the number of URLs that are looked up in the whole conversation is limited.
func TestRefusedCalls(t *testing.T) {
	var calls [][2]string
	for i := range 200 {
		calls = append(calls, fetchCall(fmt.Sprintf("https://a.example/%d", i)))
	}
	c := fetches(t, "chat", "q", "", false, []spoken{{calls: calls}, {text: "Done."}}, page)
	require.Empty(t, c.searched)
	codes := gjson.Get(c.got, "content.#.content.error_code").Array()
	require.Equal(t, ir.FetchNotInPrior, codes[15].Str)
	require.Equal(t, ir.SearchMaxUses, codes[16].Str)
	require.Equal(t, ir.SearchMaxUses, codes[199].Str)
}

// TestTooManyCalls: the answer fails if a round has too many calls.
func TestTooManyCalls(t *testing.T) {
	var calls [][2]string
	for range 300 {
		calls = append(calls, fetchCall(""))
	}
	require.Contains(t, fetches(t, "chat", "q", "", true, []spoken{{calls: calls}}, page).got,
		"more than 256")
}

// TestFoundNothing: without a webpage and without a code the fetch has failed.
func TestFoundNothing(t *testing.T) {
	c := fetches(t, "chat", "https://a.example/", "", false,
		[]spoken{{calls: [][2]string{fetchCall("https://a.example/")}}, {text: "Done."}},
		func(stages.Search) ([]stages.Hit, string) { return nil, "" })
	require.Equal(t, ir.SearchUnavailable, gjson.Get(c.got, "content.1.content.error_code").Str)
	require.EqualValues(t, 0, c.exchange.Fetched)
}
