// Package http has the part of net/http that syumai/workers and edgelingua's handler use.
//
// It exists because TinyGo's own net/http lives in a git submodule, which is not part of TinyGo's
// Go module, and because the standard library's does not compile with TinyGo.
// toolchain/bootstrap.sh puts it into TINYGOROOT, together with status.go and method.go of the
// installed Go. An official TinyGo release does not need it, and `GOOS=js GOARCH=wasm go vet
// ./worker` checks that the worker uses nothing that the standard library lacks.
package http

import (
	"context"
	"io"
	"net/url"
)

// A Handler answers one request.
type Handler interface {
	ServeHTTP(ResponseWriter, *Request)
}

// HandlerFunc is a function that is a Handler.
type HandlerFunc func(ResponseWriter, *Request)

func (f HandlerFunc) ServeHTTP(w ResponseWriter, r *Request) { f(w, r) }

// A ResponseWriter takes the answer of a Handler.
type ResponseWriter interface {
	Header() Header
	Write([]byte) (int, error)
	WriteHeader(statusCode int)
}

// A Flusher is a ResponseWriter that can send what it has buffered.
type Flusher interface {
	Flush()
}

// Request is a request as a server receives it.
type Request struct {
	Method           string
	URL              *url.URL
	Header           Header
	Body             io.ReadCloser
	ContentLength    int64
	TransferEncoding []string
	Host             string

	ctx context.Context
}

// Context returns the request's context, never nil.
func (r *Request) Context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// WithContext returns a shallow copy of r with ctx as its context.
func (r *Request) WithContext(ctx context.Context) *Request {
	c := *r
	c.ctx = ctx
	return &c
}

// Response is a response as a client receives it.
type Response struct {
	Status        string
	StatusCode    int
	Header        Header
	Body          io.ReadCloser
	ContentLength int64
}

// ServeMux is here because syumai/workers names it, for a nil handler. It answers every request
// with 404.
type ServeMux struct{}

func (*ServeMux) ServeHTTP(w ResponseWriter, _ *Request) { w.WriteHeader(StatusNotFound) }

// DefaultServeMux serves where the handler is nil.
var DefaultServeMux = &ServeMux{}
