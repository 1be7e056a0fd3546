package cli

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"edgelingua/translator/ir"
	"edgelingua/wasmtest/lobby"
	"edgelingua/worker/endpoint"
)

// gate limits how many requests are served at a time. A shut gate admits none. A request takes a
// slot when its headers arrive, for any path. A request without a slot is refused with an error
// after which clients retry.
//
// Slots are shared by the threshold of switches with a common buffer (Choudhury and Hahne, "Dynamic
// queue length thresholds", 1998): see refusalAt.
type gate struct {
	handler http.Handler
	limit   int // slots of one endpoint

	mu     sync.Mutex
	inside int
	open   map[string]int // slots taken, by endpoint (see whose)
	isShut bool
	empty  chan struct{} // closed once the gate is shut and no request is inside
}

func newGate(handler http.Handler, limit int) *gate {
	// The quarter beyond limit is memory for a moment of contention: a stream uses a thirtieth of
	// the 16 MB that the default of the limit assumes for a request.
	return &gate{handler: handler, limit: limit, open: map[string]int{}, empty: make(chan struct{})}
}

// placesOf returns the number of all slots of a gate: a quarter more than the limit of one
// endpoint. So one endpoint can use the whole --max-concurrent, and another one still gets a slot.
func placesOf(limit int) int { return limit + (limit+share-1)/share }

// share is how many more places an endpoint may have than are free.
const share = 4

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	endpoint := whose(r.URL.Path)
	if refusal := g.enter(endpoint); refusal != nil {
		refuse(w, r, refusal)
		return
	}
	defer g.leave(endpoint)
	if !lobby.Admit(r.Context()) {
		refuse(w, r, full) // for the log: the connection was closed to make room
		return
	}
	defer lobby.Return(r.Context())
	g.handler.ServeHTTP(w, r)
}

// whose returns the name of the personal endpoint in a request's path, "" for the deployment's own.
// For the Admin API it returns a text that is no name: an operator can revoke a key while clients
// use all slots of the deployment's own endpoint.
func whose(path string) string {
	if strings.HasPrefix(path, "/admin/") {
		return "/admin"
	}
	address, _, _ := endpoint.Split(path)
	return address.Name
}

// Errors of refused requests. A server that shuts down does not report overload: Claude Code would
// change to another model, and Codex would give up.
var (
	full = &ir.Error{Kind: ir.Overloaded,
		Message: "This server has as many requests open as it takes (--max-concurrent). Try again " +
			"in a moment."}
	shared = &ir.Error{Kind: ir.Overloaded,
		Message: "This endpoint has its share of the requests that this server takes (--max-concurrent), " +
			"since others use it too. Try again in a moment, or send fewer requests at once."}
	ending = &ir.Error{Kind: ir.Unavailable, Status: http.StatusServiceUnavailable,
		Message: "This server is shutting down. Try again in a moment."}
)

func (g *gate) enter(endpoint string) *ir.Error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isShut {
		return ending
	}
	if refusal := refusalAt(g.limit, g.inside, g.open[endpoint]); refusal != nil {
		return refusal
	}
	g.inside++
	g.open[endpoint]++
	return nil
}

// refusalAt returns the reason why an endpoint gets no further slot, nil if it gets one. inside
// slots are taken, own of these by the endpoint. An endpoint with slots gets another only while it
// has fewer than four times the free slots. So an endpoint with many slots never takes the last
// one, several busy endpoints end up with equal numbers, and an endpoint without slots comes first.
func refusalAt(limit, inside, own int) *ir.Error {
	free := placesOf(limit) - inside
	switch {
	case free == 0 || own >= limit:
		return full
	case own >= share*free:
		return shared
	}
	return nil
}

func (g *gate) leave(endpoint string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.open[endpoint]--; g.open[endpoint] == 0 {
		delete(g.open, endpoint)
	}
	g.closeEmpty()
}

// places returns how many slots each endpoint has taken. The names come from paths: any client may
// have made them up.
func (g *gate) places() map[string]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.open)
}

// shutting reports whether shut was called.
func (g *gate) shutting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isShut
}

// shut admits no more requests. The returned channel is closed when the last admitted request
// has ended.
func (g *gate) shut() <-chan struct{} {
	// The listener stays open until the last stream has ended: a closed listener answers with a
	// reset, which tells a client nothing, for half a minute.
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

// retryAfter is after how many seconds a refused client is to try again.
const retryAfter = 5

// refuse answers with an error in the form of the client's protocol. The request's body is left to
// host.Patient.
func refuse(w http.ResponseWriter, r *http.Request, e *ir.Error) {
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
