// Package lobby bounds the connections of an HTTP server without an admitted request: connections
// whose request headers have not arrived, whose body is held back although the server no longer
// reads it, that are idle, or that were refused. If there are too many, the one that has waited
// longest is closed. A peer that opens connections only to keep them therefore loses them, and a
// client that sends its request at once is served.
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

// Lobby is a net.Listener. Its connections wait in the lobby from Accept on, except while a request
// is admitted.
type Lobby struct {
	net.Listener
	room int
	log  *log.Logger

	mu      sync.Mutex
	waiting list.List // of *guest; the first has waited longest
	closed  int       // guests closed to make room since the last line in the log
	said    time.Time // time of the last line in the log
}

// New returns a lobby for up to room waiting connections of listener. logger gets a line, at most
// once a minute, if connections were closed to make room.
func New(listener net.Listener, room int, logger *log.Logger) *Lobby {
	return &Lobby{Listener: listener, room: room, log: logger}
}

// guest is one connection.
type guest struct {
	net.Conn
	lobby *Lobby
	// position in lobby.waiting, guarded by its lock; nil while a request is admitted or if the
	// connection is closed
	place *list.Element
	// admitted requests. A background response outlives its request, so the connection's next request may
	// be admitted meanwhile
	admitted int
	gone     bool // the connection is closed, or being closed
	left     bool // the server no longer serves the connection
}

// Accept returns the next connection. If this process or the machine has run out of file
// descriptors, the connection that has waited longest is closed to free a descriptor.
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

// wait puts g at the end of the waiting connections.
func (l *Lobby) wait(g *guest) {
	l.mu.Lock()
	if !g.gone && !g.left && g.admitted == 0 {
		g.place = l.waiting.PushBack(g)
	}
	l.mu.Unlock()
	l.shrink(l.room)
}

// shrink closes the connection that has waited longest if more than room are waiting, and reports
// whether a connection was closed.
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

// part removes g from the lobby. The caller holds the lock.
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

// CloseWrite lets net/http end an answer before closing the connection, as net/http does for a
// *net.TCPConn.
func (g *guest) CloseWrite() error {
	if c, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return errors.ErrUnsupported
}

// connection is the context key of a request's *guest.
type connection struct{}

// Context is for http.Server.ConnContext. The returned context tells Admit and Return the
// connection of a request.
func (l *Lobby) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connection{}, conn)
}

// State is for http.Server.ConnState: a connection hijacked by a handler, for example for a
// WebSocket, no longer waits.
func (l *Lobby) State(conn net.Conn, state http.ConnState) {
	if g, ok := conn.(*guest); ok && state == http.StateHijacked {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.part(g)
		g.left = true
	}
}

// Admit removes the connection of a request from the lobby, and reports whether the connection is
// still open.
func Admit(ctx context.Context) bool {
	g, ok := ctx.Value(connection{}).(*guest)
	if !ok {
		return true
	}
	g.lobby.mu.Lock()
	defer g.lobby.mu.Unlock()
	g.lobby.part(g)
	if g.gone {
		return false
	}
	g.admitted++
	return true
}

// Return puts the connection of an admitted and finished request back into the lobby.
func Return(ctx context.Context) {
	if g, ok := ctx.Value(connection{}).(*guest); ok {
		g.lobby.mu.Lock()
		g.admitted--
		g.lobby.mu.Unlock()
		g.lobby.wait(g)
	}
}
