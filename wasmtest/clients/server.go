// Package clients has strict doubles of clients: of Claude Code, of Codex, and of the official SDKs
// of the four APIs. They ask what those ask, run the calls that they get, and give everything back
// in the next turn. They forgive nothing in an answer: where a client passes over a mistake, or
// ends its session, its double returns an error.
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

// Server is where a client sends its requests.
type Server struct {
	// without a path, and without a slash at its end; "": a host that only Transport knows
	URL       string
	Key       string            // the client's key
	Transport http.RoundTripper // nil: the network
}

// reply is a whole response.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// post sends a body and reads the whole response.
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

// isA demands the content type of an answer.
func (r *reply) isA(contentType string) {
	if got, _, _ := strings.Cut(r.header.Get("Content-Type"), ";"); got != contentType {
		strict{}.Errorf("the answer is %s, not %s: %s", got, contentType, r.body)
	}
}

// strict is the answers.T of a client: the first mistake in an answer ends its turn.
type strict struct{}

// mistake is what is wrong with an answer.
type mistake struct{ text string }

func (m *mistake) Error() string { return m.text }

// Errorf implements answers.T.
func (strict) Errorf(format string, args ...any) { panic(&mistake{fmt.Sprintf(format, args...)}) }

// FailNow implements answers.T.
func (strict) FailNow() { panic(&mistake{"the answer is wrong"}) }

// attempt runs a turn of a client, and returns the error that has ended it.
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

// must returns a value, or ends the turn.
func must[V any](value V, err error) V {
	if err != nil {
		panic(err)
	}
	return value
}

// encode returns a value as JSON, whose characters < > & are not escaped.
func encode(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// copied returns an object with more members, or other values of its own. Members with the value
// nil of more are left out.
func copied(of object, more ...object) object {
	out := object{}
	for _, o := range append([]object{of}, more...) {
		for name, value := range o {
			out[name] = value
		}
	}
	return out
}

// text returns the string that is the member key, "" for none.
func text(o object, key string) string {
	s, _ := o[key].(string)
	return s
}

// objects returns the objects in a list, nil for none.
func objects(value any) (all []object) {
	elements, _ := value.(list)
	for _, element := range elements {
		if o, ok := element.(object); ok {
			all = append(all, o)
		}
	}
	return all
}
