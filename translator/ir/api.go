package ir

import (
	"strings"

	"edgelingua/translator/jsonr"
)

// API describes one LLM API, also called a protocol, for the rest of the program. Each protocol's
// package exports one, and translator.APIs lists them. Code outside asks an API's fields instead of
// its name; translator/guard_test.go lists the exceptions. An API is a literal of constants,
// functions and types without fields: TinyGo then puts the API into the module's data, and an
// instance runs no code for APIs at its start.
type API struct {
	Name  string // for settings, records, logs and tests: "anthropic"
	Title string // for people, beginning with the vendor: "Anthropic Messages"

	Client   Client   // the client's side; nil: the API is for upstreams only, and has no Routes
	Upstream Upstream // the upstream's side
	Counter  Counter  // how clients count the tokens of a request; nil: the API has no token counts
	Models   *Models  // the format of model lists
	// the form of embeddings; nil: the API has none
	Embeddings *Embeddings

	// the paths that clients call; the first match wins
	Routes []Route
	// refuses a path (with its query) that asks for an answer in an unsupported format; nil: no
	// path is refused
	CheckPath func(path string) *Error

	// request headers, in lower case, that only this API's clients send. If several APIs have a
	// path, these headers decide
	Marks []string

	// the request header whose value is the bare key; "": the key is a bearer token in
	// Authorization
	KeyHeader string
	// the query parameter in which clients may send their key; "": none
	KeyQuery string
	// the only query parameters of a client that are forwarded to upstreams; nil: all are
	Query []string
	// sent to upstreams, unless the client or the upstream's settings set a header of the same name
	Headers []Header
	// the versions that requests can name; nil: the API has none, or only the one in Headers
	Version *Version
	// further headers that an upstream needs for a request of another API's client; nil: none
	Needs func(r *Request, t *Target) []Header
	// request headers of this API's clients that are forwarded if client and upstream speak the
	// same API; "*" ends a prefix
	ClientHeaders []string
	// request headers that are forwarded only with the client's own key, because they name its
	// account
	AccountHeaders []string
	// request headers that are forwarded only with the client's own body, because they describe its
	// format
	BodyHeaders []string

	// byte strings that mark a body with a compaction, or with a request for one: package passing
	// looks for these bytes without parsing
	Compactions []string

	// reports whether a body seems to have tools of OpenAI's own types, which LM Studio, OpenRouter
	// and others reject: see Target.CustomTools. A search of bytes decides; any bytes are allowed as
	// body. nil: the API has no such tools
	HoldsCustom func(body string) bool

	// clients may declare Anthropic's advisor tool
	Advisor bool

	Vertex *Vertex // how Google's Vertex AI serves the API; nil: not at all

	// headers of an upstream's answer that clients act on or report, in addition to those of every
	// API (worker/upstream: retry-after, ...)
	AnswerHeaders []AnswerHeader

	Overloaded int // the HTTP status for clients if the upstream has no capacity
	// the maximum length of a tool's name, in characters of [a-zA-Z0-9_-]; 0: any number of any
	// characters
	MaxToolName  int
	Arguments    string // the path of a call's arguments in a plain answer
	TierPath     string // the path of the service tier in a plain answer
	Tiers        Tiers  // the service tiers that an answer can name, besides FastTier
	CallIDPrefix string // the beginning of the vendor's ids of tool calls
	// ids of calls are optional: a result is paired with its call by name and order
	OptionalCallIDs bool
	Stored          *Stored // how answers are stored for clients; nil: not at all
	// reads the members of body that concern stored answers, for an endpoint that stores them. body
	// must have passed jsonr.Check; DecodeRequest reports its other faults. It replaces the members now
	// handled by the caller, Stored.Previous and a true store or background, by null. The result refers
	// to body. An error names the field
	ReadStoring func(body []byte) (Storing, error)
	// clients may open a WebSocket at the path of Converse, and send each request as a frame there
	WebSocket   bool
	StartCounts bool // a client's stream begins with the number of prompt tokens
	// clients print the last block of an answer as the result, so an envelope must not follow the
	// last text
	LastIsResult bool
	// the last item of a cut answer is incomplete, so an envelope must not follow a cut text
	CutIsLast    bool
	EndHasAnswer bool // a client's stream ends with the whole answer, so the answer is buffered until then
	Breakpoints  bool // clients set cache breakpoints themselves: see Caching
	// if the last message is the assistant's, the model's answer continues that message
	Continues bool
}

// Vertex is how Vertex AI serves an API. Path and CountPath return paths below the URL of a
// project's location.
type Vertex struct {
	Path func(model string, stream bool) string // as Upstream.Path
	// like Upstream.CountPath; if Version is set, the path is the same for all models. nil: tokens
	// can't be counted
	CountPath func(model string) string
	// the member of a body that replaces "model", because Path already names the model. Token
	// counts have both members. "": the body keeps "model"
	Version string
}

// Version says how requests name a version of an API in a header. Versions are dates and compare as
// strings.
type Version struct {
	Header string // in lower case
	Oldest string // known to every server, and sent unless another version is chosen
	Newest string // the latest version known here
	// reports whether a server knows the later versions
	Knows func(host string) bool
	// removes from t what requests with a later version than Oldest may not have
	Restrict func(t *Target)
}

// Passes reports whether a server may get a client's version. A server that knows later versions
// than this program judges an unknown version itself.
func (v *Version) Passes(host, version string) bool { return version == v.Oldest || v.Knows(host) }

// Header is one header of a request. Name is in lower case.
type Header struct{ Name, Value string }

// Route is a path of an API and its operation. In Path, "*" matches any characters except a slash,
// and "**" any characters; both also match the empty string.
type Route struct {
	Path      string
	Operation Operation
}

// Operation is the kind of a request.
type Operation uint8

const (
	Unserved       Operation = iota // none: the path exists in the API, but is not served here
	Converse                        // an answer of a model
	Compact                         // a summary that replaces a conversation
	Count                           // how many tokens a request has
	Embed                           // the embeddings of texts
	ListModels                      // the list of models
	ReadModel                       // one model of the list
	StoredResponse                  // a stored response, or the deletion of one
	StoredInput                     // the input items of a stored response
	StoredSubmit                    // the answer to the outputs of a stored response's calls
	StoredCancel                    // the cancellation of a response that runs in the background
	Greet                           // whether the server is there
)

// HasClients reports whether clients can speak the API.
func (a *API) HasClients() bool { return a.Client != nil }

// Route returns the operation of a path, and as id the part that "*" matches; id is "" if the route
// has no "*". ok is false if no route of the API matches. path begins with a slash, and has neither
// the address of a personal endpoint nor a query.
func (a *API) Route(path string) (operation Operation, id string, ok bool) {
	for i := range a.Routes {
		if id, ok = a.Routes[i].match(path); ok {
			return a.Routes[i].Operation, id, true
		}
	}
	return Unserved, "", false
}

// Check returns the error of CheckPath for a path (with its query), or nil.
func (a *API) Check(path string) error {
	if a.CheckPath == nil {
		return nil
	}
	return a.CheckPath(path).Err()
}

// ConversePath returns the first path of the operation Converse, or "". For people a model's name in
// the path is "{model}".
func (a *API) ConversePath() string {
	for i := range a.Routes {
		if a.Routes[i].Operation == Converse {
			return strings.Replace(a.Routes[i].Path, "**", "{model}", 1)
		}
	}
	return ""
}

// match reports whether a route matches path, and returns the part of path that "*" matches.
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

// Status returns the HTTP status of an error for the API's clients. Both 503 and 529 of an upstream
// mean that it has no capacity.
func (a *API) Status(e *Error) int {
	status := e.HTTPStatus()
	if status == 503 || status == 529 {
		return a.Overloaded
	}
	return status
}

// Counter is the part of an API with which clients count the tokens of a request before they send
// it.
type Counter interface {
	// DecodeCount reads the body of a count request, as Client.DecodeRequest reads a request's.
	DecodeCount(path, body string, lost *Lost) (*Request, *Error)

	// AppendCount appends the body of the answer: the request's tokens as a model would read them,
	// and, if the client asked for Edits, the tokens before the edits. before is negative for a
	// request without edits.
	AppendCount(dst []byte, tokens, before int64) []byte
}

// Model is one entry of a list of models.
type Model struct {
	ID      Escaped
	Name    Escaped // for people; "" if unknown
	Created int64   // Unix seconds; 0 if unknown
	Owner   Escaped // "" if unknown
	// the maximum numbers of tokens of a prompt and of an answer; 0 if unknown
	Input, Output int64
	Target        *Target // the known facts; nil if unknown
}

// Models is the format of an API's model lists. APIs with the same format share one Models: a list
// passes between them unchanged.
type Models struct {
	// the path of the list, below an upstream's base URL; one model is at Path, a slash, and its id
	Path string
	// the query that asks an upstream for all models at once; "" if lists have no pages
	All     string
	Entries string // the member of a list with its entries
	// reads the entry that r is at; ok is false for any other value
	Read       func(r *jsonr.Reader) (m Model, ok bool)
	Append     func(dst []byte, m *Model) []byte     // appends one model
	AppendList func(dst []byte, list []Model) []byte // appends a list, all in one page
}
