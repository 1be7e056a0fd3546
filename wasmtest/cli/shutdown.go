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

// newServer returns a server for handler with a limit for every wait: for headers, for a body
// (host.Patient), for the next request, and for a client that does not read its answer (package
// host checks that at each piece of a stream, since a stream has no time limit).
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

// serveUntil serves until the first signal. Then open requests, including those on WebSockets of
// module and background responses, may continue for up to grace, or until a second signal; idle
// WebSockets end. Meanwhile the server still listens, so new requests get a refusal instead of a reset
// connection. At the end last gets a context with the rest of grace.
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
		module.CloseSockets() // the server no longer tracks them
		closeTasks(module)
		return server.Close()
	}
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	// The last answer and refusals may still be on their way to clients.
	if err := server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) || errors.Is(err,
		context.Canceled) {
		return server.Close()
	}
	return nil
}

// partingTime is how long listeners have to get the end of a background response that is cut off.
const partingTime = 5 * time.Second

// closeTasks ends the background responses of module, and tells their listeners.
func closeTasks(module *host.Host) {
	ctx, cancel := context.WithTimeout(context.Background(), partingTime)
	defer cancel()
	module.CloseTasks(ctx)
}
