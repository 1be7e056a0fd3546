package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
)

// route says how a request is answered.
type route struct {
	client  *ir.API                                           // the client's protocol, in whose form errors are
	methods string                                            // the ones that it takes, as the header allow has them
	serve   func(*handler, *http.Request, *endpoint.Endpoint) // nil: a greeting, for which no key is needed
	admits  bool                                              // serve asks a model, if handler.admit lets it
	socket  bool                                              // a WebSocket may be opened here, whose frames are requests of this route
}

const (
	posts = http.MethodPost
	gets  = http.MethodGet + ", " + http.MethodHead
)

// routes are by what a request asks for, without the client, which routeOf fills in. One without methods is not served.
var routes = [...]route{
	ir.Converse:       {methods: posts, serve: (*handler).converse, admits: true},
	ir.Compact:        {methods: posts, serve: (*handler).converse, admits: true},
	ir.Count:          {methods: posts, serve: (*handler).count},
	ir.ListModels:     {methods: gets, serve: (*handler).models},
	ir.ReadModel:      {methods: gets, serve: (*handler).models},
	ir.StoredResponse: {methods: gets + ", " + http.MethodDelete, serve: (*handler).storedResponse},
	ir.StoredInput:    {methods: gets, serve: (*handler).inputItems},
	ir.StoredSubmit:   {methods: posts, serve: (*handler).submit, admits: true},
	ir.StoredCancel:   {methods: posts, serve: (*handler).cancel},
	ir.Greet:          {methods: gets},
}

// routeOf returns the route of a request, and whether its path is served. Where it is not, the route's client is the protocol of whoever
// most likely asks.
func routeOf(r *http.Request) (to route, served bool) {
	client, operation := translator.APIOf(r.URL.Path, r.Header.Get)
	if operation == ir.ReadModel && strings.Trim(idIn(r, client), ".") == "" {
		operation = ir.Unserved // a model ".." would lead to another path of the upstream
	}
	to = routes[operation]
	to.client = client
	to.socket = operation == ir.Converse && client.WebSocket
	return to, to.methods != ""
}

// idIn returns the id that a request's path names, of a model or of a stored response; "" where it names none.
func idIn(r *http.Request, client *ir.API) string {
	_, id, _ := client.Route(r.URL.Path)
	return id
}

// takes reports whether a route takes a method.
func (to *route) takes(method string) bool {
	for list := to.methods; list != ""; {
		var one string
		if one, list, _ = strings.Cut(list, ", "); one == method {
			return true
		}
	}
	return false
}
