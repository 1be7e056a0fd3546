package host

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inSocketBubble runs a host of newSocketModule in a bubble as inBubble does.
func inSocketBubble(t *testing.T, upstreams roundTripFunc, run func(t *testing.T, h *Host,
	dial func() net.Conn)) {
	t.Helper()
	h, _ := newTestHost(t, newSocketModule())
	synctest.Test(t, func(t *testing.T) {
		h.sockets = newSockets(0, 0) // the channels belong to the bubble
		h.config.Transport = upstreams
		dial, _ := listen(t, h.ServeHTTP)
		run(t, h, dial)
		<-h.ShutSockets()
	})
}

// connectTo opens a WebSocket on connections made by dial.
func connectTo(t *testing.T, dial func() net.Conn) *wsClient {
	t.Helper()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn,
		error) {
		return dial(), nil
	}}
	c, _, err := websocket.Dial(t.Context(), "http://host.test/v1/responses",
		&websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	require.NoError(t, err)
	return &wsClient{c, t}
}

// after is an upstream with a slow answer.
func after(d time.Duration) roundTripFunc {
	return func(r *http.Request) (*http.Response, error) {
		sleep(r.Context(), d)
		return streamed(strings.NewReader("data: " + completed + "\n\n")), r.Context().Err()
	}
}

// hearLimit expects the end of a connection that has reached a limit.
func (c *wsClient) hearLimit(status websocket.StatusCode, why string) {
	c.t.Helper()
	assert.JSONEq(c.t,
		`{"type":"error","status":400,"error":{"type":"invalid_request_error",`+
			`"code":"websocket_connection_limit_reached",`+
			`"message":"Responses websocket connection limit reached (`+why+
			`). Create a new websocket connection to continue.","param":null}}`, c.hear())
	assert.Equal(c.t, status, c.hearEnd())
}

// TestLifetime has a connection last for its hour: the connection is idle, or waits for the end of
// a frame's request.
func TestLifetime(t *testing.T) {
	for name, frame := range map[string]time.Duration{"idle": 0, "during a frame": 2 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			inSocketBubble(t, after(frame), func(t *testing.T, _ *Host, dial func() net.Conn) {
				begun := time.Now()
				c := connectTo(t, dial)
				if frame > 0 {
					c.say(anyURL)
					assert.Equal(t, completed, c.hear())
				}
				c.hearLimit(websocket.StatusNormalClosure, "60 minutes")
				assert.Equal(t, max(time.Hour, frame), time.Since(begun))
			})
		})
	}
}

// TestShutSockets shuts the host while a connection is idle, and while a frame's request runs.
func TestShutSockets(t *testing.T) {
	for name, frame := range map[string]time.Duration{"idle": 0, "during a frame": time.Minute} {
		t.Run(name, func(t *testing.T) {
			inSocketBubble(t, after(frame), func(t *testing.T, h *Host, dial func() net.Conn) {
				c := connectTo(t, dial)
				if frame > 0 {
					c.say(anyURL)
					synctest.Wait()
				}
				begun := time.Now()
				gone := h.ShutSockets()
				if frame > 0 {
					assert.Equal(t, completed, c.hear())
				}
				c.hearLimit(websocket.StatusGoingAway, "the server is shutting down")
				<-gone
				assert.Equal(t, frame, time.Since(begun))
			})
		})
	}
}

// TestCloseSockets breaks a connection in the middle of a frame's answer.
func TestCloseSockets(t *testing.T) {
	inSocketBubble(t, after(time.Hour), func(t *testing.T, h *Host, dial func() net.Conn) {
		c := connectTo(t, dial)
		c.say(anyURL)
		synctest.Wait()
		begun := time.Now()
		h.CloseSockets()
		<-h.ShutSockets()
		assert.Equal(t, websocket.StatusCode(-1), c.hearEnd())
		assert.Zero(t, time.Since(begun))
	})
}

// TestPings has a peer that answers pings, and a peer that reads pings but is silent: the host sees
// the same when a machine is gone.
func TestPings(t *testing.T) {
	inSocketBubble(t, after(0), func(t *testing.T, _ *Host, dial func() net.Conn) {
		c := connectTo(t, dial)
		go func() {
			time.Sleep(20 * time.Minute)
			c.Write(t.Context(), websocket.MessageText, []byte(anyURL))
		}()
		assert.Equal(t, completed, c.hear(), "a client that is read answers pings")
		c.CloseNow()
	})
	for name, frame := range map[string]string{"silent": "", "during a frame": anyURL} {
		t.Run(name, func(t *testing.T) {
			inSocketBubble(t, after(time.Hour), func(t *testing.T, _ *Host, dial func() net.Conn) {
				begun := time.Now()
				conn, answers := shakeHands(t, dial)
				if frame != "" {
					// masked with zeros
					conn.Write(append([]byte{0x81, 0x80 | byte(len(frame)), 0, 0, 0, 0}, frame...))
				}
				got, _ := io.ReadAll(answers)
				assert.Equal(t, 2*pingAfter, time.Since(begun))
				// After the ping there may be the error of the frame: its upstream is aborted when
				// the peer is given up.
				assert.True(t, strings.HasPrefix(string(got), "\x89\x011"), "%q", got)
				assert.Equal(t, 1, strings.Count(string(got), "\x89\x011"), "one ping")
			})
		})
	}
}

// shakeHands opens a WebSocket by hand, for a peer that answers no ping.
func shakeHands(t *testing.T, dial func() net.Conn) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn := dial()
	t.Cleanup(func() { conn.Close() })
	io.WriteString(conn,
		"GET /v1/responses HTTP/1.1\r\nHost: host.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	answers := bufio.NewReader(conn)
	response, err := http.ReadResponse(answers, nil)
	require.NoError(t, err)
	require.Equal(t, 101, response.StatusCode)
	return conn, answers
}

// TestPeerThatReadsNothing has an endless answer: the upstream is read no further than the peer has
// taken, and aborted after the stall.
func TestPeerThatReadsNothing(t *testing.T) {
	read, aborted := 0, false
	endless := func(r *http.Request) (*http.Response, error) {
		context.AfterFunc(r.Context(), func() { aborted = true })
		return streamed(readerFunc(func(p []byte) (int, error) {
			read++
			return copy(p, "data: x\n\n"), nil
		})), nil
	}
	inSocketBubble(t, endless, func(t *testing.T, h *Host, dial func() net.Conn) {
		conn, _ := shakeHands(t, dial)
		conn.Write(append([]byte{0x81, 0x80 | byte(len(anyURL)), 0, 0, 0, 0}, anyURL...))
		synctest.Wait()
		assert.Equal(t, 1, read)
		time.Sleep(h.patience.stall)
		synctest.Wait()
		assert.Equal(t, 1, read)
		assert.True(t, aborted)
		assert.Zero(t, h.sockets.places.taken, "the connection is over")
	})
}

// TestSlowFrame has a frame stop in the middle, and another frame that trickles.
func TestSlowFrame(t *testing.T) {
	for name, test := range map[string]struct{ every, want time.Duration }{
		"stops":    {time.Hour, usualPatience.silence},
		"trickles": {20 * time.Second, usualPatience.body},
	} {
		t.Run(name, func(t *testing.T) {
			inSocketBubble(t, after(0), func(t *testing.T, _ *Host, dial func() net.Conn) {
				conn, answers := shakeHands(t, dial)
				begun := time.Now()
				conn.Write([]byte{0x81, 0xff, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0, 0, 0, 0, 'x'})
				ended := make(chan time.Duration)
				go func() {
					io.Copy(io.Discard, answers)
					ended <- time.Since(begun)
				}()
				for {
					select {
					case took := <-ended:
						assert.Equal(t, test.want, took)
						return
					case <-time.After(test.every):
						conn.SetWriteDeadline(time.Now().Add(time.Second))
						conn.Write(make([]byte, readSize))
					}
				}
			})
		})
	}
}
