package conform

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"edgelingua/wasmtest/vendors"
)

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestStreamsAreLinear has events of many lines, and texts of many pieces. Memory that grows with the
// square of the pieces would be gigabytes.
func TestStreamsAreLinear(t *testing.T) {
	const n, most = 40_000, 400 << 20
	long := strings.Repeat("a", 100)
	if got := allocated(func() {
		events, err := split(t.Context(), []byte(strings.Repeat("data:\n", 120_000)+"\n"))
		if err != nil || len(events) != 1 || len(events[0].Data) != 119_999 {
			t.Error(len(events), err)
		}
	}); got > most {
		t.Errorf("lines: %d bytes", got)
	}
	for name, piece := range map[string]object{
		"chat": {"choices": []any{object{"delta": object{"content": long, "tool_calls": []any{object{"index": 0.0,
			"function": object{"arguments": long}}}}}}},
		"messages": {"type": "content_block_delta", "delta": object{"text": long, "partial_json": long}},
		"gemini":   {"candidates": []any{object{"content": object{"parts": []any{object{"text": long}}}}}},
	} {
		r := &Reply{Status: http.StatusOK, Stream: true}
		if name == "messages" {
			r.Events = []Event{{JSON: object{"type": "content_block_start",
				"content_block": object{"type": "text", "text": ""}}}}
		}
		for range n {
			r.Events = append(r.Events, Event{JSON: piece})
		}
		r.Events = append(r.Events, Event{JSON: object{"type": "content_block_stop"}})
		if got := allocated(func() { (&client{api: clientOf(name)}).read(r) }); got > most {
			t.Errorf("%s: %d bytes", name, got)
		}
		if len(r.Text) != n*len(long) || name == "chat" && len(r.Calls[0].Arguments) != n*len(long) {
			t.Errorf("%s: a text of %d bytes", name, len(r.Text))
		}
	}
}

func TestStreamsAreBounded(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		ctx          context.Context
		stream, want string
	}{
		{t.Context(), strings.Repeat("\n", maxLines+1), "a stream of more than 262144 lines"},
		{t.Context(), "data: " + strings.Repeat("a", maxEvent+1) + "\n\n", "an event of more than 8388608 bytes"},
		{ended, strings.Repeat("data:\n", 2048), "context canceled"},
	} {
		if _, err := split(c.ctx, []byte(c.stream)); err == nil || err.Error() != c.want {
			t.Error(err)
		}
	}
	r, err := only(t, instead(model(t), func(_ *http.Request, body string) bool {
		return strings.Contains(body, `"stream":true`)
	}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, strings.Repeat("\n", maxLines+1))
	}), unhurried, "chat/stream/1.1")
	if err != nil || r.OK || !strings.Contains(text(r), "got:      a stream of more than") {
		t.Error(err, text(r))
	}
}

// serveRaw answers the first connection with bytes, and closes ended when its client has left.
func serveRaw(t *testing.T, answer string) (url string, ended chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, answer); err == nil {
			_, _ = io.Copy(io.Discard, conn)
		}
	}()
	return "http://" + listener.Addr().String(), ended
}

// TestHandshakes has answers to a handshake that dial rejects: dial closes the connection.
func TestHandshakes(t *testing.T) {
	for _, c := range []struct{ answer, want string }{
		{"junk\r\n\r\n", "malformed HTTP"},
		{"HTTP/1.1 101 Switching Protocols\r\n" + strings.Repeat("A: "+strings.Repeat("b", 1000)+"\r\n", 4000) +
			"\r\n", "EOF"},
	} {
		url, ended := serveRaw(t, c.answer)
		_, _, err := dial(context.Background(), url, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
		<-ended
	}
}

// frame returns the first bytes of a frame of a server.
func frame(first byte, size int) []byte {
	return binary.BigEndian.AppendUint64([]byte{first, 127}, uint64(size))
}

// TestMessagesAreBounded has a message in fragments, and an answer without a terminal event.
func TestMessagesAreBounded(t *testing.T) {
	const size = 8 << 20
	send := func(first byte, payload []byte) *socket {
		here, there := net.Pipe()
		t.Cleanup(func() { here.Close() })
		go func() {
			defer there.Close()
			for range 5 {
				if _, err := there.Write(append(frame(first, len(payload)), payload...)); err != nil {
					return
				}
			}
		}()
		return &socket{here, bufio.NewReader(here), true}
	}
	if _, err := send(opText, make([]byte, size)).read(); err == nil ||
		err.Error() != "a message of more than 32 MB" {
		t.Error(err)
	}
	defer func() {
		if f, _ := recover().(*fault); f == nil || !strings.HasPrefix(f.got, "an answer of more than 33554432 b") {
			t.Error(f)
		}
	}()
	c := &client{ctx: t.Context(), target: &Target{}, api: responsesAPI, record: &Record{}}
	c.messages(send(0x80|opText, []byte(`{"type":"response.more","more":"`+strings.Repeat("a", size)+`"}`)))
}

// hijacked is a connection whose deadline the test reads.
type hijacked struct {
	http.ResponseWriter
	net.Conn
	deadline time.Time
}

func (h *hijacked) SetDeadline(t time.Time) error {
	h.deadline = t
	return nil
}

func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h, bufio.NewReadWriter(bufio.NewReader(h), bufio.NewWriter(h)), nil
}

func (h *hijacked) Write(p []byte) (int, error) { return len(p), nil }

func TestSocketHasADeadline(t *testing.T) {
	h := &hijacked{ResponseWriter: httptest.NewRecorder()}
	if _, err := accept(h, httptest.NewRequest(http.MethodGet, "/", nil)); err != nil || h.deadline.IsZero() {
		t.Error(err, h.deadline)
	}
}

// TestRaces reads the requests of a session while both ways to the upstream take its turns and reject
// requests. The race detector judges.
func TestRaces(t *testing.T) {
	u, err := NewUpstream("responses")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(u)
	defer server.Close()
	mark := newMark()
	one := &vendors.Turn{Text: "Hello.", Usage: usualUsage}
	session := u.begin(t.Context(), mark, &Probe{turns: answers(one, one, one, one, one, one, one, one)})
	defer u.end(mark)
	body := `{"model":"gpt-5.5","temperature":"hot","input":[{"role":"user","content":"` + mark + `"}]`
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, _, err := dial(ctx, server.URL+"/v1/responses", map[string]string{"Authorization": "Bearer k"})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for range 4 {
			if s.write(opText, []byte(body+`,"type":"response.create"}`)) != nil {
				t.Error("the connection ended")
			}
			if _, err := s.read(); err != nil {
				t.Error(err)
			}
		}
	})
	group.Go(func() {
		for range 4 {
			r := httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body+"}"))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer k")
			u.ServeHTTP(httptest.NewRecorder(), r)
		}
	})
	group.Go(func() {
		for range 1000 {
			for _, got := range session.requests() {
				_ = got.Refused
			}
		}
	})
	group.Wait()
	all := session.requests()
	for _, got := range all {
		if got.Refused == "" {
			t.Errorf("the upstream accepted %s", got.Body)
		}
	}
	if len(all) != 8 {
		t.Errorf("%d requests", len(all))
	}
}
