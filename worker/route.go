//go:build js && wasm

package main

import (
	"net/http"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
)

// route is what a request is answered by.
type route struct {
	client  *ir.API                                           // of whoever asks
	methods string                                            // the ones that it takes, as the header allow has them
	serve   func(*handler, *http.Request, *endpoint.Endpoint) // nil: a greeting, for which no key is needed
}

const (
	posts = http.MethodPost
	gets  = http.MethodGet + ", " + http.MethodHead
)

// routes are the routes of what requests ask for. Those without methods are not served.
var routes = [...]route{
	ir.Converse:       {methods: posts, serve: (*handler).converse},
	ir.Count:          {methods: posts, serve: (*handler).count},
	ir.ListModels:     {methods: gets, serve: (*handler).models},
	ir.ReadModel:      {methods: gets, serve: (*handler).models},
	ir.StoredResponse: {methods: gets + ", " + http.MethodDelete, serve: (*handler).storedResponse},
	ir.StoredInput:    {methods: gets, serve: (*handler).inputItems},
	ir.StoredSubmit:   {methods: posts, serve: (*handler).submit},
	ir.StoredCancel:   {methods: posts, serve: (*handler).cancel},
	ir.Greet:          {methods: gets},
}

// routeOf returns the route of a request, and whether its path is one that is served. Where it is not, the client of the route is the
// one that most likely asks, for the error.
func routeOf(r *http.Request) (to route, served bool) {
	client, operation := translator.APIOf(r.URL.Path, r.Header.Get)
	if operation == ir.ReadModel && strings.Trim(idIn(r, client), ".") == "" { // a name of dots leads to another path of the upstream
		operation = ir.Unserved
	}
	to = routes[operation]
	to.client = client
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
