package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
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
	calls   func(calls []Call) []any // the history entries of an answer with calls
	back    func(r *Reply) []any     // the history entries of an answer
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

	text, thinking, refusal strings.Builder // the texts so far
}

// read fills the fields of an answer, given its JSON or its body.
func (c *client) read(r *Reply) {
	if r.Stream && r.Events == nil {
		events, err := split(c.ctx, r.Body)
		if err != nil {
			panic(&fault{"a stream that clients can read", err.Error()})
		}
		r.Events = events
	}
	if r.Status != http.StatusOK {
		return
	}
	c.api.read(r)
	for field, text := range map[*string]*strings.Builder{&r.Text: &r.text, &r.Thinking: &r.thinking,
		&r.Refusal: &r.refusal} {
		if text.Len() > 0 {
			*field = text.String()
		}
	}
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

// Bounds of a stream. Answers of models have at most MaxTokens tokens, and images in one event.
const (
	maxEvent = 8 << 20 // bytes of the data of an event
	maxLines = 1 << 18
)

// split reads the events of a stream (HTML standard, "Server-sent events"). It ignores what is no
// event: the grammar has cases of its own. The error names the bound that the stream exceeds.
func split(ctx context.Context, stream []byte) (events []Event, err error) {
	var e Event
	var data []byte
	some, n := false, 0
	for line := range lines(stream) {
		if n++; n > maxLines {
			return nil, fmt.Errorf("a stream of more than %d lines", maxLines)
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if line == "" {
			if some {
				e.Data = string(data)
				_ = json.Unmarshal(data, &e.JSON)
				events = append(events, e)
			}
			e, data, some = Event{}, data[:0], false
			continue
		}
		name, text := field(line)
		switch name {
		case "event":
			e.Name = text
		case "data":
			if some {
				data = append(data, '\n')
			}
			data = append(data, text...)
			some = true
			if len(data) > maxEvent {
				return nil, fmt.Errorf("an event of more than %d bytes", maxEvent)
			}
		}
	}
	return events, nil
}

// lines yields the lines of a stream, without what follows the last line feed.
func lines(stream []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range bytes.Lines(stream) {
			text, whole := bytes.CutSuffix(line, []byte("\n"))
			if whole && !yield(string(bytes.TrimSuffix(text, []byte("\r")))) {
				return
			}
		}
	}
}

// grow appends to a text of an object. Until settle, the text is a strings.Builder: a stream may have
// many pieces.
func grow(o object, name, more string) {
	b, ok := o[name].(*strings.Builder)
	if !ok {
		b = &strings.Builder{}
		b.WriteString(member[string](o, name))
		o[name] = b
	}
	b.WriteString(more)
}

// settle ends the growth of the texts of an object.
func settle(o object) {
	for name, v := range o {
		if b, ok := v.(*strings.Builder); ok {
			o[name] = b.String()
		}
	}
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
