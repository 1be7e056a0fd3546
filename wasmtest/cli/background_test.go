package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// TestShutdownWithBackground sends a signal while a background response runs, with a listener or without,
// and in two cases a second signal, which makes the response fail. The next server of the folder has the
// response.
func TestShutdownWithBackground(t *testing.T) {
	const chunk = `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,` +
		`"delta":{"role":"assistant","content":"late"},"finish_reason":`
	for n := range 4 {
		listens, second := n%2 == 0, n/2 == 0
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
		args := []string{"--demo", "--data", t.TempDir(), "--var", "UPSTREAM_URL=" + upstream.URL, "--var",
			`OPTIONS={"store":"on"}`}
		s := startServer(t, args...)
		body := `{"model":"m","input":"Hi","background":true,"stream":` + strconv.FormatBool(listens) + `}`
		r, err := http.NewRequest("POST", s.url+"/v1/responses", strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("X-Api-Key", "demo")
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.Equal(t, 200, answer.StatusCode)
		head := make([]byte, 1)
		_, err = io.ReadFull(answer.Body, head) // the response runs
		require.NoError(t, err)
		s.signals <- os.Interrupt
		for !strings.HasPrefix(<-s.lines, "shutting down") {
		}
		if second {
			s.signals <- os.Interrupt
		} else {
			refused, _ := post(t, s.url+"/v1/responses", "demo", "{}") // the server listens until the end
			assert.Equal(t, 503, refused)
			close(release)
		}
		rest, err := io.ReadAll(answer.Body)
		assert.NoError(t, err)
		answer.Body.Close()
		text, status := string(head)+string(rest), "completed"
		if second {
			status = "failed"
		}
		if listens {
			assert.Contains(t, text, "event: response."+status+"\n")
			assert.Equal(t, second, strings.Contains(text, "The server was shut down."))
		}
		assert.Equal(t, 0, <-s.code)
		upstream.Close() // hangs unless the upstream's request has ended

		next := startServer(t, args...)
		id := regexp.MustCompile(`resp_\w+`).FindString(text)
		r, err = http.NewRequest("GET", next.url+"/v1/responses/"+id, nil)
		require.NoError(t, err)
		r.Header.Set("X-Api-Key", "demo")
		answer, err = http.DefaultClient.Do(r)
		require.NoError(t, err)
		stored, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		answer.Body.Close()
		assert.Equal(t, status, gjson.GetBytes(stored, "status").Str, "%v %v: %s", listens, second, stored)
		assert.Equal(t, second, strings.Contains(string(stored), "The server was shut down."))
		next.stop(t)
	}
}
