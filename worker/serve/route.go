package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// Operations in addition to those of translator/ir.
const (
	manages  ir.Operation = 0x80 + iota // the Admin API, or the owner API
	tests                               // one call of the bridge, only in the build for tests
	upgrades                            // open a WebSocket
)

// route describes how a request is answered.
type route struct {
	operation ir.Operation
	client    *ir.API // the client's protocol; it also decides the form of errors
	methods   string  // allowed methods, in the form of the header allow; "": the path is not served
	admits    bool    // the request is to a model, so record.admit checks it
	webSocket bool    // a GET may open a WebSocket here, whose frames are requests of this route
}

const (
	posts = http.MethodPost
	gets  = http.MethodGet + ", " + http.MethodHead
)

// routes lists the routes by operation. routeOf fills in operation and client.
var routes = [...]route{
	ir.Converse:       {methods: posts, admits: true},
	ir.Compact:        {methods: posts, admits: true},
	ir.Count:          {methods: posts},
	ir.Embed:          {methods: posts, admits: true},
	ir.ListModels:     {methods: gets},
	ir.ReadModel:      {methods: gets},
	ir.StoredResponse: {methods: gets + ", " + http.MethodDelete},
	ir.StoredInput:    {methods: gets},
	ir.StoredSubmit:   {methods: posts, admits: true},
	ir.StoredCancel:   {methods: posts},
	ir.Greet:          {methods: gets},
}

// routeOf returns the route of a request. If the path is not served, client is the most likely
// protocol of the client.
func routeOf(r *http.Request) (to route) {
	client, operation := translator.APIOf(r.URL.Path, r.Header.Get)
	if operation == ir.ReadModel && strings.Trim(idIn(r, client), ".") == "" {
		operation = ir.Unserved // a model ".." would address another path of the upstream
	}
	to = routes[operation]
	to.operation, to.client = operation, client
	to.webSocket = operation == ir.Converse && client.WebSocket
	return to
}

// idIn returns the id in a request's path, of a model or of a stored response; "" for none.
func idIn(r *http.Request, client *ir.API) string {
	_, id, _ := client.Route(r.URL.Path)
	return id
}

// allows reports whether a route allows a method.
func (to *route) allows(method string) bool {
	for list := to.methods; list != ""; {
		var one string
		if one, list, _ = strings.Cut(list, ", "); one == method {
			return true
		}
	}
	return false
}
