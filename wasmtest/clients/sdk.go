package clients

import (
	"encoding/json"
	"fmt"

	"edgelingua/wasmtest/vendors"
)

// SDK is a double of the official SDK of a client's API, with one conversation. It sends each
// answer back in the form that the SDK returns.
type SDK struct {
	Server

	Stream  bool
	Tools   []Tool
	Forced  string         // the tool that the model must call first; "": none
	More    map[string]any // additional members of each request
	History []any          // messages, items or contents of the conversation

	api   api
	calls []vendors.Call // calls of the last answer
}

// Tool is a function offered by a client.
type Tool struct {
	Name   string
	Schema map[string]any
}

// Result is the result of a tool call. Output is a string, or content in the form of the client's
// API.
type Result struct {
	ID     string // of the call
	Output any
}

// Said is an answer of the model.
type Said struct {
	Text  string
	Calls []vendors.Call
	Usage vendors.Usage
	Stop  string // "tool", "end" or the API's own word
	// the answer in the SDK's form: a message, a completion, a response or, for Gemini, the last
	// chunk
	Body map[string]any
}

// api describes the SDK of one API.
type api struct {
	path    func(model string, stream bool) string
	header  func(key string) object
	user    func(words any) object              // the user's message
	results func(s *SDK, results []Result) list // messages with tool results
	request func(s *SDK, forced string) object
	plain   func(body []byte) object   // reads a plain answer
	stream  func(stream []byte) answer // reads a stream
	said    func(answer) *Said
	back    func(answer) list // the history entries of an answer
	failure func(body []byte) string
}

// answer is an answer as the client receives it: as a whole and, for Gemini, also in chunks.
type answer struct {
	whole  object
	chunks []object
}

// APIError is the error that an SDK throws for a server error.
type APIError struct {
	Status  int // 200 for an error in a stream
	Message string
}

func (e *APIError) Error() string { return fmt.Sprintf("%d %s", e.Status, e.Message) }

func inStream(message string) *APIError { return &APIError{200, message} }

// NewSDK returns a conversation through the SDK of an API: "anthropic", "chat", "responses" or
// "gemini". Any other name panics.
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

// Say sends a question: a string, or content in the form of the API. The error is an *APIError for
// a server error. Otherwise it is a transport error or the first mistake found in the answer.
func (s *SDK) Say(question any) (*Said, error) {
	s.History = append(s.History, s.api.user(question))
	return s.ask(s.Forced)
}

// Answer sends the results of tool calls. Errors are those of Say.
func (s *SDK) Answer(results ...Result) (*Said, error) {
	s.History = append(s.History, s.api.results(s, results)...)
	return s.ask("")
}

func (s *SDK) ask(forced string) (said *Said, err error) {
	err = attempt(func() {
		request := s.api.request(s, forced)
		model, _ := request["model"].(string)
		path := s.api.path(model, s.Stream)
		if s.api.path("", true) != s.api.path("", false) { // the path has the model and the mode
			delete(request, "model")
		} else if s.Stream {
			request["stream"] = true
		}
		said = s.read(must(s.post(path, s.api.header(s.Key), request)))
	})
	return said, err
}

// read reads an answer and adds its entries to History.
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

// offer returns the tools of a request in the API's form.
func (s *SDK) offer(form func(t Tool) object) (tools list) {
	for _, t := range s.Tools {
		tools = append(tools, form(t))
	}
	return tools
}

// with sets a member of an object to a list, unless the list is empty. It returns the same object.
func with(o object, name string, value list) object {
	if len(value) > 0 {
		o[name] = value
	}
	return o
}

// parsed decodes the arguments of a call from a string of JSON.
func parsed(arguments string) (value any) {
	if err := json.Unmarshal([]byte(arguments), &value); err != nil {
		strict{}.Errorf("arguments that are no JSON: %q", arguments)
	}
	return value
}

// count returns a token count, or 0 if the object has none.
func count(o object, name string) int {
	n, _ := o[name].(float64)
	return int(n)
}

// member returns an object inside an object, or nil if there is none.
func member(o object, name string) object {
	m, _ := o[name].(object)
	return m
}
