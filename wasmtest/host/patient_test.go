package host

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// framings are heads of requests with the first byte of their bodies; the rest is not sent.
var framings = map[string]string{
	"small":   "Content-Length: 1000\r\n\r\n{",
	"large":   "Content-Length: 99000000\r\n\r\n{",
	"chunked": "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
}

// refuser refuses every request without reading the body, and reports each refusal.
type refuser struct {
	paths   []string
	refused chan struct{}
}

func (f *refuser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.paths = append(f.paths, r.URL.Path)
	defer func() { f.refused <- struct{}{} }()
	w.Header().Set("Content-Length", "3")
	w.WriteHeader(401)
	io.WriteString(w, "no\n")
}

func refuse(t *testing.T, p patience) (f *refuser, conn net.Conn) {
	t.Helper()
	f = &refuser{refused: make(chan struct{}, 9)}
	s := httptest.NewServer(&patient{f, p})
	t.Cleanup(s.Close)
	return f, dial(t, s.Listener.Addr().String())
}

// TestAnswerBeforeTheBody has the answer come, and the handler return, while the body is held back.
func TestAnswerBeforeTheBody(t *testing.T) {
	for name, framing := range framings {
		t.Run(name, func(t *testing.T) {
			f, conn := refuse(t, patience{silence: time.Hour, body: time.Hour, stall: time.Hour})
			defer conn.Close()
			io.WriteString(conn, "POST / HTTP/1.1\r\nHost: test\r\n"+framing)
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			assert.Equal(t, 401, response.StatusCode)
			<-f.refused
		})
	}
}

// TestUnreadBody does not send the rest of a body that no handler reads, or sends it too slowly in
// total. The connection ends, and late bytes of the body are not parsed as a request.
func TestUnreadBody(t *testing.T) {
	for name, framing := range framings {
		for way, p := range map[string]patience{
			"stops":    {silence: 5 * time.Millisecond, body: time.Hour, stall: time.Hour},
			"trickles": {silence: time.Hour, body: 5 * time.Millisecond, stall: time.Hour},
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel() // net/http waits half a second before it closes a connection after an answer
				f, conn := refuse(t, p)
				io.WriteString(conn, "POST /first HTTP/1.1\r\nHost: test\r\n"+framing)
				answers := bufio.NewReader(conn)
				_, err := http.ReadResponse(answers, nil)
				require.NoError(t, err)
				go func() {
					for err := error(nil); err == nil && way == "trickles"; {
						_, err = io.WriteString(conn, "1\r\nb\r\n")
					}
				}()
				// reads to the end of the connection; without an end, the test hangs
				io.Copy(io.Discard, answers)
				io.WriteString(conn, "GET /second HTTP/1.1\r\nHost: test\r\n\r\n")
				<-f.refused
				assert.Equal(t, []string{"/first"}, f.paths)
			})
		}
	}
}

// TestConnectionServesOn sends the whole body after the answer, and another request on the same
// connection.
func TestConnectionServesOn(t *testing.T) {
	f, conn := refuse(t, patience{silence: time.Hour, body: time.Hour, stall: time.Hour})
	answers := bufio.NewReader(conn)
	for _, body := range []string{strings.Repeat("x", 1<<20), "{}", ""} {
		io.WriteString(conn, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: "+strconv.Itoa(len(body))+
			"\r\n\r\n")
		if body != "" {
			io.WriteString(conn, body[:1])
		}
		response, err := http.ReadResponse(answers, nil)
		require.NoError(t, err)
		io.Copy(io.Discard, response.Body)
		assert.False(t, response.Close)
		if body != "" {
			_, err = io.WriteString(conn, body[1:])
			require.NoError(t, err)
		}
		<-f.refused
	}
}

// TestSlowBodyBehindPatient is TestSlowBody with the outer handler of servers.
func TestSlowBodyBehindPatient(t *testing.T) {
	for name, p := range map[string]patience{
		"stops":    {silence: 5 * time.Millisecond, body: time.Hour, stall: time.Hour},
		"trickles": {silence: time.Hour, body: 5 * time.Millisecond, stall: time.Hour},
	} {
		for _, size := range []string{"999999", "1999999"} {
			t.Run(name+" "+size, func(t *testing.T) {
				t.Parallel()
				m := newTestModule()
				m.later(func(c *testCode) { c.method(c.host(), "body", c.number(1e6)) }, func(c *testCode) {
					c.answersWhere(failedCode, 400)
					c.answersWhere(0, 200)
				})
				h, _ := newTestHost(t, m)
				h.patience = p
				s := httptest.NewServer(&patient{h, p})
				t.Cleanup(s.Close)
				conn := dial(t, s.Listener.Addr().String())
				io.WriteString(conn, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: "+size+"\r\n\r\na")
				if name == "trickles" {
					go func() {
						for err := error(nil); err == nil; {
							_, err = io.WriteString(conn, "b")
						}
					}()
				}
				answers := bufio.NewReader(conn)
				response, err := http.ReadResponse(answers, nil)
				require.NoError(t, err)
				assert.Equal(t, 400, response.StatusCode)
				assert.True(t, response.Close)
				io.Copy(io.Discard, answers)
			})
		}
	}
}

// TestLateEnd ends an answer long after its last byte, when the deadline of that write has passed.
func TestLateEnd(t *testing.T) {
	for _, body := range []string{"", "body"} {
		s := httptest.NewServer(&patient{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, "streamed")
			flush(w)
			http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
		}), usualPatience})
		response, err := http.Post(s.URL, "text/plain", strings.NewReader(body))
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Equal(t, "streamed", string(text))
		s.Close()
	}
}
