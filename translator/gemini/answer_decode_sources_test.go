package gemini

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// grounded is a last chunk with the results of a search for the text "häuser".
var grounded = chunk(`{"text":"","thoughtSignature":"S"}`,
	stop+`,"groundingMetadata":{"webSearchQueries":["q","","p"],`+
		`"searchEntryPoint":{"renderedContent":"<div>"},`+
		`"groundingChunks":[{"web":{"uri":"https://a","title":"A"}},{"web":{"uri":"https://b",`+
		`"title":"B"}},{"maps":{"uri":"https://c"}}],`+
		`"groundingSupports":[{"segment":{"endIndex":3,"text":"hä"},"groundingChunkIndices":[0,1,2,9]},`+
		`{"segment":{"startIndex":3,"endIndex":7,"text":"user"},"groundingChunkIndices":[1]}]}`)

func TestGrounding(t *testing.T) {
	s, lost := streamed(t, asksSearch(), chunk(`{"text":"hä"}`), chunk(`{"text":"user"}`), grounded)
	require.Equal(t, []string{"text", "+hä", "+user", "cites https://a (A) 0-2", "cites https://b (B) 0-2",
		"cites https://b (B) 2-6", "end",
		"redacted", "signed text.S by gemini", "end",
		"search", "+q", "cites https://a (A) -1--1", "cites https://b (B) -1--1", "end", "search", "+p",
		"end", "finish end_turn"}, s.Lines()[1:])
	require.Equal(t, []string{lostGrounding + ".searchEntryPoint", lostChunks}, lost)

	fetches := asked()
	fetches.Tools = []ir.Tool{{Kind: ir.WebFetchTool}}
	s, _ = streamed(t, fetches, chunk(`{"text":"häuser"}`), grounded)
	require.Contains(t, s.Lines(), "cites https://a (A) 0-2")
	s, _ = streamed(t, asked(), chunk(`{"text":"häuser"}`), grounded)
	require.Contains(t, s.Lines(), "cites https://a (A) -1--1", "without a search nothing is kept for places")
}

// TestPlaces covers segments of the text "ä ab ab".
func TestPlaces(t *testing.T) {
	for segment, want := range map[string]string{
		`{"startIndex":3,"endIndex":5,"text":"ab"}`:      "2-4",
		`{"start_index":6,"end_index":8,"text":"ab"}`:    "5-7",
		`{"startIndex":1,"endIndex":3,"text":"ab"}`:      "2-4", // of another part
		`{"startIndex":3,"endIndex":5,"text":"no"}`:      "-1--1",
		`{"startIndex":3,"endIndex":5}`:                  "2-4",
		`{"endIndex":2}`:                                 "0-1",
		`{"endIndex":8}`:                                 "0-7",
		`{"endIndex":9}`:                                 "-1--1",
		`{"endIndex":1}`:                                 "-1--1", // within a character
		`{"startIndex":1,"endIndex":3}`:                  "-1--1",
		`{"startIndex":5,"endIndex":3}`:                  "-1--1",
		`{"startIndex":-1,"endIndex":3}`:                 "-1--1",
		`{}`:                                             "-1--1",
		`{"partIndex":1,"startIndex":0,"text":"ä ab a"}`: "0-6",
	} {
		s, _ := plain(t, asksSearch(), chunk(`{"text":"ä ab ab"}`,
			stop+`,"grounding_metadata":{"grounding_chunks":[{"web":{"uri":"https://a"}}],`+
				`"grounding_supports":[{"segment":`+segment+`,"grounding_chunk_indices":[0]}]}`))
		require.Equal(t, []string{"text", "+ä ab ab", "cites https://a () " + want, "end",
			"finish end_turn"}, s.Lines()[1:], segment)
	}
}

// TestWhenSourcesCome covers metadata before the text, repeated, after a call, and without a text.
func TestWhenSourcesCome(t *testing.T) {
	source := func(url string) string {
		return `,"groundingMetadata":{"groundingChunks":[{"web":{"uri":"` + url + `"}}]}`
	}
	s, lost := streamed(t, asksSearch(), chunk("", source("https://a")), chunk(`{"text":"a"}`,
		source("https://b")), chunk("", stop+`,"groundingMetadata":{}`))
	require.Equal(t, []string{"text", "+a", "cites https://b () -1--1", "end", "finish end_turn"},
		s.Lines()[1:])
	require.Empty(t, lost)
	s, lost = streamed(t, asksSearch(), chunk(`{"text":"a"},{"functionCall":{"name":"f"}}`),
		chunk("", stop+source("https://a")))
	require.NotContains(t, strings.Join(s.Lines(), "|"), "cites")
	require.Equal(t, []string{lostChunks}, lost)
	_, lost = streamed(t, asksSearch(), chunk(`{"text":"a"}`, stop+strings.Replace(source("https://a"),
		`}]}`, `}],"groundingSupports":[{"groundingChunkIndices":[-1,1]}]}`, 1)))
	require.Equal(t, []string{lostChunks}, lost, "no support has a source")
	_, lost = streamed(t, asksSearch(), chunk(`{"text":"a"}`, stop+source(strings.Repeat("a", maxSources))))
	require.Equal(t, []string{lostGrounding}, lost)

	s, _ = streamed(t, asksSearch(), chunk(`{"text":"a"}`, source("https://a")),
		chunk(`{"functionCall":{"name":"f"}},{"text":"b"}`, stop))
	require.Equal(t, 1, strings.Count(strings.Join(s.Lines(), "|"), "cites"),
		"what one text has cited is not that of the next")

	// Metadata that is repeated after a call does not cite the second text for the first text's
	// segment.
	found := `,"groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://a"}}],` +
		`"groundingSupports":[{"segment":{"endIndex":3,"text":"abc"},"groundingChunkIndices":[0]}]}`
	s, lost = streamed(t, asksSearch(), chunk(`{"text":"abc"}`, found),
		chunk(`{"functionCall":{"name":"f"}}`), chunk(`{"text":"d"}`, stop+found))
	require.Equal(t, []string{"text", "+abc", "cites https://a () 0-3", "end", "tool call_r_2 f", "+{}",
		"end", "text", "+d", "end", "finish tool_use"}, s.Lines()[1:])
	require.Empty(t, lost)
	s, _ = streamed(t, asksSearch(), chunk(`{"text":"abc"}`, found), chunk(`{"functionCall":{"name":"f"}}`),
		chunk(`{"text":"abc"}`, stop+found))
	require.Equal(t, 2, strings.Count(strings.Join(s.Lines(), "|"), "cites https://a () 0-3"))
	// A source that comes only after the text is lost.
	_, lost = streamed(t, asksSearch(), chunk(`{"text":"abc"}`, found),
		chunk(`{"functionCall":{"name":"f"}}`), chunk("", stop+strings.Replace(found, `[{"web"`,
			`[{"web":{"uri":"https://b"}},{"web"`, 1)))
	require.Equal(t, []string{lostChunks}, lost)
}

func TestRecited(t *testing.T) {
	for _, list := range []string{"citationSources", "citation_sources", "citations"} {
		s, lost := streamed(t, asksSearch(), chunk(`{"text":"abcd"}`,
			stop+`,"citationMetadata":{"note":1,"`+list+
				`":[{"startIndex":1,"endIndex":3,"uri":"https://a","title":"A","license":""},`+
				`{"endIndex":2,"license":"mit"}]}`))
		require.Equal(t, []string{"text", "+abcd", "cites https://a (A) 1-3", "end", "finish end_turn"},
			s.Lines()[1:])
		require.Equal(t, []string{lostCitations}, lost)
	}
	s, lost := streamed(t, asked(), chunk(`{"text":"a"}`,
		`,"citationMetadata":{"citations":[`+strings.Repeat(`{"uri":"https://a"},`, maxCitations)+
			`{"uri":"https://a"}]}`), chunk(`{"functionCall":{"name":"f"}},{"text":"b"}`, stop))
	require.Equal(t, maxCitations, strings.Count(strings.Join(s.Lines(), "|"), "cites"),
		"nor does the second text cite them")
	require.Equal(t, []string{lostCitations}, lost)
	_, lost = streamed(t, asked(), chunk(`{"functionCall":{"name":"f"}}`,
		stop+`,"citation_metadata":{"citationSources":[{"uri":"https://a"}]},`+
			`"urlContextMetadata":{"urlMetadata":[{"retrievedUrl":"https://a"}]}`))
	require.Equal(t, []string{lostPages, lostCitations}, lost)
}

// TestManySources checks the bounds of citations.
func TestManySources(t *testing.T) {
	chunks, queries := strings.Repeat(`{"web":{"uri":"u"}},`, maxCitations), strings.Repeat(`"q",`,
		maxSearches)
	s, lost := streamed(t, asksSearch(), chunk(`{"text":"a"}`,
		stop+`,"groundingMetadata":{"groundingChunks":[`+chunks+`{"web":{"uri":"v"}}],"webSearchQueries":[`+
			queries+`"p"]}`))
	require.Equal(t, 2*maxCitations, strings.Count(strings.Join(s.Lines(), "\n"), "cites u"))
	require.Equal(t, maxSearches, strings.Count(strings.Join(s.Lines(), "\n"), "search\n+q"))
	require.Equal(t, []string{lostChunks, lostQueries}, lost)
	indices := strings.Repeat("0,", maxCitations)
	for extra, want := range map[string][]string{"-1": nil, "0": {lostSupports}} {
		s, lost = streamed(t, asksSearch(), chunk(`{"text":"a"}`,
			stop+fmt.Sprintf(`,"groundingMetadata":{"groundingChunks":[{"web":{"uri":"u"}}],`+
				`"groundingSupports":[{"segment":{"endIndex":1},"groundingChunkIndices":[%s%s]}]}`, indices,
				extra)))
		require.Equal(t, maxCitations, strings.Count(strings.Join(s.Lines(), "\n"), "cites u"))
		require.Equal(t, want, lost)
	}
	for extra, want := range map[string][]string{"": nil, `,{}`: {lostSupports}} {
		_, lost = streamed(t, asksSearch(), chunk(`{"text":"a"}`,
			stop+fmt.Sprintf(`,"groundingMetadata":{"groundingChunks":[{"web":{"uri":"u"}}],`+
				`"groundingSupports":[%s{"groundingChunkIndices":[0]}%s]}`, strings.Repeat("{},",
				maxCitations-1), extra)))
		require.Equal(t, want, lost)
	}
	long := strings.Repeat("a", google.MaxCited+1)
	s, _ = streamed(t, asksSearch(), chunk(`{"text":"`+long+`"}`),
		chunk("", stop+`,"groundingMetadata":{"groundingChunks":[{"web":{"uri":"u"}}],`+
			`"groundingSupports":[{"segment":{"endIndex":1},"groundingChunkIndices":[0]}]}`))
	require.Contains(t, s.Lines(), "cites u () -1--1")
}
