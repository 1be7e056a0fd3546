// Package http has the part of net/http that syumai/workers and edgelingua's handler use.
//
// TinyGo's own net/http lives in a git submodule and is not part of TinyGo's Go module, and the
// standard library's net/http does not compile with TinyGo. toolchain/bootstrap.sh puts this
// package into TINYGOROOT, together with status.go and method.go of the installed Go. An official
// TinyGo release does not need the package. `GOOS=js GOARCH=wasm go vet ./worker` checks the worker
// against the standard library, so the worker can't depend on an identifier of this package only.
package http

import (
	"context"
	"io"
	"net/url"
)

// Handler answers a request.
type Handler interface {
	ServeHTTP(ResponseWriter, *Request)
}

// HandlerFunc makes a Handler of a function.
type HandlerFunc func(ResponseWriter, *Request)

func (f HandlerFunc) ServeHTTP(w ResponseWriter, r *Request) { f(w, r) }

// A ResponseWriter takes the answer of a Handler.
type ResponseWriter interface {
	Header() Header
	Write([]byte) (int, error)
	WriteHeader(statusCode int)
}

// Flusher is a ResponseWriter with a buffer, and sends the buffered bytes.
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

// ServeMux answers every request with 404. syumai/workers names the type, for a nil handler.
type ServeMux struct{}

func (*ServeMux) ServeHTTP(w ResponseWriter, _ *Request) { w.WriteHeader(StatusNotFound) }

// DefaultServeMux replaces a nil handler.
var DefaultServeMux = &ServeMux{}
