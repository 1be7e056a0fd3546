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
	memory   *shares // bytes that connections remember
	shutting chan struct{}
	closed   context.Context // done once the connections are to end at once
	close    context.CancelFunc

	mu   sync.Mutex
	shut bool
	open sync.WaitGroup // those that hold a place
}

func newSockets(places, memory int) *sockets {
	s := &sockets{places: newShares(places), memory: newShares(memory), shutting: make(chan struct{})}
	s.closed, s.close = context.WithCancel(context.Background())
	return s
}

// Sockets returns a handler that serves by next, which leads to h, and keeps the WebSockets that
// the program accepts: each frame of a client becomes a request to next (socketTurn). It returns
// from an upgrade when its connection is over. Without it, frames are requests to h itself.
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

// ShutSockets ends each WebSocket once no frame of it is being answered. The channel that it
// returns is closed when the last one is gone.
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

// CloseSockets breaks all WebSockets, and the answers on them.
func (h *Host) CloseSockets() { h.sockets.close() }

// upgradeKey is the key under which the context of a request that asks for a WebSocket has its
// *upgrade.
type upgradeKey struct{}

// upgrade is a request that asks for a WebSocket, and then the place of its connection.
type upgrade struct {
	sockets  *sockets
	patience patience

	accepted bool // the program has accepted it: there is a place for it
	endpoint string
	lifetime time.Duration

	conn *websocket.Conn // nil: the client has got no 101
	wire *wire
}

// accept takes a place for the connection, unless its endpoint has most already, or the host has
// none for it.
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

// end closes the connection, and gives back its place.
func (u *upgrade) end() {
	if u.conn != nil {
		u.conn.CloseNow()
	}
	if u.accepted {
		u.sockets.places.give(u.endpoint, 1)
		u.sockets.open.Done()
	}
}
