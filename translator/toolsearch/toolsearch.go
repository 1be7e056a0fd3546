// Package toolsearch searches tools for a model whose upstream can't: by a pattern in the syntax of
// Python's re.search, or by words, ranked as by BM25. Both read the same texts of a tool: its name,
// its description, and the names and descriptions of its arguments ("Tool search tool", Messages
// API). Patterns and words come from a model, and the texts from its client, so a search has a limit
// of steps.
package toolsearch

import (
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// The limits of Anthropic's search ("Limits"), in tools and characters.
const (
	MaxFound   = 5
	maxPattern = 200
	maxWords   = 500
)

// maxDepth is how deep the schemas of arguments are read.
const maxDepth = 12

// ByPattern returns the indexes of the first tools that match a pattern, at most MaxFound: first the
// tools whose name matches. If the search fails, code and words say why.
func ByPattern(tools []ir.Tool, pattern string) (found []int, code, words string) {
	if utf8.RuneCountInString(pattern) > maxPattern {
		return nil, ir.SearchInvalid, "Pattern exceeds maximum length of 200 characters"
	}
	p, fault := compile(pattern)
	if fault != "" {
		return nil, ir.SearchInvalid, "Invalid regular expression pattern: " + fault
	}
	var others []int
	var text []byte
	for i := range tools {
		if len(found) == MaxFound {
			break
		}
		t := &tools[i]
		if p.matches(jsonw.Unescape(t.Name)) {
			found = append(found, i)
		} else if len(others) < MaxFound {
			text = appendTexts(text[:0], t)
			if p.matches(string(jsonw.View(text))) {
				others = append(others, i)
			}
		}
		if p.steps > maxSteps {
			return nil, ir.SearchTooSlow, "The pattern takes too long. Use a simpler one"
		}
	}
	return append(found, others[:min(len(others), MaxFound-len(found))]...), "", ""
}

// appendTexts appends the texts of a tool, each with a line break at its end.
func appendTexts(dst []byte, t *ir.Tool) []byte {
	dst = append(jsonw.AppendUnescaped(dst, t.Name), '\n')
	dst = append(jsonw.AppendUnescaped(dst, t.Description), '\n')
	r := jsonr.NewReader(string(t.Schema))
	return appendArguments(dst, &r, maxDepth)
}

// appendArguments appends the names and descriptions of the arguments in the schema at r.
func appendArguments(dst []byte, r *jsonr.Reader, depth int) []byte {
	switch kind := r.Kind(); {
	case depth == 0:
	case kind == jsonr.Array:
		for r.OpenArray(); r.Element(); {
			dst = appendArguments(dst, r, depth-1)
		}
	case kind == jsonr.Object:
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "description":
				text, _ := jsonr.Text(r.Value())
				dst = append(jsonw.AppendUnescaped(dst, text), '\n')
			case "properties":
				for r.OpenObject(); r.Member(); {
					dst = append(append(dst, r.Key()...), '\n')
					dst = appendArguments(dst, r, depth-1)
				}
			default:
				dst = appendArguments(dst, r, depth-1)
			}
		}
	}
	return dst
}

// ByWords returns the indexes of the tools that fit words best, at most MaxFound.
func ByWords(tools []ir.Tool, words string) (found []int, code, why string) {
	if utf8.RuneCountInString(words) > maxWords {
		return nil, ir.SearchInvalid, "Query exceeds maximum length of 500 characters"
	}
	q := query{tools: tools, words: map[string]int{}}
	for w := (reader{text: words}); w.next(); {
		word := string(w.word)
		if _, known := q.words[word]; !known && word != "a" && word != "the" {
			q.words[word] = len(q.words)
		}
	}
	return q.best(), "", ""
}
