package host

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

// deltas has an answer of each upstream: the beginning, a delta that may be repeated any number of
// times, and the end.
var deltas = map[string][3]string{
	"anthropic": {
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f",` +
			`"input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta",` +
			`"partial_json":"[[[\"a\\n\\\"b"}}`,
		`{"type":"message_stop"}`,
	},
	"chat": {
		`{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","type":"function",` +
			`"function":{"name":"f","arguments":""}}]}}]}`,
		`{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,` +
			`"function":{"arguments":"[[[\"a\\n\\\"b"}}]}}]}`,
		`{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
	},
	"responses": {
		`{"type":"response.output_item.added","output_index":0,"item":{"id":"c","type":"function_call",` +
			`"call_id":"c","name":"f","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","item_id":"c","output_index":0,` +
			`"delta":"[[[\"a\\n\\\"b"}`,
		`{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}`,
	},
}

// asked has the path and body of a streamed request of each client.
var asked = map[string][2]string{
	"anthropic": {"/v1/messages",
		`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}],` +
			`"tools":[{"name":"f","input_schema":{"type":"object"}}]}`},
	"chat": {"/v1/chat/completions",
		`{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}],` +
			`"tools":[{"type":"function","function":{"name":"f"}}]}`},
	"responses": {"/v1/responses",
		`{"model":"m","stream":true,"input":"x","tools":[{"type":"function","name":"f","parameters":{}}]}`},
}

// endless is a response body with an event in each read. It records the size of the program's
// memory early and late.
type endless struct {
	events       [3]string
	n            int
	size         func() uint32
	early, later uint32
}

const lastDelta = 40_000

func (e *endless) Read(p []byte) (int, error) {
	event := e.events[1]
	switch e.n {
	case 0:
		event = e.events[0]
	case 1000:
		e.early = e.size()
	case lastDelta:
		e.later = e.size()
		event = e.events[2]
	case lastDelta + 1:
		return 0, io.EOF
	}
	e.n++
	return copy(p, "data: "+event+"\n\n"), nil
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// TestDeltaAllocatesNothing checks that the program's memory does not grow with a stream. The
// program frees nothing, so an allocation of at least 16 bytes per delta would need 640 KB more.
// For a Responses client the whole answer is collected, which may need the space several times
// while it grows.
func TestDeltaAllocatesNothing(t *testing.T) {
	wasm := builttest.Module(t)
	for upstream, events := range deltas {
		for client, request := range asked {
			if client == upstream { // bytes pass without the program
				continue
			}
			t.Run(client+" to "+upstream, func(t *testing.T) {
				h, err := New(context.Background(), wasm, Config{CacheDir: "", Env: map[string]string{
					"UPSTREAM_PROTOCOL": upstream, "UPSTREAM_URL": "https://upstream.example",
					"CLIENT_KEY": "key", "BATCH": "0",
				}})
				require.NoError(t, err)
				defer h.Close(context.Background())
				var x *hostRequest
				body := &endless{events: events,
					size: func() uint32 { return x.program.(*module).module.Memory().Size() }}
				r := httptest.NewRequest("POST", request[0], strings.NewReader(request[1]))
				r.Header.Set("X-Api-Key", "key")
				w := httptest.NewRecorder()
				x = newExchange(w, r, transport(func(*http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: 200,
						Header: http.Header{"Content-Type": {"text/event-stream"}},
						Body:   io.NopCloser(body)}, nil
				}), h.config.Env)
				h.serve(x)
				require.Equal(t, 200, w.Code)
				require.Greater(t, strings.Count(w.Body.String(), "[[["), lastDelta-10)
				room := body.early
				if client == "responses" {
					const text = len(`[[[\"a\\n\\\"b`)
					// a full memory doubles
					for room < body.early+uint32(5*lastDelta*text) {
						room *= 2
					}
				}
				require.LessOrEqual(t, body.later, room)
			})
		}
	}
}
