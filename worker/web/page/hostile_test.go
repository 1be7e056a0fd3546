package page

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/worker/web/search"
)

// TestCut: a text is cut between two characters, wherever its end falls.
func TestCut(t *testing.T) {
	for most := range 40 {
		p := Page{URL: "https://a.example/", Max: most}
		_, text, code := p.Read(200, "text/html",
			[]byte("<p>12é€<a href=x>😀</a><b>é</b><a href=y></a><pre>ü <a href=z><h2>ß"))
		require.Empty(t, code)
		require.True(t, utf8.ValidString(text), "%d: %q", most, text)
		whole, _ := strings.CutSuffix(text, cutHere)
		require.LessOrEqual(t, len(whole), most)
		require.True(t, strings.HasPrefix("12é€😀", whole) || strings.HasPrefix(whole, "12é€😀") ||
			strings.HasPrefix(whole, "12é€[😀](https://a.example/x)"), "%d: %q", most, text)
	}
}

// TestWhatABrowserShows: a hidden part ends with the hidden element (HTML, "13.1.2.4 Optional
// tags", "Self-closing start tag state").
func TestWhatABrowserShows(t *testing.T) {
	for html, want := range map[string]string{
		"a<svg/>b":                    "a b",
		"a<svg class=x />b":           "a b",
		"a<svg><path/><svg/></svg>b":  "a b",
		"a<div hidden/>b</div>c":      "a c",
		"<p hidden>x<p>y":             "y",
		"<p hidden>x</p>y":            "y",
		"a<noframes>x<b></noframes>b": "a b",
	} {
		_, text, _ := read("text/html", html)
		require.Equal(t, strings.ReplaceAll(want, " ", ""), strings.ReplaceAll(text, " ", ""), html)
	}
}

// TestLinks: each link has the URL that a browser follows.
func TestLinks(t *testing.T) {
	for html, want := range map[string]string{
		`<a href="/wiki/Go_(language)">Go</a>`: "[Go](https://a.example/wiki/Go_%28language%29)",
		`<base href="/sub/"><a ` +
			`href="p">t</a>`: "[t](https://a.example/sub/p)",
		`<base href="https://b.example/x/"><base href="/y/"><a href="p">t</a>`: "[t](https://b.example/x/p)",
		`<base href="javascript:x"><a ` +
			`href="p">t</a>`: "[t](https://a.example/dir/p)",
		`<base href="https://u:p@b.example/"><a ` +
			`href="p">t</a>`: "[t](https://a.example/dir/p)",
		`<base target="x"><base href="/z/"><a href="p">t</a>`: "[t](https://a.example/z/p)",
		`<a href="p">t<a ` +
			`href="q"></a>u`: "[t](https://a.example/dir/p)u",
	} {
		_, text, _ := read("text/html", html)
		require.Equal(t, want, text, html)
	}
}

// TestCharsets: a page in an unknown charset is refused, because its text would come out as
// different words.
func TestCharsets(t *testing.T) {
	for kind, body := range map[string]string{
		"text/html; charset=ISO-8859-1":       "Z\xfcrich \x80",
		"text/plain;charset=\"windows-1252\"": "Z\xfcrich \x80",
		"text/html": "<meta http-equiv=content-type content='text/html; " +
			"charset=latin1'>Z\xfcrich \x80",
		"text/html; charset=utf-8":      "<meta charset=x>Zürich €\xff",
		"text/plain; charset=utf8; x=y": "Zürich €",
	} {
		_, text, code := read(kind, body)
		require.Empty(t, code)
		require.Equal(t, "Zürich €", text, kind)
	}
	for kind, body := range map[string]string{"text/html; charset=Shift_JIS": "\x83n",
		"text/html": `<html><meta charset="gbk">x`, "text/plain; charset=utf-16": "a"} {
		_, _, code := read(kind, body)
		require.Equal(t, ir.FetchUnsupported, code, kind)
	}
}

// FuzzPage: any page becomes valid UTF-8 without control characters, within the limit.
func FuzzPage(f *testing.F) {
	for _, s := range []string{"<a href=x>t</a>", "<pre>\n a", "<svg/>", "<p hidden>x<div>y",
		"<base href=//b.example>", "&#x10ffff;&amp;", "<title>é", "<script></scrip", "<!-->", "<a b='", "</",
		"<h1"} {
		f.Add("text/html", s, 30)
	}
	f.Add("text/plain; charset=latin1", "\xe9\n\n\n b", 5)
	f.Fuzz(func(t *testing.T, kind, body string, most int) {
		p := Page{URL: "https://a.example/dir/page", Max: most & 0xfff}
		title, text, code := p.Read(200, kind, []byte(body))
		whole, _ := strings.CutSuffix(text, cutHere)
		require.LessOrEqual(t, len(whole), p.Max)
		require.LessOrEqual(t, len(title), maxTitle)
		require.True(t, utf8.ValidString(title) && utf8.ValidString(text), "%q %q", title, text)
		require.True(t, code == "" || title == "" && text == "")
		require.False(t, strings.ContainsFunc(title+text, func(r rune) bool {
			return r < ' ' && r != '\n' &&
				r != '\t' || r == 0x7f || search.Invisible(r)
		}), "%q %q", title, text)
	})
}
