package host

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// sockets are the WebSockets of a host.
type sockets struct {
	places   *shares // connections
	memory   *shares // bytes of histories
	shutting chan struct{}
	closed   context.Context // done once the connections are to end at once
	close    context.CancelFunc

	mu   sync.Mutex
	shut bool
	open sync.WaitGroup // connections with a slot
}

func newSockets(places, memory int) *sockets {
	s := &sockets{places: newShares(places), memory: newShares(memory), shutting: make(chan struct{})}
	s.closed, s.close = context.WithCancel(context.Background())
	return s
}

// Sockets returns a handler that calls next, which must lead to h, and serves the WebSockets that
// the program accepts: each frame of a client becomes a request to next (socket.answer). For an
// upgrade the handler returns at the end of the connection. Without Sockets, frames are requests to
// h itself.
func (h *Host) Sockets(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !upgrades(r) {
			next.ServeHTTP(w, r)
			return
		}
		u := &upgrade{sockets: h.sockets, patience: h.patience}
		defer u.end()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), upgradeKey{}, u)))
		if u.conn != nil {
			newSocket(u, next, r).serve()
		}
	})
}

// upgrades reports whether a request asks for a WebSocket.
func upgrades(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// ShutSockets ends each WebSocket as soon as none of its frames is being answered. The returned
// channel is closed after the end of the last WebSocket.
func (h *Host) ShutSockets() <-chan struct{} {
	s := h.sockets
	s.mu.Lock()
	if !s.shut {
		s.shut = true
		close(s.shutting)
	}
	s.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		s.open.Wait()
		close(gone)
	}()
	return gone
}

// CloseSockets breaks all WebSockets and their current answers.
func (h *Host) CloseSockets() { h.sockets.close() }

// upgradeKey is the key of an *upgrade in the context of a request for a WebSocket.
type upgradeKey struct{}

// upgrade is a request for a WebSocket, and then the slot of the connection.
type upgrade struct {
	sockets  *sockets
	patience patience

	accepted bool // the program has accepted the upgrade: it has a slot
	endpoint string
	lifetime time.Duration

	conn *websocket.Conn // nil: the client has got no 101
	wire *wire
}

// accept takes a slot for the connection, unless the endpoint already has most slots, or the host
// has none left.
func (u *upgrade) accept(endpoint string, most int, lifetime time.Duration) bool {
	s := u.sockets
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut || !s.places.take(endpoint, 1, most) {
		return false
	}
	s.open.Add(1)
	u.accepted, u.endpoint, u.lifetime = true, endpoint, lifetime
	return true
}

// end closes the connection, and returns the slot.
func (u *upgrade) end() {
	if u.conn != nil {
		u.conn.CloseNow()
	}
	if u.accepted {
		u.sockets.places.give(u.endpoint, 1)
		u.sockets.open.Done()
	}
}
