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
	usage       bool            // Chat Completions: stream_options.include_usage
	words       string          // the user's last text
	results     string          // of tools, if they are what came last
	answered    bool            // results are there
	called      map[string]bool // the ids of the calls so far
	tools       []tool          // what may be called
	must        bool            // the client insists on a call
	named       string          // of this tool, if it says which
}

// tool is a function that the client offers.
type tool struct {
	name   string
	schema any
}

// takeCall notes that the model has made a call.
func (t *turn) takeCall(id string) {
	if t.called == nil {
		t.called = map[string]bool{}
	}
	t.called[id] = true
}

// takeResult notes the result of a call. As real upstreams do, it refuses one that nobody asked for.
func (t *turn) takeResult(id, result string) error {
	if !t.called[id] {
		return fmt.Errorf("there is a result for the call %q, and no such call", id)
	}
	if t.answered {
		result = t.results + ", " + result
	}
	t.answered, t.results = true, result
	return nil
}

// takeWords notes a text of the user's.
func (t *turn) takeWords(words string) { t.answered, t.results, t.words = false, "", words }

// reply is what the model says: a text, or calls.
type reply struct {
	text  string
	calls []call // none: the reply is the text
}

// call is a call of a tool.
type call struct {
	id        string // without what the API puts before it
	tool      string
	arguments string // a JSON object
}

// outputTokens is a guess at the size of the reply.
func (r *reply) outputTokens() int {
	size := len(r.text)
	for _, c := range r.calls {
		size += len(c.arguments)
	}
	return 1 + size/4
}

// reply plays the script.
func (t *turn) reply() *reply {
	switch {
	case t.answered && !t.must:
		return &reply{text: "The tool says: " + shorten(t.results, 200)}
	case len(t.tools) == 0:
		return &reply{text: "This is the demo upstream. You said: " + shorten(t.words, 200)}
	}
	chosen := []tool{t.choose()}
	if t.model == parallel {
		chosen = t.tools
	}
	r := &reply{}
	for i, chosen := range chosen {
		r.calls = append(r.calls, t.call(i, chosen))
	}
	return r
}

// call is the call of a tool that stands at index i in the answer.
func (t *turn) call(i int, of tool) call {
	s := sampler{words: t.words, root: of.schema}
	arguments, ok := s.sample(of.schema, 0).(object)
	if !ok {
		arguments = object{}
	}
	c := call{id: t.id, tool: of.name, arguments: string(encode(arguments))}
	if i > 0 {
		c.id = fmt.Sprintf("%s_%d", t.id, i)
	}
	return c
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
