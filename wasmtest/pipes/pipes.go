// Package pipes connects clients and servers of a test without a network.
package pipes

import (
	"context"
	"net"
	"net/http"
	"testing"
)

// Serve serves a handler over pipes until the test ends. A pipe buffers nothing: what was written
// has been read. Serve also works in a bubble of testing/synctest. It makes transport dial the
// server, whatever the address, and returns the function that dials it.
func Serve(t testing.TB, handler http.Handler, transport *http.Transport) (dial func() net.Conn) {
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler}
	go server.Serve(l)
	dial = func() net.Conn {
		near, far := net.Pipe()
		l.conns <- far
		return near
	}
	transport.DialContext = func(context.Context, string, string) (net.Conn, error) { return dial(), nil }
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return dial
}

// listener accepts the far ends of pipes.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error { close(l.closed); return nil }

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }
