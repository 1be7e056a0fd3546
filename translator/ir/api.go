package ir

import (
	"strings"

	"edgelingua/translator/jsonr"
)

// API is one LLM API, and all that the rest of the program knows of it. Each protocol's package exports one, translator.APIs lists
// them; nothing else asks for a protocol by its name. A literal of constants, functions and types without fields: an instance of the
// module has it in its data and does nothing for it at its start.
type API struct {
	Name  string // for settings, records, logs and tests: "anthropic"
	Title string // for people: "Anthropic Messages"

	Client   Client   // the API towards clients
	Upstream Upstream // the API towards upstreams
	Counter  Counter  // how clients ask for the tokens of a request; nil: this API has no such question
	Models   *Models  // how models are listed

	Routes []Route  // the paths that clients ask for; the first that matches counts
	Marks  []string // request headers, in lower case, that tell this API's clients from those of another one at a path of both

	KeyHeader      string   // the request header in which a key stands by itself; "": Authorization, as a bearer token
	KeyQuery       string   // the parameter of the query in which clients may send their key; "": none
	Headers        []Header // sent to upstreams, unless the client or the upstream's settings say otherwise
	ClientHeaders  []string // request headers of this API's clients that pass where client and upstream speak the same API; "*" ends a prefix
	AccountHeaders []string // headers that pass only together with the client's own key, since they name its account
	AnswerHeaders  []string // headers of an upstream's answer that clients of the API act on or report, like ClientHeaders
	BodyHeaders    []string // headers that pass only together with the client's own body, since they say in which form it is

	Overloaded    int    // the HTTP status for clients where the upstream has no capacity
	CallIDPrefix  string // what the vendor's ids of tool calls begin with
	Stores        bool   // answers can be stored, as worker/stored does
	EndHasAnswer  bool   // the end of a client's stream holds the whole answer once more, which is kept for it
	PrivateUserID bool   // the user id in requests names a device and a session, so no other vendor is told
}

// Header is a header of a request: Name in lower case.
type Header struct{ Name, Value string }

// Route is a path of an API. In Path "*" stands for any characters but a slash, and "**" at the end for any at all.
type Route struct {
	Path      string
	Operation Operation
}

// Operation is what a request asks for.
type Operation uint8

const (
	Unserved       Operation = iota // nothing: the path is the API's, and not served
	Converse                        // an answer of a model
	Count                           // the tokens of a request
	ListModels                      // the models
	ReadModel                       // one model
	StoredResponse                  // an answer that is stored, or its deletion
	StoredInput                     // the input that a stored answer was given to
	StoredSubmit                    // the answer to outputs of a stored answer's calls
	StoredCancel                    // the end of an answer that is made in the background
	Greet                           // whether anyone is there
)

// Route returns what a path asks for, and which id is in it: what a "*" stands for, "" where there is none. ok is false where the path
// is none of this API's. path begins with a slash; the query behind it, if there is one, is not looked at.
func (a *API) Route(path string) (operation Operation, id string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	for i := range a.Routes {
		if id, ok = a.Routes[i].match(path); ok {
			return a.Routes[i].Operation, id, true
		}
	}
	return Unserved, "", false
}

// match returns what the "*" of a route stands for in a path, if it is one of that route.
func (r *Route) match(path string) (id string, ok bool) {
	lead, end, open := strings.Cut(r.Path, "*")
	switch {
	case !open:
		return "", path == r.Path
	case !strings.HasPrefix(path, lead):
		return "", false
	}
	id = path[len(lead):]
	if end == "*" {
		return id, true
	}
	id, ok = strings.CutSuffix(id, end)
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

// Status returns the HTTP status of an error for the API's clients.
func (a *API) Status(e *Error) int {
	status := e.HTTPStatus()
	if status == 503 || status == 529 {
		return a.Overloaded
	}
	return status
}

// Counter is how clients of an API ask how many tokens a request is, before they send it.
type Counter interface {
	// DecodeCount reads the question's body, as Client.DecodeRequest does.
	DecodeCount(path, body string, lost *Lost) (*Request, *Error)

	// AppendCount appends the answer.
	AppendCount(dst []byte, tokens int64) []byte
}

// Model is one model in a list.
type Model struct {
	ID      Escaped
	Name    Escaped // for people; "" where unknown
	Created int64   // Unix seconds; 0 where unknown
	Owner   Escaped // "" where unknown
}

// Models is the form in which an API lists models. APIs with the same form have the same Models: between these, lists pass as they are.
type Models struct {
	Path       string                                   // behind an upstream's base URL; one model's is Path, a slash, and its id
	All        string                                   // the query that asks an upstream for all models at once; "" where lists have no pages
	Entries    string                                   // the member of a list that holds its entries
	Read       func(r *jsonr.Reader) (m Model, ok bool) // reads the entry that r stands before; ok is false for anything else
	Append     func(dst []byte, m *Model) []byte        // appends one entry
	AppendList func(dst []byte, list []Model) []byte    // appends a list, all on one page
}
