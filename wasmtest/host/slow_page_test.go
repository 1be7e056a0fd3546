package host

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slowPage is a server of webpages with endless answers, and the model that requests such a page.
func slowPage(stream bool, page func(w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	var rounds atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "docs.example" {
			page(w, r)
			return
		}
		io.Copy(io.Discard, r.Body)
		said := `"content":"Done."`
		if rounds.Add(1) == 1 {
			said = `"tool_calls":[{"index":0,"id":"call_1","type":"function",` +
				`"function":{"name":"web_fetch","arguments":"{\"url\":\"https://docs.example/\"}"}}]`
		}
		if stream {
			w.Header().Set("content-type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":null}]}\n\n", said)
			io.WriteString(w,
				"data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			return
		}
		w.Header().Set("content-type", "application/json")
		fmt.Fprintf(w, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,`+
			`"finish_reason":"stop","message":{"role":"assistant",%s}}]}`, said)
	}
}

// waits lets less time go by than a server may be silent.
func waits(r *http.Request) {
	select {
	case <-time.After(9 * time.Second):
	case <-r.Context().Done():
	}
}

// TestSlowPage: fetching a webpage takes 30 seconds at most, including redirects, however little
// its server sends at a time. The model answers without the page.
func TestSlowPage(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/plain")
		for r.Context().Err() == nil {
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			waits(r)
		}
	}
	redirects := func(w http.ResponseWriter, r *http.Request) {
		waits(r)
		w.Header().Set("location", r.URL.Path+"x")
		w.WriteHeader(http.StatusFound)
	}
	mixed := func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.Path) < 3 {
			redirects(w, r)
			return
		}
		drip(w, r)
	}
	for name, page := range map[string]http.HandlerFunc{"bytes": drip, "redirects": redirects,
		"both": mixed} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %t", name, stream), func(t *testing.T) {
				env := map[string]string{"UPSTREAM_PROTOCOL": "chat", "OPTIONS": `{"web_fetch":{}}`}
				inBubbleWith(t, env, slowPage(stream, page), func(t *testing.T, c *http.Client,
					_ func() net.Conn) {
					began := time.Now()
					r, _ := http.NewRequest("POST", "http://host.test/v1/messages",
						strings.NewReader(fmt.Sprintf(`{"model":"m","max_tokens":9,"stream":%t,"messages":[{"role":"user",
						"content":"Read https://docs.example/"}],"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]}`, stream)))
					r.Header.Set("x-api-key", "key")
					response, err := c.Do(r)
					require.NoError(t, err)
					defer response.Body.Close()
					body, err := io.ReadAll(response.Body)
					require.NoError(t, err)
					assert.Contains(t, string(body), "url_not_accessible")
					assert.Contains(t, string(body), "Done.")
					assert.LessOrEqual(t, time.Since(began), 40*time.Second)
				})
			})
		}
	}
}
