package main

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

// newServer returns the server of a handler. A body has its own time (wasmtest/host), and so has a client that takes nothing; a
// stream as a whole has no bound.
func newServer(handler http.Handler, logger *log.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ErrorLog:          logger,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
}

// serveUntil serves until the first signal, and then as long as open requests need: up to grace, or a second signal. Until then
// it still listens, so that whoever comes gets a refusal and no reset.
func serveUntil(signals <-chan os.Signal, server *http.Server, g *gate, listener net.Listener, grace time.Duration, logger *log.Logger) error {
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-signals:
	}
	empty := g.shut()
	logger.Printf("shutting down: open requests may take %v to finish; a second signal ends them", grace)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	select {
	case <-empty:
	case <-signals:
		return server.Close()
	case <-ctx.Done():
		return server.Close()
	}
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	// The last answer is on its way out, and so may be refusals.
	if err := server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return server.Close()
	}
	return nil
}
