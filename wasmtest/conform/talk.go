package conform

import (
	"encoding/json"
	"net/http"
)

// api is an API as its clients speak it.
type api struct {
	name   string
	double string // the name of the double in package vendors
	paths  []string
	// path returns the path of a request to a model. prefix is the version in the path.
	path    func(prefix, model string, stream bool) string
	head    func(key string) map[string]string
	user    func(parts ...part) any
	results func(calls []Call, outputs []string) []any
	back    func(r *Reply) []any // the history entries of an answer
	body    func(q *question) object
	read    func(r *Reply) // fills the fields of an answer from its JSON, or from its events
	error   func(v value) (message string)
}

// part is a part of a user's message: a text, or an image or a document in base64.
type part struct{ text, image, document string }

// Call is a tool call as the client received it.
type Call struct {
	ID, Name  string
	Arguments string // JSON
	Signature string // Gemini
}

// Tool is a function that a client offers.
type Tool struct {
	Name, Description string
	Schema            any
}

// Usage has token counts in the client's own arithmetic: Input as the API names it.
type Usage struct{ Input, Cached, Written, Output, Total int }

// question is one request of a client.
type question struct {
	model     string
	system    string
	history   []any // messages, contents or items in the form of the API
	tools     []Tool
	forced    string // the tool that the model must call
	any       bool   // the model must call some tool
	maxTokens int
	stream    bool
	noUsage   bool // Chat: no stream_options
	schema    any
	thinking  bool
	cacheKey  string
	marks     bool // breakpoints of Messages
	stop      string
	sampling  bool
	serial    bool // no parallel calls
	change    func(body object)
}

// Reply is an answer as the client received it.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	Broken error  // why the body broke off
	leak   string // where the answer repeats the client's key; "" for nowhere
	Stream bool
	Events []Event

	JSON     object // of a plain answer
	Text     string
	Thinking string
	Refusal  string
	Calls    []Call
	Stop     string // the API's own word
	Usage    Usage
	Counted  bool // usage has come
	items    []any
}

// Event is one event of a stream.
type Event struct {
	Name, Data string
	JSON       object
}

var clients = []*api{messagesAPI, chatAPI, responsesAPI, geminiAPI}

func clientOf(name string) *api {
	for _, a := range clients {
		if a.name == name || a.double == name {
			return a
		}
	}
	return nil
}

// split reads the events of a stream (HTML standard, "Server-sent events"). It ignores what is no
// event: the grammar has cases of its own.
func split(stream []byte) (events []Event) {
	var e Event
	some := false
	for _, line := range lines(stream) {
		if line == "" {
			if some {
				_ = json.Unmarshal([]byte(e.Data), &e.JSON)
				events = append(events, e)
			}
			e, some = Event{}, false
			continue
		}
		name, text := field(line)
		switch name {
		case "event":
			e.Name = text
		case "data":
			if some {
				e.Data += "\n"
			}
			e.Data += text
			some = true
		}
	}
	return events
}

func lines(stream []byte) (all []string) {
	begin := 0
	for i, c := range stream {
		if c == '\n' {
			end := i
			if end > begin && stream[end-1] == '\r' {
				end--
			}
			all = append(all, string(stream[begin:end]))
			begin = i + 1
		}
	}
	return all
}

func field(line string) (name, text string) {
	for i := range len(line) {
		if line[i] == ':' {
			text = line[i+1:]
			if text != "" && text[0] == ' ' {
				text = text[1:]
			}
			return line[:i], text
		}
	}
	return line, ""
}

func bearer(key string) map[string]string {
	if key == "" {
		return map[string]string{}
	}
	return map[string]string{"authorization": "Bearer " + key}
}

// texts returns the parts of a message that has only a text.
func texts(words string) []part { return []part{{text: words}} }
