package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// turn has the facts about a request that the script needs.
type turn struct {
	id, model   string
	inputTokens int
	stream      bool
	usage       bool            // Chat Completions: stream_options.include_usage
	words       string          // the user's last text
	results     string          // the tool results after the user's last text, joined
	answered    bool            // there are tool results after the user's last text
	called      map[string]bool // the ids of the calls in the history
	tools       []tool          // the tools that may be called
	forced      bool            // tool_choice demands a call
	forcedTool  string          // the name of the tool in tool_choice; "" for none
}

// tool is a function offered by the client.
type tool struct {
	name   string
	schema any
}

// takeCall notes a call of the model in the history.
func (t *turn) takeCall(id string) {
	if t.called == nil {
		t.called = map[string]bool{}
	}
	t.called[id] = true
}

// takeResult notes the result of a call. A result without a call is an error, as in the vendors'
// services.
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

// takeWords notes a text of the user.
func (t *turn) takeWords(words string) { t.answered, t.results, t.words = false, "", words }

// reply is the model's reply: a text or tool calls.
type reply struct {
	text  string
	calls []call // empty if the reply is the text
}

// call is a tool call.
type call struct {
	id        string // without the API's prefix
	tool      string
	arguments string // a JSON object
}

// outputTokens returns an estimate: one token per four bytes.
func (r *reply) outputTokens() int {
	size := len(r.text)
	for _, c := range r.calls {
		size += len(c.arguments)
	}
	return 1 + size/4
}

// reply returns the model's reply to the turn. The package comment describes the rules.
func (t *turn) reply() *reply {
	switch {
	case t.answered && !t.forced:
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

// call returns a call of a tool, for index i of the answer.
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

// choose returns the tool named in tool_choice. Otherwise it returns the first of the tools whose
// names have the most words in common with the user's text.
func (t *turn) choose() tool {
	best, most := t.tools[0], 0
	said := strings.ToLower(t.words)
	for _, candidate := range t.tools {
		if candidate.name == t.forcedTool {
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

// place returns the last word with a capital that does not begin a sentence, such as a city, or "".
// The word I is no place.
func place(words string) string {
	found := ""
	for sentence := range strings.FieldsFuncSeq(words, endsSentence) {
		words := strings.FieldsFunc(sentence, func(r rune) bool { return notLetter(r) && r != '-' })
		for i, word := range words {
			if first, _ := utf8.DecodeRuneInString(word); i > 0 && unicode.IsUpper(first) && word != "I" {
				found = word
			}
		}
	}
	return found
}

func endsSentence(r rune) bool { return strings.ContainsRune(".!?\n", r) }

// shorten trims spaces from s, and cuts a text of more than n runes to n runes and "...".
func shorten(s string, n int) string {
	runes := []rune(strings.TrimSpace(s))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n]) + "..."
}

// pieces cuts s into pieces of n runes, for the deltas of a stream.
func pieces(s string, n int) []string {
	var all []string
	for runes := []rune(s); len(runes) > 0; {
		size := min(n, len(runes))
		all, runes = append(all, string(runes[:size])), runes[size:]
	}
	return all
}

// content is the text of a message: the whole string, or the last text among the parts.
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
