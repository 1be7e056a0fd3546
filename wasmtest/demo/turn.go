package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// turn is what the script wants to know of a request.
type turn struct {
	id, model   string
	inputTokens int
	stream      bool
	usage       bool   // Chat Completions: stream_options.include_usage
	words       string // the user's last text
	result      string // the result of a tool, if it is what came last
	answered    bool   // result is there
	tools       []tool // what may be called
	must        bool   // the client insists on a call
	named       string // of this tool, if it says which
}

// tool is a function that the client offers.
type tool struct {
	name   string
	schema any
}

// reply is what the model says: a text, or a call.
type reply struct {
	text      string
	tool      string // "": the reply is the text
	arguments string // a JSON object
}

// outputTokens is a guess at the size of the reply.
func (r *reply) outputTokens() int { return 1 + (len(r.text)+len(r.arguments))/4 }

// reply plays the script.
func (t *turn) reply() *reply {
	switch {
	case t.answered && !t.must:
		return &reply{text: "The tool says: " + shorten(t.result, 200)}
	case len(t.tools) == 0:
		return &reply{text: "This is the demo upstream. You said: " + shorten(t.words, 200)}
	}
	chosen := t.choose()
	s := sampler{words: t.words, root: chosen.schema}
	arguments, ok := s.sample(chosen.schema, 0).(object)
	if !ok {
		arguments = object{}
	}
	return &reply{tool: chosen.name, arguments: string(encode(arguments))}
}

// choose returns the tool that the client names, or else the first with the most words in common with the user.
func (t *turn) choose() tool {
	best, most := t.tools[0], 0
	said := strings.ToLower(t.words)
	for _, candidate := range t.tools {
		if candidate.name == t.named {
			return candidate
		}
		common := 0
		for _, word := range strings.FieldsFunc(strings.ToLower(candidate.name), notLetter) {
			if len(word) > 2 && strings.Contains(said, word) {
				common++
			}
		}
		if common > most {
			best, most = candidate, common
		}
	}
	return best
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// place is a capitalised word of the user's that does not only start the text, such as a city; "" if there is none.
func place(words string) string {
	found := ""
	for i, word := range strings.FieldsFunc(words, func(r rune) bool { return notLetter(r) && r != '-' }) {
		if first, _ := utf8.DecodeRuneInString(word); i > 0 && unicode.IsUpper(first) {
			found = word
		}
	}
	return found
}

// shorten cuts s to n runes.
func shorten(s string, n int) string {
	runes := []rune(strings.TrimSpace(s))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n]) + "..."
}

// pieces cuts s into pieces of n runes, as a model would send it.
func pieces(s string, n int) []string {
	var all []string
	for runes := []rune(s); len(runes) > 0; {
		size := min(n, len(runes))
		all, runes = append(all, string(runes[:size])), runes[size:]
	}
	return all
}

// content is the text of a message: a string, or the last text of its parts.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	var parts []struct{ Text string }
	var s string
	if json.Unmarshal(b, &s) == nil {
		*c = content(s)
		return nil
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return fmt.Errorf("content is neither a string nor a list of parts")
	}
	for _, part := range parts {
		if part.Text != "" {
			*c = content(part.Text)
		}
	}
	return nil
}
