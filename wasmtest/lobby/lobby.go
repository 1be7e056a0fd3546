// Package lobby bounds the connections of an HTTP server that have no request in the server's care:
// those whose head has not come yet, that hold back a body which nobody wants, that are idle, or
// that were refused. Where there are too many, the one that has waited longest is closed. So
// whoever opens connections only to keep them loses them, and a client that sends its request at
// once gets in.
package lobby

import (
	"container/list"
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// Lobby is a net.Listener whose connections wait in it: from the beginning on, while no request of
// theirs is admitted.
type Lobby struct {
	net.Listener
	room int
	log  *log.Logger

	mu      sync.Mutex
	waiting list.List // of *guest; the first has waited longest
	closed  int       // guests that were closed to make room, since the log last said so
	said    time.Time // when that was
}

// New returns a lobby in which up to room connections of listener wait. logger gets a line, at most
// once a minute, when some are closed to make room.
func New(listener net.Listener, room int, logger *log.Logger) *Lobby {
	return &Lobby{Listener: listener, room: room, log: logger}
}

// guest is one connection.
type guest struct {
	net.Conn
	lobby *Lobby
	// in lobby.waiting, under its lock; nil: a request is admitted, or the connection is closed
	place *list.Element
	gone  bool // the connection is closed, or being closed
	left  bool // the server does not serve the connection any more
}

// Accept returns the next connection. Where this process or the machine has no descriptor left for
// it, the connection that has waited longest is closed, and its descriptor used.
func (l *Lobby) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err == nil {
			g := &guest{Conn: conn, lobby: l}
			l.wait(g)
			return g, nil
		}
		if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) || !l.shrink(0) {
			return nil, err
		}
	}
}

// wait takes g in, as the one that has waited for the shortest time.
func (l *Lobby) wait(g *guest) {
	l.mu.Lock()
	if !g.gone && !g.left {
		g.place = l.waiting.PushBack(g)
	}
	l.mu.Unlock()
	l.shrink(l.room)
}

// shrink closes the connection that has waited longest if more than room wait, and reports whether
// it did.
func (l *Lobby) shrink(room int) bool {
	l.mu.Lock()
	if l.waiting.Len() <= room {
		l.mu.Unlock()
		return false
	}
	oldest := l.waiting.Front().Value.(*guest)
	l.part(oldest)
	oldest.gone = true
	l.closed++
	if now := time.Now(); now.Sub(l.said) > time.Minute {
		l.log.Printf("too many connections wait without a request: %d closed to make room for new ones",
			l.closed)
		l.closed, l.said = 0, now
	}
	l.mu.Unlock()
	oldest.Conn.Close()
	return true
}

// part takes g out of the lobby. The caller holds the lock.
func (l *Lobby) part(g *guest) {
	if g.place != nil {
		l.waiting.Remove(g.place)
		g.place = nil
	}
}

// Close closes the connection.
func (g *guest) Close() error {
	g.lobby.mu.Lock()
	g.lobby.part(g)
	g.gone = true
	g.lobby.mu.Unlock()
	return g.Conn.Close()
}

// CloseWrite lets net/http end an answer before it closes the connection, as it does where it knows
// a *net.TCPConn.
func (g *guest) CloseWrite() error {
	if c, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return errors.ErrUnsupported
}

// connection is the key under which the context of a request has its *guest.
type connection struct{}

// Context is for http.Server.ConnContext: by the context that it returns, Admit and Return know a
// request's connection.
func (l *Lobby) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connection{}, conn)
}

// State is for http.Server.ConnState: a connection that a handler has taken over, as for a
// WebSocket, does not wait any more.
func (l *Lobby) State(conn net.Conn, state http.ConnState) {
	if g, ok := conn.(*guest); ok && state == http.StateHijacked {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.part(g)
		g.left = true
	}
}

// Admit takes the connection of a request out of the lobby, and reports whether it is still open.
func Admit(ctx context.Context) bool {
	g, ok := ctx.Value(connection{}).(*guest)
	if !ok {
		return true
	}
	g.lobby.mu.Lock()
	defer g.lobby.mu.Unlock()
	g.lobby.part(g)
	return !g.gone
}

// Return takes the connection of an admitted request, which is over, back into the lobby.
func Return(ctx context.Context) {
	if g, ok := ctx.Value(connection{}).(*guest); ok {
		g.lobby.wait(g)
	}
}
