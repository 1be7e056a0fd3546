// Package web runs the tools that an upstream can't run itself: it asks a provider of web searches, and fetches pages, one at a time, each with
// a limit of bytes, of silence, and of time. A client that leaves aborts them. worker/web/search and worker/web/page know what is asked and
// what comes back.
package web

import (
	"strconv"

	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/web/search"
)

// patience is how long a provider may say nothing, in milliseconds.
const patience = 10_000

// Unseal opens the provider's key of a personal endpoint, which is sealed in its record. It is called once for a request, before the first
// search.
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
		return endpoint.NotSetUp("the key of the provider of web searches can't be opened. Set it again.")
	}
	w.Key = key
	return nil
}

// Search runs a search at the provider of an endpoint that Unseal was called for. status is the provider's, 0 where it did not answer; lost
// is what it can't be told of the query.
func Search(host bridge.Host, w *endpoint.WebSearch, q *search.Query) (results []search.Result, status int, lost []string, failed *search.Failure) {
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
			Reason: w.Name + " answered " + strconv.Itoa(head.Status) + " with a body that is too large, or did not come to its end."}
	}
	results, failed = w.Read(q, head.Status, body)
	return results, head.Status, lost, failed
}

// searchCall returns the call of a search that Query.Wrong says nothing of. A SearXNG has to be on the public internet unless
// ALLOW_HTTP_UPSTREAM is true.
func searchCall(host bridge.Host, w *endpoint.WebSearch, q *search.Query) (call bridge.Call, lost []string) {
	local, _ := endpoint.LocalUpstreams(host.Setting)
	call = bridge.Call{Head: "accept-encoding: identity\nuser-agent: edgelingua\n", Silence: patience, Public: !local}
	var headers [][2]string
	call.Method, call.URL, headers, call.Body, lost = w.Request(q)
	for _, h := range headers {
		call.Head = bridge.AppendHeader(call.Head, h[0], h[1])
	}
	return call, lost
}
