package clients

import (
	"encoding/json"
	"fmt"

	"edgelingua/wasmtest/vendors"
)

// SDK is a conversation by the official SDK of a client's API. It gives back an answer as the SDK
// hands it out.
type SDK struct {
	Server

	Stream  bool
	Tools   []Tool
	Forced  string         // the name of the tool that must be called first; "" for none
	More    map[string]any // more members of each request
	History []any          // the messages, items or contents of the conversation

	api   api
	calls []vendors.Call // of the last answer
}

// Tool is a function that a client offers.
type Tool struct {
	Name   string
	Schema map[string]any
}

// Result is the result of a call: a text, or content as the client's API has it.
type Result struct {
	ID     string // of the call
	Output any
}

// Said is an answer.
type Said struct {
	Text  string
	Calls []vendors.Call
	Usage vendors.Usage
	Stop  string // "tool" and "end", or the API's own word
	// the answer as the SDK hands it out: a message, a completion, a response or, of Gemini, the
	// last chunk
	Body map[string]any
}

// api is what the SDK of an API does.
type api struct {
	path    func(model string, stream bool) string
	header  func(key string) object
	user    func(words any) object              // the user's message
	results func(s *SDK, results []Result) list // what answers calls
	request func(s *SDK, forced string) object
	plain   func(body []byte) object   // reads a plain answer
	stream  func(stream []byte) answer // reads a stream
	said    func(answer) *Said
	back    func(answer) list // what the client gives back of an answer
	failure func(body []byte) string
}

// answer is an answer as a client has it: as a whole and, of Gemini, in its chunks.
type answer struct {
	whole  object
	chunks []object
}

// APIError is the error that an SDK throws for an error of the server.
type APIError struct {
	Status  int // 200 for an error in a stream
	Message string
}

func (e *APIError) Error() string { return fmt.Sprintf("%d %s", e.Status, e.Message) }

func inStream(message string) *APIError { return &APIError{200, message} }

// NewSDK returns a conversation by the SDK of the API "anthropic", "chat", "responses" or "gemini".
func NewSDK(name string, at Server) *SDK {
	a, ok := apis[name]
	if !ok {
		panic("no such API: " + name)
	}
	return &SDK{Server: at, api: a}
}

var apis = map[string]api{
	"anthropic": messagesAPI,
	"chat":      chatAPI,
	"responses": responsesAPI,
	"gemini":    geminiAPI,
}

// Say asks the question, a text or content as the API has it.
func (s *SDK) Say(question any) (*Said, error) {
	s.History = append(s.History, s.api.user(question))
	return s.ask(s.Forced)
}

// Answer gives the results of calls.
func (s *SDK) Answer(results ...Result) (*Said, error) {
	s.History = append(s.History, s.api.results(s, results)...)
	return s.ask("")
}

func (s *SDK) ask(forced string) (said *Said, err error) {
	err = attempt(func() {
		request := s.api.request(s, forced)
		model, _ := request["model"].(string)
		path := s.api.path(model, s.Stream)
		if s.api.path("", true) != s.api.path("", false) { // the path says it all
			delete(request, "model")
		} else if s.Stream {
			request["stream"] = true
		}
		said = s.read(must(s.post(path, s.api.header(s.Key), request)))
	})
	return said, err
}

// read reads an answer and keeps what goes back of it.
func (s *SDK) read(r *reply) *Said {
	if r.status != 200 {
		r.isA("application/json")
		panic(&APIError{r.status, s.api.failure(r.body)})
	}
	var a answer
	if s.Stream {
		r.isA("text/event-stream")
		a = s.api.stream(r.body)
	} else {
		r.isA("application/json")
		whole := s.api.plain(r.body)
		a = answer{whole, []object{whole}}
	}
	said := s.api.said(a)
	said.Body = a.whole
	s.calls = said.Calls
	s.History = append(s.History, s.api.back(a)...)
	return said
}

// offer returns the tools of a request, as form has each.
func (s *SDK) offer(form func(t Tool) object) (tools list) {
	for _, t := range s.Tools {
		tools = append(tools, form(t))
	}
	return tools
}

// with returns an object with one more member, unless its value is an empty list.
func with(o object, name string, value list) object {
	if len(value) > 0 {
		o[name] = value
	}
	return o
}

// parsed returns the value of a call's arguments, which are JSON in a string.
func parsed(arguments string) (value any) {
	if err := json.Unmarshal([]byte(arguments), &value); err != nil {
		strict{}.Errorf("arguments that are no JSON: %q", arguments)
	}
	return value
}

// count returns a count of tokens, 0 where the object has none.
func count(o object, name string) int {
	n, _ := o[name].(float64)
	return int(n)
}

// member returns the object that is a member, nil for none.
func member(o object, name string) object {
	m, _ := o[name].(object)
	return m
}
