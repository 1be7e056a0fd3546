package host

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveImpatiently serves a module until the test ends, with a patience of the test's.
func serveImpatiently(t *testing.T, m *testModule, p patience) (address string) {
	t.Helper()
	h, _ := newTestHost(t, m)
	h.patience = p
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestSlowBody sends a body that stops, and another that continues but takes too long in total,
// each within the size limit and over it. The client gets an answer, and the connection ends.
func TestSlowBody(t *testing.T) {
	for name, p := range map[string]patience{
		"stops":    {silence: 5 * time.Millisecond, body: time.Hour, stall: time.Hour},
		"trickles": {silence: time.Hour, body: 5 * time.Millisecond, stall: time.Hour},
	} {
		for _, size := range []string{"999999", "1999999"} {
			t.Run(name+" "+size, func(t *testing.T) {
				m := newTestModule()
				m.later(func(c *testCode) { c.method(c.host(), "body", c.number(1e6)) }, func(c *testCode) {
					c.answersWhere(failedCode, 400)
					c.answersWhere(0, 200)
				})
				conn := dial(t, serveImpatiently(t, m, p))
				io.WriteString(conn, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: "+size+"\r\n\r\na")
				if name == "trickles" {
					go func() {
						for err := error(nil); err == nil; {
							_, err = io.WriteString(conn, "b")
						}
					}()
				}
				answer := make([]byte, len("HTTP/1.1 400 "))
				_, err := io.ReadFull(conn, answer)
				require.NoError(t, err)
				assert.Equal(t, "HTTP/1.1 400 ", string(answer))
				// reads to the end of the connection; without an end, the test hangs
				io.Copy(io.Discard, conn)
			})
		}
	}
}

// TestBodyLeavesNoDeadline answers long after the time for the body, on the same connection.
func TestBodyLeavesNoDeadline(t *testing.T) {
	longEnough(t, 50*time.Millisecond, func(whole time.Duration) bool { return leavesNoDeadline(t, whole) })
}

// leavesNoDeadline reports whether whole was long enough for the body to come.
func leavesNoDeadline(t *testing.T, whole time.Duration) bool {
	m := newTestModule()
	came := make(chan struct{}, 1)
	release := make(chan struct{})
	upstream := serveUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		select {
		case <-release:
			io.WriteString(w, "late\n")
		case <-r.Context().Done():
		}
	})
	fetch := func(c *testCode) {
		c.method(c.host(), "fetch", c.string(upstream), c.string("GET"), c.string(""), nullSlot, c.number(0),
			c.number(60_000), falseSlot)
	}
	m.later(func(c *testCode) { c.method(c.host(), "body", c.number(9)) }, fetch, func(c *testCode) {
		c.answersWhere(failedCode, 502)
		c.answers(c.respond(c.method(c.host(), "pass"), 200))
	})
	url := "http://" + serveImpatiently(t, m, patience{silence: whole, body: whole, stall: time.Hour})
	go func() {
		select {
		case <-came:
			time.AfterFunc(2*whole, func() { close(release) })
		case <-t.Context().Done():
		}
	}()
	response, body := get(t, "POST", url, "body")
	if response.StatusCode == 502 {
		return false
	}
	assert.Equal(t, 200, response.StatusCode)
	assert.Equal(t, "late\n", body)
	return true
}

// TestStalledClient reads nothing of a stream without an end: the upstream must see an aborted
// request.
func TestStalledClient(t *testing.T) {
	for name, prepare := range map[string]func(m *testModule, url string){
		"stream": func(m *testModule, url string) { m.relay(call{url: url}) },
		"pass":   func(m *testModule, url string) { m.pass(url, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			aborted := make(chan struct{})
			upstream := serveUpstream(t, func(w http.ResponseWriter, r *http.Request) {
				defer close(aborted)
				io.Copy(io.Discard, r.Body)
				for chunk := strings.Repeat("x", 32<<10); r.Context().Err() == nil; {
					io.WriteString(w, chunk)
					flush(w)
				}
			})
			m := newTestModule()
			prepare(m, upstream)
			conn := dial(t, serveImpatiently(t, m, patience{silence: time.Hour, body: time.Hour,
				stall: 50 * time.Millisecond}))
			io.WriteString(conn, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n")
			<-aborted
		})
	}
}

// TestStallIsNotSlowness reads a large body piece by piece, for longer than a stall may last.
func TestStallIsNotSlowness(t *testing.T) {
	deadlines := &deadlineWriter{ResponseRecorder: httptest.NewRecorder()}
	p := &patientWriter{w: deadlines, control: http.NewResponseController(deadlines), stall: time.Minute}
	// as if the write had taken 16 seconds
	deadlines.taken = func() { p.deadline = p.deadline.Add(-16 * time.Second) }
	n, err := p.Write(make([]byte, 10*pieceSize))
	require.NoError(t, err)
	assert.Equal(t, 10*pieceSize, n)
	assert.Equal(t, 10, deadlines.set)
	deadlines.taken = func() {}
	p.Write([]byte("small"))
	before := deadlines.set
	for range 100 {
		p.Write([]byte("small"))
		require.NoError(t, p.Flush())
	}
	assert.Equal(t, before, deadlines.set, "not at each small write")
}

// deadlineWriter counts the write deadlines.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	set   int
	taken func()
}

func (w *deadlineWriter) SetWriteDeadline(time.Time) error { w.set++; return nil }

func (w *deadlineWriter) Write(p []byte) (int, error) {
	w.taken()
	return w.ResponseRecorder.Write(p)
}
