package cli

import (
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/metrics"
)

// got returns the body of an answer to a GET.
func got(t *testing.T, url, key string) (status int, body string) {
	t.Helper()
	answer, body := request(t, http.MethodGet, url, key, "")
	return answer.StatusCode, body
}

// TestMetrics reads the metrics while a stream is open, and after the stream.
func TestMetrics(t *testing.T) {
	const admin = "operators-own-key"
	came, release := make(chan struct{}), make(chan struct{})
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer upstream.Close()
	go http.Serve(upstream, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		chunk := `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,` +
			`"delta":{"role":"assistant","content":"a"},"finish_reason":null}]}` + "\n\n"
		io.WriteString(w, chunk)
		http.NewResponseController(w).Flush()
		close(came)
		<-release
		io.WriteString(w, strings.Replace(chunk, `"finish_reason":null}]`,
			`"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}`,
			1)+"data: [DONE]\n\n")
	}))
	s := startServer(t, "--demo", "--secret", "ADMIN_KEY="+admin, "--var",
		"UPSTREAM_URL=http://"+upstream.Addr().String(), "--metrics-addr", "127.0.0.1:0")
	var alone string
	for line := range s.lines {
		if url, found := strings.CutPrefix(line, "metrics at "); found {
			alone = url
			break
		}
	}
	status, body := got(t, s.url+metrics.Path, "wrong")
	assert.Equal(t, 401, status, body)
	assert.NotContains(t, body, "edgelingua_")

	r, err := http.NewRequest("POST", s.url+"/v1/messages", strings.NewReader(toolCall))
	require.NoError(t, err)
	r.Header.Set("X-Api-Key", "demo")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	<-came
	_, body = got(t, s.url+metrics.Path, admin)
	for _, line := range []string{"edgelingua_open_streams 1", `edgelingua_open_requests{endpoint=""} 1`,
		"edgelingua_instances 1"} {
		assert.Contains(t, body, "\n"+line+"\n")
	}
	assert.NotContains(t, body, "edgelingua_instances_memory_bytes 0")
	close(release)
	_, err = io.ReadAll(answer.Body)
	require.NoError(t, err)
	answer.Body.Close()
	post(t, s.url+"/u/made-up/v1/messages", "private", toolCall)

	for _, url := range []string{s.url + metrics.Path, alone} {
		status, body = got(t, url, admin)
		assert.Equal(t, 200, status, body)
		for _, line := range []string{
			`edgelingua_requests_total{endpoint="",outcome="ok",upstream=""} 1`,
			`edgelingua_requests_total{endpoint="",outcome="authentication",upstream=""} 1`,
			`edgelingua_tokens_total{endpoint="",kind="input",upstream=""} 11`,
			`edgelingua_tokens_total{endpoint="",kind="output",upstream=""} 7`,
			`edgelingua_first_byte_seconds_count{endpoint="",upstream=""} 2`, "edgelingua_open_streams 0",
			`edgelingua_open_requests{endpoint=""} 0`,
			"edgelingua_instances 0", "edgelingua_instances_memory_bytes 0",
		} {
			assert.Contains(t, body, "\n"+line+"\n")
		}
		for _, secret := range []string{admin, "demo", "made-up", "private"} {
			assert.NotContains(t, body, secret)
		}
	}
	s.signals <- os.Interrupt
	assert.Equal(t, 0, <-s.code)
	log := ""
	for line := range s.lines {
		log += line
	}
	assert.NotContains(t, s.stdout.String(), metrics.Path, "it has no line in the log")
	assert.NotContains(t, log, admin)
}
