package demo

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asked returns a request of each API for a model.
func asked(model, more string) map[string]string {
	return map[string]string{
		"/v1/chat/completions": `{"model":"` + model + `",` + more + chatTools +
			`"messages":[{"role":"user","content":"Weather in Paris?"}]}`,
		"/v1/messages": `{"model":"` + model + `","max_tokens":9,` + more + messagesTools +
			`"messages":[{"role":"user","content":"Weather in Paris?"}]}`,
		"/v1/responses": `{"model":"` + model + `",` + more + responseTools +
			`"input":"Weather in Paris?"}`,
	}
}

func TestErrorsOnRequest(t *testing.T) {
	for model, want := range map[string]int{
		"demo-error-400": 400, "demo-error-401": 401, "demo-error-429": 429, "demo-error-529": 529,
		"demo-error-stream": 500,
		"demo-error-200":    500, "demo-error-x": 500,
	} {
		for path, body := range asked(model, "") {
			w := ask("POST", path, "key", body)
			assert.Equal(t, want, w.Code, "%s of %s", model, path)
			answer := decoded(t, w)
			assert.NotEmpty(t, at(answer, "error", "message"))
			assert.Equal(t, want == 429, w.Header().Get("Retry-After") == "7")
			assert.Equal(t, want == 401, strings.HasSuffix(at(answer, "error", "message").(string), " key"))
		}
	}
	assert.Equal(t, "overloaded_error", at(decoded(t, ask("POST", "/messages", "key", asked("demo-error-529",
		"")["/v1/messages"])), "error", "type"))
	assert.Equal(t, "rate_limit_exceeded", at(decoded(t, ask("POST", "/responses", "key",
		asked("demo-error-429", "")["/v1/responses"])), "error", "code"))
	page := ask("POST", "/responses", "key", asked("demo-error-html", "")["/v1/responses"])
	assert.Equal(t, []any{502, "text/html"}, []any{page.Code, page.Header().Get("Content-Type")})
}

func TestErrorInStream(t *testing.T) {
	for path, body := range asked("demo-error-stream", `"stream":true,`) {
		names, events := parse(t, ask("POST", path, "key", body).Body.String())
		last := events[len(events)-1]
		switch path {
		case "/v1/chat/completions":
			assert.Len(t, events, eventsBeforeFailure+1)
			assert.Equal(t, "server_error", at(last, "error", "type"))
		case "/v1/messages":
			assert.Len(t, events, eventsBeforeFailure+1)
			assert.Equal(t, []any{"error", "api_error"}, []any{names[eventsBeforeFailure], at(last, "error",
				"type")})
		case "/v1/responses":
			assert.Equal(t, []string{"error", "response.failed"}, names[eventsBeforeFailure:])
			assert.Equal(t, []any{"failed", events[0]["response"].(object)["id"],
				float64(eventsBeforeFailure + 1)}, []any{at(last, "response", "status"), at(last, "response",
				"id"), last["sequence_number"]})
		}
	}
}

func TestCut(t *testing.T) {
	server := httptest.NewServer(New("key"))
	defer server.Close()
	for _, more := range []string{"", `"stream":true,`} {
		for path, body := range asked("demo-error-cut", more) {
			r, err := http.NewRequest("POST", server.URL+path, strings.NewReader(body))
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer key")
			response, err := server.Client().Do(r)
			require.NoError(t, err)
			came, err := io.ReadAll(response.Body)
			response.Body.Close()
			assert.Error(t, err)
			assert.NotEmpty(t, came)
		}
	}
}

func TestParallelCalls(t *testing.T) {
	body := asked("demo-parallel", "")["/v1/chat/completions"]
	calls := at(decoded(t, ask("POST", "/v1/chat/completions", "key", body)), "choices", 0, "message",
		"tool_calls").([]any)
	assert.Equal(t, []any{"other", "get_weather"}, []any{at(calls[0], "function", "name"), at(calls[1],
		"function", "name")})
	assert.NotEqual(t, at(calls[0], "id"), at(calls[1], "id"))
	results := ask("POST", "/v1/responses", "key", `{"model":"demo-parallel",`+responseTools+
		`"input":[{"role":"user","content":"Hi"},
		{"type":"function_call","call_id":"a"},{"type":"function_call","call_id":"b"},
		{"type":"function_call_output","call_id":"a","output":"one"},{"type":"function_call_output",
			"call_id":"b","output":"two"}]}`)
	assert.Equal(t, "The tool says: one, two", at(decoded(t, results), "output", 0, "content", 0, "text"))
}

func TestResultOfNoCall(t *testing.T) {
	for path, body := range map[string]string{
		"/messages": `{"model":"m","max_tokens":9,"messages":[{"role":"user",` +
			`"content":[{"type":"tool_result","tool_use_id":"x","content":"a"}]}]}`,
		"/chat/completions": `{"model":"m","messages":[{"role":"tool","tool_call_id":"x","content":"a"}]}`,
		"/responses": `{"model":"m","input":[{"type":"function_call_output","call_id":"x",` +
			`"output":"a"}]}`,
	} {
		w := ask("POST", path, "key", body)
		assert.Equal(t, 400, w.Code)
		assert.Contains(t, at(decoded(t, w), "error", "message"), `the call "x"`)
	}
}
