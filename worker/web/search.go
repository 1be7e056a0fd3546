// Package web runs the tools that an upstream can't run itself. It sends searches to a provider,
// and fetches webpages, one at a time. Each has limits of bytes, silence and total time, and is
// aborted if the client leaves. worker/web/search and worker/web/page write the requests and read
// the answers.
package web

import (
	"strconv"

	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/web/search"
)

// patience is how long a server may stay silent, in milliseconds.
const patience = 10_000

// Unseal opens the provider's key of a personal endpoint, which is sealed in the endpoint's record.
// Call it once per request, before the first search.
func Unseal(host bridge.Host, e *endpoint.Endpoint) error {
	w := &e.WebSearch
	if w.Key == "" || e.Name == "" {
		return nil
	}
	key, opened, _, failed := host.Open(w.SealContext(e.Name), w.Key)
	switch {
	case failed != nil:
		return endpoint.NotSetUp(failed.Error())
	case !opened:
		return endpoint.NotSetUp("the key of the provider of web searches" + endpoint.Unopened)
	}
	w.Key = key
	return nil
}

// Search runs a search at an endpoint's provider. Unseal must have been called. status is the
// provider's, 0 if it did not answer. lost names the parts of the query that the provider does not
// support.
func Search(host bridge.Host, w *endpoint.WebSearch, q *search.Query) (results []search.Result, status int,
	lost []string, failed *search.Failure) {
	if failed := q.Wrong(); failed != nil {
		return nil, 0, nil, failed
	}
	call, lost := searchCall(host, w, q)
	head, wrong := host.Fetch(call)
	if wrong != nil {
		reason := passing.Redact(w.Name+" can't be reached ("+wrong.Error()+").", []string{w.Key})
		return nil, 0, lost, &search.Failure{Code: "unavailable", Reason: reason}
	}
	body, wrong := host.Read(search.MaxAnswer, 0)
	if wrong != nil {
		return nil, head.Status, lost, &search.Failure{Code: "unavailable",
			Reason: w.Name + " answered " + strconv.Itoa(head.Status) +
				" with a body that is too large, or did not come to its end."}
	}
	results, failed = w.Read(q, head.Status, body)
	return results, head.Status, lost, failed
}

// searchCall returns the Call of a search that passed Query.Wrong. A SearXNG must be on the public
// internet unless ALLOW_HTTP_UPSTREAM is true.
func searchCall(host bridge.Host, w *endpoint.WebSearch, q *search.Query) (call bridge.Call, lost []string) {
	local, _ := endpoint.LocalUpstreams(host.Setting)
	call = bridge.Call{Head: "accept-encoding: identity\nuser-agent: edgelingua\n", Silence: patience,
		Public: !local}
	var headers [][2]string
	call.Method, call.URL, headers, call.Body, lost = w.Request(q)
	for _, h := range headers {
		call.Head = bridge.AppendHeader(call.Head, h[0], h[1])
	}
	return call, lost
}
