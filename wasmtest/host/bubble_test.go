package host

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
	"edgelingua/wasmtest/host/outbound"
	"edgelingua/wasmtest/pipes"
)

// inBubble runs a whole host of the deployed module with its usual settings, its clients and its
// upstream in a testing/synctest bubble: when all of them wait, the clock jumps to the next timer.
// The connections are pipes without buffers: written bytes have been read.
func inBubble(t *testing.T, protocol string, upstream http.HandlerFunc, run func(t *testing.T,
	client *http.Client, dial func() net.Conn)) {
	t.Helper()
	inBubbleWith(t, map[string]string{"UPSTREAM_PROTOCOL": protocol}, upstream, run)
}

// inBubbleWith is inBubble with more settings.
func inBubbleWith(t *testing.T, env map[string]string, upstream http.HandlerFunc, run func(t *testing.T,
	client *http.Client, dial func() net.Conn)) {
	t.Helper()
	wasm := builttest.Module(t)
	settings := map[string]string{"UPSTREAM_URL": "http://upstream.test/v1", "UPSTREAM_KEY": "key",
		"CLIENT_KEY": "key"}
	maps.Copy(settings, env)
	h, err := New(context.Background(), wasm, Config{Env: settings})
	require.NoError(t, err)
	defer h.Close(context.Background())
	synctest.Test(t, func(t *testing.T) {
		_, toUpstream := listen(t, upstream)
		h.config.Transport = plainly{toUpstream}
		dial, toHost := listen(t, h.ServeHTTP)
		run(t, &http.Client{Transport: toHost}, dial)
	})
}

// plainly sends requests to https by http: the pipes are no place for TLS.
type plainly struct{ *http.Transport }

func (p plainly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "https" {
		r = r.Clone(r.Context())
		r.URL.Scheme = "http"
	}
	return p.Transport.RoundTrip(r)
}

// listen serves a handler over pipes until the test ends.
func listen(t *testing.T, handler http.HandlerFunc) (dial func() net.Conn, transport *http.Transport) {
	transport = outbound.Transport(&net.Dialer{})
	return pipes.Serve(t, handler, transport), transport
}

// paths are the paths to which the clients of each protocol send requests.
var paths = map[string]string{"anthropic": "/v1/messages", "chat": "/v1/chat/completions",
	"responses": "/v1/responses"}

// beginnings are the bodies of requests with a tool, up to the user's words.
var beginnings = map[string]string{
	"anthropic": `{"model":"demo","max_tokens":99,"tools":[{"name":"get_weather",` +
		`"input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}],` +
		`"messages":[{"role":"user","content":"`,
	"chat": `{"model":"demo","tools":[{"type":"function","function":{"name":"get_weather",` +
		`"parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}],` +
		`"messages":[{"role":"user","content":"`,
	"responses": `{"model":"demo","tools":[{"type":"function","name":"get_weather","strict":false,` +
		`"parameters":{"type":"object","properties":{"city":{"type":"string"}}}}],"input":[{"role":"user",` +
		`"content":"`,
}

// newAsk returns a client's request with the user's words.
func newAsk(t *testing.T, client string, stream bool, words string) *http.Request {
	t.Helper()
	streams := `"}],"stream":false}`
	if stream {
		streams = `"}],"stream":true}`
	}
	r, err := http.NewRequest("POST", "http://host.test"+paths[client],
		strings.NewReader(beginnings[client]+words+streams))
	require.NoError(t, err)
	r.Header.Set("X-Api-Key", "key")
	return r
}

// endings are the last bytes of a whole stream, by the client's protocol.
var endings = map[string]string{
	"anthropic": "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
	"chat":      "data: [DONE]\n\n",
	"responses": `"status":"completed"`,
}

// beats are the first lines of keep-alives, by the client's protocol.
var beats = map[string]string{"anthropic": "event: ping\n", "chat": ": keep-alive\n",
	"responses": ": keep-alive\n"}

// requireWhole checks that a stream calls the tool and has its end.
func requireWhole(t *testing.T, client, text string) {
	t.Helper()
	require.Contains(t, text, "get_weather")
	i := strings.LastIndex(text, endings[client])
	require.Positive(t, i, text)
	require.NotContains(t, text, `"error":{`)
}

func readAll(t *testing.T, body io.Reader) string {
	t.Helper()
	whole, err := io.ReadAll(body)
	require.NoError(t, err)
	return string(whole)
}
