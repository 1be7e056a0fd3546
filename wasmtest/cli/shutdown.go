package cli

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"edgelingua/wasmtest/host"
)

// newServer returns a server for handler that waits for no client without an end: not for a head,
// not for a body (host.Patient), not for the next request, and not for a client that takes nothing
// of its answer, which package host sees at each piece of a stream: a stream may take any time.
func newServer(handler http.Handler, logger *log.Logger) *http.Server {
	return &http.Server{
		Handler:                      host.Patient(handler),
		DisableGeneralOptionsHandler: true, // net/http's answer to OPTIONS * waits for a body first
		ErrorLog:                     logger,
		ReadHeaderTimeout:            10 * time.Second,
		WriteTimeout:                 2 * time.Minute,
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               128 << 10,
	}
}

// serveUntil serves until the first signal. Then open requests may go on for up to grace, or until
// a second signal, those on WebSockets of module too; a WebSocket without one ends. Meanwhile the
// server still listens, so that new requests get a refusal instead of a reset connection. Once they
// are over, last is called with the time that is left of grace.
func serveUntil(signals <-chan os.Signal, server *http.Server, g *gate, module *host.Host,
	listener net.Listener, grace time.Duration,
	last func(context.Context), logger *log.Logger) error {
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-signals:
	}
	empty, gone := g.shut(), module.ShutSockets()
	logger.Printf("shutting down: open requests may take %v to finish; a second signal ends them", grace)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	defer last(ctx)
	for _, over := range []<-chan struct{}{empty, gone} {
		select {
		case <-over:
			continue
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
		module.CloseSockets() // the server does not know them any more
		return server.Close()
	}
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	// The last answer may still be on its way to the client, and so may refusals.
	if err := server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) || errors.Is(err,
		context.Canceled) {
		return server.Close()
	}
	return nil
}
