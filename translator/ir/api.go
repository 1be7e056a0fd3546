package ir

import (
	"strings"

	"edgelingua/translator/jsonr"
)

// API is all that the rest of the program knows of one LLM API, here also called a protocol. Each
// protocol's package exports one, and translator.APIs lists them; no other code asks for a protocol
// by its name. An API is a literal of constants, functions and types without fields: TinyGo puts it
// into the module's data, so that an instance runs no code for it at its start.
type API struct {
	Name  string // for settings, records, logs and tests: "anthropic"
	Title string // for people, with the vendor in front: "Anthropic Messages"

	Client   Client   // the client's side; nil: the API is spoken to upstreams only, and has no Routes
	Upstream Upstream // the upstream's side
	Counter  Counter  // how clients ask how many tokens a request has; nil: the API has no such question
	Models   *Models  // the form in which models are listed

	// the paths that clients ask for; the first one that matches a path counts
	Routes []Route
	// refuses a path, with its query, that asks for an answer in a form which is not served; nil:
	// none
	CheckPath func(path string) *Error

	// request headers, in lower case, that only this API's clients send: they decide where several
	// APIs have a path
	Marks []string

	// the request header that holds nothing but the key; "": the key is a bearer token in
	// Authorization
	KeyHeader string
	// the parameter of the query in which clients may send their key; "": none
	KeyQuery string
	// the only parameters of a client's query that pass to upstreams; nil: all pass
	Query []string
	// sent to upstreams, unless the client or the upstream's settings have a header of that name
	Headers []Header
	// headers that an upstream needs beside Headers for a request of another API's client; nil:
	// none
	Needs func(r *Request, t *Target) []Header
	// request headers of this API's clients that pass where client and upstream speak the same API;
	// "*" ends a prefix
	ClientHeaders []string
	// request headers that pass only together with the client's own key, since they name its
	// account
	AccountHeaders []string
	// request headers that pass only together with the client's own body, since they say in which
	// form it is
	BodyHeaders []string

	// what stands in a body that asks for a compaction, or gives one back: package translator only
	// searches for these bytes
	Compactions []string

	Vertex *Vertex // how Google's Vertex AI serves the API; nil: it does not

	AnswerHeaders []AnswerHeader // headers of an upstream's answer that a client acts on or reports

	Overloaded int // the HTTP status that clients get where the upstream has no capacity
	// how many of [a-zA-Z0-9_-] the name of a tool may have upstream; 0: any number of any
	// characters
	MaxToolName  int
	Arguments    string // the path of a call's arguments in a plain answer
	CallIDPrefix string // the beginning of the vendor's ids of tool calls
	Stores       bool   // answers can be stored, as worker/stored does
	// clients may open a WebSocket at the path of Converse, and send each request as a frame there
	WebSocket   bool
	StartCounts bool // a client's stream begins with how many tokens the request is
	// its clients print the last block of an answer as the result, so an envelope must not follow
	// the last text
	LastIsResult bool
	EndHasAnswer bool // a client's stream ends with the whole answer, so that all of it is kept until then
	Breakpoints  bool // its clients say themselves what is kept of a prompt: see Caching
	// a last message of the assistant's is the beginning of the answer, and the model goes on from
	// there
	Continues bool
}

// Vertex is how Vertex AI serves an API. Path and CountPath stand behind the URL of a project's
// location.
type Vertex struct {
	Path func(model string, stream bool) string // as Upstream.Path
	// as Upstream.CountPath, the same for all models where Version is set; nil: tokens are not
	// counted
	CountPath func(model string) string
	// the member of a body that stands in place of "model", which Path names, and beside it where
	// tokens are counted; "": "model" stays
	Version string
}

// Header is one header of a request, its Name in lower case.
type Header struct{ Name, Value string }

// Route is a path of an API and what is asked for there. In Path, "*" stands for any characters but
// a slash, and "**" for any characters; both also stand for none.
type Route struct {
	Path      string
	Operation Operation
}

// Operation is what a request asks for.
type Operation uint8

const (
	Unserved       Operation = iota // nothing: the API has the path, and it is not served
	Converse                        // an answer of a model
	Compact                         // a summary in place of a conversation
	Count                           // how many tokens a request has
	ListModels                      // the list of models
	ReadModel                       // one model of that list
	StoredResponse                  // a stored response, or its deletion
	StoredInput                     // the input items of a stored response
	StoredSubmit                    // the answer to the outputs of a stored response's calls
	StoredCancel                    // the end of a response that runs in the background
	Greet                           // whether the server is there
)

// HasClients reports whether clients can speak the API.
func (a *API) HasClients() bool { return a.Client != nil }

// Route returns what a path asks for, and the id in it, which is what a "*" stands for; id is ""
// where the route has no "*". ok is false where no route of the API has the path. path begins with
// a slash, without the address of a personal endpoint and without a query.
func (a *API) Route(path string) (operation Operation, id string, ok bool) {
	for i := range a.Routes {
		if id, ok = a.Routes[i].match(path); ok {
			return a.Routes[i].Operation, id, true
		}
	}
	return Unserved, "", false
}

// Check refuses a path, with its query, as CheckPath does.
func (a *API) Check(path string) error {
	if a.CheckPath == nil {
		return nil
	}
	return a.CheckPath(path).Err()
}

// ConversePath returns the first path at which an answer of a model is asked for.
func (a *API) ConversePath() string {
	for i := range a.Routes {
		if a.Routes[i].Operation == Converse {
			return a.Routes[i].Path
		}
	}
	return ""
}

// match reports whether a route has path, and returns the part of path that its "*" stands for.
func (r *Route) match(path string) (id string, ok bool) {
	lead, end, open := strings.Cut(r.Path, "*")
	switch {
	case !open:
		return "", path == r.Path
	case !strings.HasPrefix(path, lead):
		return "", false
	}
	id = path[len(lead):]
	if id, ok = strings.CutSuffix(id, strings.TrimPrefix(end, "*")); strings.HasPrefix(end, "*") {
		return id, ok
	}
	return id, ok && !strings.Contains(id, "/")
}

// Among reports whether a list of headers has name, or a beginning of name followed by "*".
func Among(list []string, name string) bool {
	for _, known := range list {
		lead, open := strings.CutSuffix(known, "*")
		if name == known || open && strings.HasPrefix(name, lead) {
			return true
		}
	}
	return false
}

// Status returns the HTTP status with which the API's clients get an error. 503 and 529 of an
// upstream both say that it has no capacity.
func (a *API) Status(e *Error) int {
	status := e.HTTPStatus()
	if status == 503 || status == 529 {
		return a.Overloaded
	}
	return status
}

// Counter is how clients of an API ask how many tokens a request has, before they send it.
type Counter interface {
	// DecodeCount reads the body of that question, as Client.DecodeRequest reads a request's.
	DecodeCount(path, body string, lost *Lost) (*Request, *Error)

	// AppendCount appends the body of the answer: the tokens of the request as a model would read
	// it, and where the client has asked for Edits, those that it had before. before is negative
	// for a request without any.
	AppendCount(dst []byte, tokens, before int64) []byte
}

// Model is one model in a list.
type Model struct {
	ID      Escaped
	Name    Escaped // for people; "" where unknown
	Created int64   // Unix seconds; 0 where unknown
	Owner   Escaped // "" where unknown
}

// Models is the form in which an API lists models. APIs with the same form share one Models: a list
// passes between them unchanged.
type Models struct {
	// of the list, behind an upstream's base URL; one model has Path, a slash, and its id
	Path string
	// the query that asks an upstream for all models at once; "" where lists have no pages
	All     string
	Entries string // the member of a list that holds its entries
	// reads the entry that r stands before; ok is false for anything else
	Read       func(r *jsonr.Reader) (m Model, ok bool)
	Append     func(dst []byte, m *Model) []byte     // appends one model
	AppendList func(dst []byte, list []Model) []byte // appends a list, all on one page
}
