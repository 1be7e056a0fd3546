package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestShutdownWithBackground sends a signal while a background response runs, and in one case a second
// signal, which makes the response fail.
func TestShutdownWithBackground(t *testing.T) {
	const chunk = `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,` +
		`"delta":{"role":"assistant","content":"late"},"finish_reason":`
	for _, second := range []bool{false, true} {
		release := make(chan struct{})
		upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, chunk+"null}]}\n\n")
			http.NewResponseController(w).Flush()
			select {
			case <-release:
				io.WriteString(w, chunk+`"stop"}]}`+"\n\ndata: [DONE]\n\n")
			case <-r.Context().Done():
			}
		}))
		s := startServer(t, "--demo", "--var", "UPSTREAM_URL="+upstream.URL, "--var", `OPTIONS={"store":"on"}`)
		r, err := http.NewRequest("POST", s.url+"/v1/responses",
			strings.NewReader(`{"model":"m","input":"Hi","background":true,"stream":true}`))
		require.NoError(t, err)
		r.Header.Set("X-Api-Key", "demo")
		stream, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.Equal(t, 200, stream.StatusCode)
		s.signals <- os.Interrupt
		for !strings.HasPrefix(<-s.lines, "shutting down") {
		}
		last := "response.completed"
		if second {
			last = "response.failed"
			s.signals <- os.Interrupt
		} else {
			close(release)
		}
		text, err := io.ReadAll(stream.Body)
		assert.NoError(t, err)
		stream.Body.Close()
		assert.Contains(t, string(text), "event: "+last+"\n")
		assert.Equal(t, second, strings.Contains(string(text), "The server was shut down."))
		assert.Equal(t, 0, <-s.code)
		upstream.Close() // hangs unless the upstream's request has ended
	}
}
