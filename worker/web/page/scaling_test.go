//go:build unix

package page

import (
	"slices"
	"testing"

	"edgelingua/wasmtest/scaling"
)

// TestScaling: the CPU time of a page grows about linearly, whatever its HTML repeats.
func TestScaling(t *testing.T) {
	html := []string{"<a>", "<a href=x>", "<a href=x>b</a>", "</a>", "<div>", "</div>", "<div hidden>", "<p>",
		"<p hidden>", "<script>", "</script", "<style>", "<textarea>", "<pre>", "<table><tr><td>", "<ul><li>",
		"<svg>", "<svg/>", "<title>", "<base href=/x/>", "</", "<b", "<h1>", "<img alt=x>", "<![CDATA[", "<?",
		"<meta charset=x>", "<!-- ", "--", "-->", "&#x41;", "&#", "&lt", "a=1 ", "a='", `a="`, "=", "/",
		"../",
		"\r", "<br>", "<iframe>", "<template>", "<noframes>", "<option>", "<b></b>"}
	read := readPage("text/html")
	scaling.Check(t,
		scaling.Plain("", "", html, read),
		scaling.Plain("<a ", ">x", html, read),
		scaling.Plain(`<a href="`, `">x</a>`, html, read),
		scaling.Plain(`<base href="`, `"><a href=x>y</a>`, html, read),
		scaling.Plain("<div hidden>", "</div>x", html, read),
		scaling.Plain("<script>", "</script>x", html, read),
		scaling.Plain("<!--", "-->x", html, read),
		scaling.Plain("<pre>", "</pre>x", html, read),
		scaling.Plain("<title>", "</title>x", html, read),
		scaling.Plain("\xe9", "", html, readPage("text/html; charset=windows-1252")),
		scaling.Plain("", "", html, readPage("text/plain")))
}

func readPage(kind string) func(html string) {
	return func(html string) {
		p := Page{URL: "https://a.example/dir/p", Max: mostText}
		p.Read(200, kind, slices.Clip([]byte(html)))
	}
}
