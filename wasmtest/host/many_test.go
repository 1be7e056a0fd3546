package host

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

// TestManyStreamsLoseNothing runs 200 concurrent streams of 600 chunks through the deployed module.
// Each client must get its own deltas, complete and in order.
func TestManyStreamsLoseNothing(t *testing.T) {
	const streams, chunks = 200, 600
	wasm := builttest.Module(t)
	upstream := serveUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, rest, _ := strings.Cut(string(body), `"model":"m`)
		number, _, _ := strings.Cut(rest, `"`)
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range chunks {
			fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","model":"m",`+
				`"choices":[{"index":0,"delta":{"content":"<%s-%d>"}}]}`+"\n\n", number, i)
			flush(w)
		}
		io.WriteString(w,
			`data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{}`+
				`,"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
	h, err := New(context.Background(), wasm, Config{Env: map[string]string{
		"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": upstream, "CLIENT_KEY": "key",
	}})
	require.NoError(t, err)
	t.Cleanup(func() { h.Close(context.Background()) })
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	client := func(stream int) error {
		r, err := http.NewRequest("POST", s.URL+"/v1/messages", strings.NewReader(
			fmt.Sprintf(`{"model":"m%d","max_tokens":9,"stream":true,"messages":[{"role":"user",`+
				`"content":"Hi"}]}`, stream)))
		if err != nil {
			return err
		}
		r.Header.Set("X-Api-Key", "key")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		got, stopped := 0, false
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if _, text, found := strings.Cut(lines.Text(), `"text":"<`); found {
				if want := fmt.Sprintf("%d-%d>", stream, got); !strings.HasPrefix(text, want) {
					return fmt.Errorf("stream %d: %q instead of %q", stream, text, want)
				}
				got++
			}
			stopped = stopped || lines.Text() == "event: message_stop"
		}
		if got != chunks || !stopped {
			return fmt.Errorf("stream %d: %d of %d deltas, and stopped: %v", stream, got, chunks, stopped)
		}
		return nil
	}
	failures := make(chan error)
	for stream := range streams {
		go func() { failures <- client(stream) }()
	}
	for range streams {
		assert.NoError(t, <-failures)
	}
}

// TestTrapTouchesNoOtherStream makes an instance trap while the stream of another instance is open.
func TestTrapTouchesNoOtherStream(t *testing.T) {
	chunks, aborted := make(chan string), make(chan struct{}, 2)
	upstream := serveUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		flush(w)
		for {
			select {
			case chunk, open := <-chunks:
				if !open {
					return
				}
				io.WriteString(w, chunk)
				flush(w)
			case <-r.Context().Done():
				aborted <- struct{}{}
				return
			}
		}
	})
	m := newTestModule()
	push := m.code()
	push.localGet(0).i32(int32(len("trap\n"))).op(0x46, 0x04, 0x40).trap().op(0x0B) // i32.eq, if, end
	m.replace("stream_push", push.i32(inputAt).outIs().localGet(0).words(0))
	m.relay(call{url: upstream})
	url, l := serve(t, m)
	open := func() *http.Response {
		response, err := http.Post(url, "", nil)
		require.NoError(t, err)
		t.Cleanup(func() { response.Body.Close() })
		return response
	}
	first, second := open(), open()
	type end struct {
		body string
		err  error
	}
	ends := make(chan end, 2)
	for _, response := range []*http.Response{first, second} {
		go func() {
			body, err := io.ReadAll(response.Body)
			ends <- end{string(body), err}
		}()
	}
	chunks <- "trap\n" // either stream takes the chunk
	trapped := <-ends
	assert.Equal(t, end{"[trap]\n", nil}, trapped)
	<-aborted
	for range 100 {
		chunks <- "chunk\n"
	}
	close(chunks)
	assert.Equal(t, end{strings.Repeat("chunk\n", 100) + "[end 0]\n", nil}, <-ends)
	assert.Equal(t, 1, strings.Count(l.String(), "stream_push trapped"), l.String())
}
