package main

import (
	"io"
	"net/http"
	"strconv"
	"sync"

	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
)

// gate lets up to limit requests in at a time, and none once it is shut. Any other request is refused with an error after which its client
// tries again.
type gate struct {
	handler http.Handler
	limit   int

	mu     sync.Mutex
	inside int
	isShut bool
	empty  chan struct{} // closed once the gate is shut and nobody is inside
}

func newGate(handler http.Handler, limit int) *gate {
	return &gate{handler: handler, limit: limit, empty: make(chan struct{})}
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refusal := g.enter(); refusal != nil {
		refuse(w, r, refusal)
		return
	}
	defer g.leave()
	g.handler.ServeHTTP(w, r)
}

// Errors of refused requests. A server that shuts down does not say that it is overloaded: Claude Code would change to another model, and
// Codex would give up.
var (
	full   = &ir.Error{Kind: ir.Overloaded, Message: "This server has as many requests open as it takes (--max-concurrent). Try again in a moment."}
	ending = &ir.Error{Kind: ir.Unavailable, Status: http.StatusServiceUnavailable, Message: "This server is shutting down. Try again in a moment."}
)

func (g *gate) enter() *ir.Error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.isShut:
		return ending
	case g.inside >= g.limit:
		return full
	}
	g.inside++
	return nil
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.closeEmpty()
}

// shutting reports whether shut was called.
func (g *gate) shutting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isShut
}

// shut lets no more requests in. The channel that it returns is closed when the last one inside is over.
func (g *gate) shut() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.isShut = true
	g.closeEmpty()
	return g.empty
}

func (g *gate) closeEmpty() {
	if g.isShut && g.inside == 0 {
		close(g.empty)
	}
}

const (
	retryAfter = 5        // seconds after which a refused client is to try again
	maxRefused = 64 << 20 // bytes of a refused request's body that are read: a client that still sends would get a reset in place of the answer
)

// refuse answers with an error in the form of the client's protocol.
func refuse(w http.ResponseWriter, r *http.Request, e *ir.Error) {
	io.CopyN(io.Discard, r.Body, maxRefused)
	client := endpoint.Client(r.URL.Path, r.Header.Get)
	body := client.Client.AppendError(nil, e)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Retry-After", strconv.Itoa(retryAfter))
	status := client.Status(e)
	if e == ending {
		h.Set("Connection", "close")
		status = e.Status
	}
	w.WriteHeader(status)
	w.Write(body)
}
