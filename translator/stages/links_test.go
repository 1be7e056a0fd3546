package stages

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonw"
)

// cites returns the citations of a text that arrives in pieces: the cited text and the URL.
func cites(t *testing.T, pieces []string, urls ...string) (found []string) {
	var pages []webpage
	for _, url := range urls {
		pages = append(pages, webpage{url: url, title: "T"})
	}
	whole := []rune(strings.Join(pieces, ""))
	var l links
	sink := irtest.Func(func(ev *ir.Event) {
		if c := ev.Citation; c != nil {
			found = append(found, string(whole[c.Start:c.End])+" "+jsonw.Unescape(c.URL))
		}
	})
	l.event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock}, pages, sink)
	for _, piece := range pieces {
		l.event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.Escape(piece)}, pages, sink)
	}
	return found
}

func TestLinks(t *testing.T) {
	const u = "https://a.example/p_(x)?q=\"é\""
	text := "é \"q\" [one](" + u + ") and [two](https://b.example/) [three](" + u + "x) (" + u + ") [x] (" +
		u + ")"
	want := []string{"[one](" + u + ") " + u}
	require.Equal(t, want, cites(t, []string{text}, u))
	var pieces []string
	for _, r := range text {
		pieces = append(pieces, string(r))
	}
	require.Equal(t, want, cites(t, pieces, u), "cut anywhere")
	require.Empty(t, cites(t, []string{text}))
	require.Empty(t, cites(t, []string{"[a](" + strings.Repeat("x", 1<<20) + ")"}, u))
	require.Len(t, cites(t, []string{strings.Repeat("[[](https://a.example/)", 9)}, "https://a.example/"), 9)
}
