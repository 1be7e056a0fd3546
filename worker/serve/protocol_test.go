package serve_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

type (
	object = map[string]any
	list   = []any
)

// clientProtocols are the protocols of clients and upstreams with the whole request in the body.
var clientProtocols = []string{"anthropic", "chat", "responses"}

// paths are the paths for the requests of clients, by protocol.
var paths = map[string]string{"anthropic": "/v1/messages", "chat": "/v1/chat/completions",
	"responses": "/v1/responses"}

// upstreamKey is an upstream's key. It must not reach a client.
const upstreamKey = "upstream-key-of-the-tests"

// deployTo returns a deployment with an upstream of a protocol.
func deployTo(t *testing.T, protocol string, env map[string]string) *deployment {
	t.Helper()
	settings := map[string]string{"UPSTREAM_PROTOCOL": protocol, "UPSTREAM_KEY": upstreamKey}
	if protocol == "anthropic" || protocol == "gemini" || protocol == "interactions" {
		settings["UPSTREAM_URL"] = "https://up.test"
	}
	maps.Copy(settings, env)
	return deploy(t, settings)
}

// with returns a JSON object. Members of more replace the body's members.
func with(body, more string) string {
	var o object
	for _, text := range []string{body, more} {
		if text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			panic(err)
		}
	}
	return encoded(o)
}

// encoded returns a value as JSON.
func encoded(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// decoded returns a JSON object.
func decoded(t *testing.T, body string) (o object) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(body), &o), body)
	return o
}

// each answers requests in sequence. A request too many fails the test.
func (d *deployment) each(ups ...upstream) upstream {
	return func(r *sent) *reply {
		d.mu.Lock()
		if len(ups) == 0 {
			d.mu.Unlock()
			d.t.Errorf("one request too many: %s", r.body)
			return &reply{status: 500, chunks: []string{"{}"}}
		}
		next := ups[0]
		ups = ups[1:]
		d.mu.Unlock()
		return next(r)
	}
}

// plays returns a strict double of a protocol's vendor. It answers with these turns in sequence,
// and may refuse no request.
func (d *deployment) plays(protocol string, turns ...*vendors.Turn) upstream {
	queue := vendors.Queue(turns)
	v := vendors.New(protocol, vendors.Options{}, queue.Next)
	d.t.Cleanup(func() { require.Empty(d.t, v.Refused()) })
	return vendor(v)
}

// vendor returns a strict double of a vendor's API as an upstream.
func vendor(v *vendors.Vendor) upstream {
	return func(r *sent) *reply {
		return replyOf(v.Answer(&vendors.Request{Path: r.URL.RequestURI(), Header: r.Header,
			Body: []byte(r.body)}))
	}
}

// replyOf returns the answer of a vendor's double.
func replyOf(a *vendors.Answer) *reply {
	out := &reply{status: a.Status, header: map[string]string{"Content-Type": a.Type}, chunks: []string{}}
	for _, piece := range a.Pieces {
		out.chunks = append(out.chunks, string(piece))
	}
	return out
}

// lenient is an upstream that answers any request with a turn.
func lenient(protocol string, turn *vendors.Turn) upstream {
	v := vendors.New(protocol, vendors.Options{}, nil)
	return func(r *sent) *reply {
		a, err := v.Play(&vendors.Request{Path: r.URL.RequestURI(), Header: r.Header, Body: []byte(r.body)},
			turn)
		if err != nil {
			a = v.Refusal(err)
		}
		return replyOf(a)
	}
}

// sdk returns a conversation through the official SDK of a client's protocol.
func (d *deployment) sdk(protocol string) *clients.SDK {
	return clients.NewSDK(protocol, clients.Server{Key: clientKey, Transport: dialed{d}})
}

// dialed sends requests to a deployment.
type dialed struct{ *deployment }

// RoundTrip sends a request to the deployment.
func (c dialed) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.RequestURI, in.RemoteAddr, in.Host = r.URL.RequestURI(), "192.0.2.1:1234", "edge.test"
	return c.serve(in).Result(), nil
}

// restart forgets the requests to upstreams.
func (d *deployment) restart() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = nil
}

// requests returns the requests to upstreams, in order.
func (d *deployment) requests() []sent {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]sent{}, d.asked...)
}

// failure checks an error in the dialect of a client's protocol, and returns the error's object.
func failure(t *testing.T, client string, a *answer, status int) object {
	t.Helper()
	require.Equal(t, status, a.Code, a.text())
	require.Regexp(t, `^application/json\b`, a.Header().Get("Content-Type"))
	answers.CheckErrorBody(t, client, a.Body.Bytes())
	return decoded(t, a.text())["error"].(object)
}

// events returns the events of a complete stream.
func (a *answer) events(t *testing.T) []answers.Frame {
	t.Helper()
	require.Regexp(t, `^text/event-stream\b`, a.Header().Get("Content-Type"), a.text())
	return answers.Frames(t, a.Body.Bytes())
}
