package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"

	"edgelingua/wasmtest/lobby"
)

const metricsPath = "/metrics"

// metricsConnections is how many may be open at --metrics-addr.
const metricsConnections = 16

// adminMetrics answers GET /metrics to who presents ADMIN_KEY; other paths go to handler.
type adminMetrics struct {
	handler http.Handler
	program http.Handler // the program, which says whether the key is good
	figures http.Handler
}

func (a *adminMetrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != metricsPath {
		a.handler.ServeHTTP(w, r)
		return
	}
	// The program counts wrong keys and refuses further ones, so it alone is asked: by a request that only who has ADMIN_KEY may send.
	asked := r.Clone(r.Context())
	asked.Method, asked.Body, asked.ContentLength = http.MethodGet, http.NoBody, 0
	asked.URL.Path, asked.URL.RawPath, asked.URL.RawQuery = "/admin/api/endpoints", "", "limit=1"
	asked.RequestURI = "/admin/api/endpoints?limit=1"
	asked.Header.Del("Cookie")
	answer := &kept{head: http.Header{}}
	a.program.ServeHTTP(answer, asked)
	if answer.status != http.StatusOK {
		for _, name := range []string{"Content-Type", "Retry-After", "Www-Authenticate"} {
			if value := answer.head.Get(name); value != "" {
				w.Header().Set(name, value)
			}
		}
		w.WriteHeader(answer.status)
		w.Write(answer.body.Bytes())
		return
	}
	get(a.figures, w, r)
}

// kept is an http.ResponseWriter that keeps the answer.
type kept struct {
	head   http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header         { return k.head }
func (k *kept) WriteHeader(status int)      { k.status = status }
func (k *kept) Write(p []byte) (int, error) { return k.body.Write(p) }

// get answers GET and HEAD by a handler.
func get(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "/metrics takes GET and HEAD.", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	handler.ServeHTTP(w, r)
}

// showMetrics serves the figures without a key on an address of this machine, "" for none. Closing what it returns ends that.
func showMetrics(address string, figures http.Handler, logger *log.Logger) (io.Closer, error) {
	if address == "" {
		return io.NopCloser(nil), nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s (%w); choose another address with --metrics-addr, such as 127.0.0.1:0 for a free port", address, err)
	}
	waiting := lobby.New(listener, metricsConnections, logger)
	server := newServer(harmless(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopback(r.Host): // a page of another site, whose name was made to lead here
			http.Error(w, "This is asked by the address of this machine alone.", http.StatusMisdirectedRequest)
		case r.URL.Path != metricsPath:
			http.NotFound(w, r)
		default:
			get(figures, w, r)
		}
	})), logger)
	server.ConnContext, server.ConnState = waiting.Context, waiting.State
	go server.Serve(waiting)
	logger.Print("metrics at http://" + listener.Addr().String() + metricsPath)
	return server, nil
}

// loopback reports whether HOST:PORT, or HOST, is of this machine alone.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
