package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// Operations beside those of translator/ir.
const (
	manages  ir.Operation = 0x80 + iota // the Admin API, or the owner API
	tests                               // one call of the bridge, in the tests' build
	upgrades                            // open a WebSocket
)

// route says how a request is answered.
type route struct {
	operation ir.Operation
	client    *ir.API // the client's protocol, in whose form errors are
	methods   string  // the ones that it takes, as the header allow has them; "": the path is not served
	admits    bool    // it asks a model, if record.admit lets it
	opens     bool    // a WebSocket may be opened here, whose frames are requests of this route
}

const (
	posts = http.MethodPost
	gets  = http.MethodGet + ", " + http.MethodHead
)

// routes are by what a request asks for, without that and the client, which routeOf fills in.
var routes = [...]route{
	ir.Converse:       {methods: posts, admits: true},
	ir.Compact:        {methods: posts, admits: true},
	ir.Count:          {methods: posts},
	ir.ListModels:     {methods: gets},
	ir.ReadModel:      {methods: gets},
	ir.StoredResponse: {methods: gets + ", " + http.MethodDelete},
	ir.StoredInput:    {methods: gets},
	ir.StoredSubmit:   {methods: posts, admits: true},
	ir.StoredCancel:   {methods: posts},
	ir.Greet:          {methods: gets},
}

// routeOf returns the route of a request. Where its path is not served, the route's client is the protocol of whoever most likely asks.
func routeOf(r *http.Request) (to route) {
	client, operation := translator.APIOf(r.URL.Path, r.Header.Get)
	if operation == ir.ReadModel && strings.Trim(idIn(r, client), ".") == "" {
		operation = ir.Unserved // a model ".." would lead to another path of the upstream
	}
	to = routes[operation]
	to.operation, to.client = operation, client
	to.opens = operation == ir.Converse && client.WebSocket
	return to
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
