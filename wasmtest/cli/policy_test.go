package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPolicyBetweenSidesOfOneProtocol sends a Messages request to Anthropic through an endpoint
// whose policy changes the body. The client's query and headers reach Anthropic, except headers
// about an unchanged body.
func TestPolicyBetweenSidesOfOneProtocol(t *testing.T) {
	for options, pass := range map[string]bool{`{"guidance":"Ask."}`: false,
		`{"loop_guard":"report"}`: true} {
		w := newWorker(t, natively, map[string]string{
			"UPSTREAM_PROTOCOL": "anthropic", "UPSTREAM_URL": "https://upstream.example", "OPTIONS": options,
			"MODELS": `{"a model with a long name":"m"}`,
		})
		w.answer = &http.Response{StatusCode: 400, Header: http.Header{},
			Body: io.NopCloser(strings.NewReader("{}"))}
		call := `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}`
		body := `{"model":"m","max_tokens":9, "messages":[{"role":"user","content":"x"}` +
			strings.Repeat(","+call, 3) + `]}`
		asked := strings.Replace(body, `"m"`, `"a model with a long name"`, 1)
		r, err := http.NewRequest("POST", w.server.URL+"/v1/messages?beta=true", strings.NewReader(asked))
		require.NoError(t, err)
		for name, value := range map[string]string{
			"X-Api-Key": "client-key", "Anthropic-Beta": "one,two", "User-Agent": "client/1",
			"Content-Encoding": "identity", "X-Other": "x",
		} {
			r.Header.Set(name, value)
		}
		response, err := w.server.Client().Do(r)
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, 400, response.StatusCode)

		require.Equal(t, "https://upstream.example/v1/messages?beta=true", w.asked.URL.String())
		require.Equal(t, []string{"one,two"}, w.asked.Header["Anthropic-Beta"])
		require.Equal(t, []string{"client/1"}, w.asked.Header["User-Agent"])
		require.Equal(t, []string{"2023-06-01"}, w.asked.Header["Anthropic-Version"])
		require.Equal(t, []string{"key-of-the-upstream"}, w.asked.Header["X-Api-Key"])
		require.Empty(t, w.asked.Header["X-Other"])
		require.Empty(t, w.asked.Header["Content-Encoding"], "the host has read the body")
		require.Equal(t, pass, string(w.body) == body)
		require.Equal(t, !pass, strings.Contains(string(w.body), "Ask."))
		require.Equal(t, pass, response.Header.Get("X-Edgelingua-Loop") == "f",
			"also with an upstream's error")
		w.close(t)
	}
}
