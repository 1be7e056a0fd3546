// Package guard decides who may see what the local host itself serves: clients that the program
// accepts, or requests to a loopback address.
package guard

import (
	"bytes"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Answer is an http.ResponseWriter that buffers the answer.
type Answer struct {
	Head   http.Header
	Status int
	Body   bytes.Buffer
}

func (a *Answer) Header() http.Header         { return a.Head }
func (a *Answer) WriteHeader(status int)      { a.Status = status }
func (a *Answer) Write(p []byte) (int, error) { return a.Body.Write(p) }

// Ask sends program a GET for path with the headers of r, and returns the answer. So the program
// checks the client's key or session, and counts wrong keys.
func Ask(program http.Handler, r *http.Request, path string) *Answer {
	q := r.Clone(r.Context())
	q.Method, q.Body, q.ContentLength, q.RequestURI = http.MethodGet, http.NoBody, 0, path
	q.URL = new(url.URL)
	q.URL.Path, q.URL.RawQuery, _ = strings.Cut(path, "?")
	for _, name := range []string{"Content-Length", "Content-Type", "Content-Encoding", "Upgrade",
		"Connection"} {
		q.Header.Del(name)
	}
	answer := &Answer{Head: http.Header{}}
	program.ServeHTTP(answer, q)
	return answer
}

// Loopback reports whether the host of an address, with or without a port, is localhost or an
// address of the loopback interface. For the Host of a request it keeps out a webpage whose hostname
// resolves to this machine (DNS rebinding).
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
