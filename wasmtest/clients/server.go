// Package clients has strict doubles of clients: of Claude Code, of Codex, and of the official SDKs
// of the four APIs. A double sends the same requests as its client, runs the tools that the model
// calls, and sends the whole conversation back in the next turn. No mistake in an answer is
// accepted: where a client would ignore a mistake or end its session, the double returns an error.
package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

type (
	object = map[string]any
	list   = []any
)

// Server is the target of a client's requests.
type Server struct {
	// the base URL, without a path or a trailing slash; "": a placeholder host for Transport
	URL       string
	Key       string            // the client's key
	Transport http.RoundTripper // nil: http.DefaultTransport
}

// reply is a response with its whole body.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// post sends a body as JSON and reads the whole response.
func (s *Server) post(path string, header object, body any) (*reply, error) {
	base, transport := s.URL, s.Transport
	if base == "" {
		base = "http://edgelingua.example"
	}
	if transport == nil {
		transport = http.DefaultTransport
	}
	r, err := http.NewRequest(http.MethodPost, base+path, bytes.NewReader(encode(body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value.(string))
	}
	response, err := transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	whole, err := io.ReadAll(response.Body)
	return &reply{response.StatusCode, response.Header, whole}, err
}

// isA ends the turn unless the answer has the given content type.
func (r *reply) isA(contentType string) {
	if got, _, _ := strings.Cut(r.header.Get("Content-Type"), ";"); got != contentType {
		strict{}.Errorf("the answer is %s, not %s: %s", got, contentType, r.body)
	}
}

// strict is the answers.T of a client: the first mistake in an answer ends the turn.
type strict struct{}

// mistake describes the first mistake in an answer.
type mistake struct{ text string }

func (m *mistake) Error() string { return m.text }

// Errorf implements answers.T.
func (strict) Errorf(format string, args ...any) { panic(&mistake{fmt.Sprintf(format, args...)}) }

// FailNow implements answers.T.
func (strict) FailNow() { panic(&mistake{"the answer is wrong"}) }

// attempt runs a turn of a client and returns the error that ended the turn. Runtime errors and
// other panics pass through.
func attempt(run func()) (err error) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case error:
			if _, isRuntime := reason.(interface{ RuntimeError() }); isRuntime {
				panic(reason)
			}
			err = reason
		default:
			panic(reason)
		}
	}()
	run()
	return nil
}

// must returns a value, or ends the turn with an error.
func must[V any](value V, err error) V {
	if err != nil {
		panic(err)
	}
	return value
}

// encode returns a value as JSON without escaping the characters < > &.
func encode(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// copied returns a new object with the members of all given objects. Values of later objects
// override earlier values. Members with the value nil are copied too, and become null in JSON.
func copied(of object, more ...object) object {
	out := object{}
	for _, o := range append([]object{of}, more...) {
		for name, value := range o {
			out[name] = value
		}
	}
	return out
}

// text returns the string at a key, or "" if there is none.
func text(o object, key string) string {
	s, _ := o[key].(string)
	return s
}

// objects returns the objects in a list, or nil if there are none.
func objects(value any) (all []object) {
	elements, _ := value.(list)
	for _, element := range elements {
		if o, ok := element.(object); ok {
			all = append(all, o)
		}
	}
	return all
}
