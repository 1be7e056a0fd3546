package host

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/demo"
)

// pairs runs a test for each pair of a client and an upstream.
func pairs(t *testing.T, test func(t *testing.T, client, upstream string)) {
	for upstream := range paths {
		for client := range paths {
			t.Run(client+" to "+upstream, func(t *testing.T) { test(t, client, upstream) })
		}
	}
}

// pausing is the writer of the demo upstream, which pauses before its n-th event, or before its
// head for 0.
type pausing struct {
	http.ResponseWriter
	before int
	pause  func(w http.ResponseWriter)
}

func (p *pausing) WriteHeader(status int) {
	p.step()
	p.ResponseWriter.WriteHeader(status)
}

func (p *pausing) Write(b []byte) (int, error) {
	p.step()
	return p.ResponseWriter.Write(b)
}

func (p *pausing) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *pausing) step() {
	if p.before == 0 {
		p.pause(p.ResponseWriter)
	}
	p.before--
}

func pausingAt(before int, pause func(w http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		demo.New("key").ServeHTTP(&pausing{w, before, pause}, r)
	}
}

// sleep waits for d, or until the request ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// TestUpstreamThatThinks has an upstream that is silent for three minutes, at several positions, or
// only sends keep-alives: the client gets something every half minute, and the whole answer.
func TestUpstreamThatThinks(t *testing.T) {
	const thinking = 3 * time.Minute
	silent := func(http.ResponseWriter) { time.Sleep(thinking) }
	beating := func(w http.ResponseWriter) {
		for range thinking / (5 * time.Second) {
			io.WriteString(w, ": still here\n\n")
			http.NewResponseController(w).Flush()
			time.Sleep(5 * time.Second)
		}
	}
	for name, upstream := range map[string]http.HandlerFunc{
		"before its head":          pausingAt(0, silent),
		"before its first event":   pausingAt(1, silent),
		"in the middle":            pausingAt(4, silent),
		"beating, before an event": pausingAt(1, beating),
		"beating, in the middle":   pausingAt(4, beating),
	} {
		t.Run(name, func(t *testing.T) {
			pairs(t, func(t *testing.T, client, protocol string) {
				if client == protocol {
					t.Skip("bytes pass: the upstream keeps its client's connection alive")
				}
				inBubble(t, protocol, upstream, func(t *testing.T, c *http.Client, _ func() net.Conn) {
					begun := time.Now()
					response, err := c.Do(newAsk(t, client, true, "Hi"))
					require.NoError(t, err)
					defer response.Body.Close()
					require.Equal(t, 200, response.StatusCode)
					heard := &hearing{Reader: response.Body, last: time.Now(), longest: time.Since(begun)}
					text := readAll(t, heard)
					requireWhole(t, client, text)
					assert.LessOrEqual(t, heard.longest, 30*time.Second)
					assert.GreaterOrEqual(t, time.Since(begun), thinking)
					n := strings.Count(text, beats[client])
					assert.True(t, 5 <= n && n <= 12, "%d keep-alives", n)
				})
			})
		})
	}
}

// hearing notes the longest time without a byte, also before the head.
type hearing struct {
	io.Reader
	last    time.Time
	longest time.Duration
}

func (h *hearing) Read(p []byte) (n int, err error) {
	n, err = h.Reader.Read(p)
	h.longest = max(h.longest, time.Since(h.last))
	h.last = time.Now()
	return n, err
}

// TestUpstreamThatHangs has an upstream that goes silent for good: the client gets an error after
// ten minutes. In a stream that passes, this limit applies only before the head.
func TestUpstreamThatHangs(t *testing.T) {
	const patience, most = 10 * time.Minute, 10*time.Minute + 31*time.Second
	for name, before := range map[string]int{"before its head": 0, "before its first event": 1,
		"in the middle": 4} {
		for _, stream := range []bool{true, false} {
			if !stream && before > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s, streamed: %v", name, stream), func(t *testing.T) {
				pairs(t, func(t *testing.T, client, protocol string) {
					if client == protocol && before > 0 {
						t.Skip("bytes pass: the client judges their silence")
					}
					var aborted atomic.Bool
					upstream := func(w http.ResponseWriter, r *http.Request) {
						pausingAt(before, func(http.ResponseWriter) {
							sleep(r.Context(), time.Hour)
							aborted.Store(r.Context().Err() != nil)
						})(w, r)
					}
					inBubble(t, protocol, upstream, func(t *testing.T, c *http.Client, _ func() net.Conn) {
						begun := time.Now()
						response, err := c.Do(newAsk(t, client, stream, "Hi"))
						require.NoError(t, err)
						defer response.Body.Close()
						text := readAll(t, response.Body)
						took := time.Since(begun)
						assert.True(t, patience <= took && took <= most, "%v", took)
						assert.Contains(t, text, "the upstream's timeout")
						if !stream || client == protocol {
							assert.Equal(t, http.StatusGatewayTimeout, response.StatusCode)
						}
						synctest.Wait()
						assert.True(t, aborted.Load(), "the upstream's request goes on")
					})
				})
			})
		}
	}
}

// TestPassedSilence: if the stream passes, the host does not end a silent stream.
func TestPassedSilence(t *testing.T) {
	for protocol := range paths {
		t.Run(protocol, func(t *testing.T) {
			inBubble(t, protocol, pausingAt(4, func(http.ResponseWriter) { time.Sleep(time.Hour) }),
				func(t *testing.T, c *http.Client, _ func() net.Conn) {
					response, err := c.Do(newAsk(t, protocol, true, "Hi"))
					require.NoError(t, err)
					defer response.Body.Close()
					requireWhole(t, protocol, readAll(t, response.Body))
				})
		})
	}
}

// flood returns a Chat upstream that sends events of 1 KB, counts the accepted bytes, and reports
// when the client is gone.
func flood(events int, taken *atomic.Int64, gone chan<- struct{}) http.HandlerFunc {
	text := strings.Repeat("x", 1000)
	chunk := `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,` +
		`"delta":{"content":"` + text + `"}}]}` + "\n\n"
	const end = `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,` +
		`"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for range events {
			io.WriteString(w, chunk)
			if http.NewResponseController(w).Flush() != nil {
				close(gone)
				return
			}
			taken.Add(1)
		}
		io.WriteString(w, end)
	}
}

// TestClientThatStopsReading has a client that reads nothing for half a minute, while the upstream
// is blocked, and then everything. Another client reads nothing for more than two minutes, and is
// given up.
func TestClientThatStopsReading(t *testing.T) {
	const events = 2000
	for client := range paths {
		t.Run(client, func(t *testing.T) {
			var taken atomic.Int64
			gone := make(chan struct{})
			inBubble(t, "chat", flood(events, &taken, gone), func(t *testing.T, c *http.Client,
				_ func() net.Conn) {
				response, err := c.Do(newAsk(t, client, true, "Hi"))
				require.NoError(t, err)
				defer response.Body.Close()
				synctest.Wait()
				held := taken.Load()
				assert.Less(t, held, int64(200), "of 2 MB, for a client that takes nothing")
				time.Sleep(30 * time.Second)
				assert.Equal(t, held, taken.Load())
				text := readAll(t, response.Body)
				assert.Contains(t, text, endings[client])
				deltas := strings.Count(text, strings.Repeat("x", 1000))
				assert.GreaterOrEqual(t, deltas, events)
			})
			taken.Store(0)
			gone = make(chan struct{})
			inBubble(t, "chat", flood(events, &taken, gone), func(t *testing.T, c *http.Client,
				_ func() net.Conn) {
				response, err := c.Do(newAsk(t, client, true, "Hi"))
				require.NoError(t, err)
				defer response.Body.Close()
				time.Sleep(2*time.Minute + time.Second)
				synctest.Wait()
				select {
				case <-gone:
				default:
					t.Error("the upstream's request goes on")
				}
				_, err = io.ReadAll(response.Body)
				assert.Error(t, err, "a good end of a part")
			})
		})
	}
}

// TestSlowRequest sends a body byte by byte: the body may take five minutes in total, and half a
// minute between two bytes.
func TestSlowRequest(t *testing.T) {
	for client, path := range paths {
		for name, test := range map[string]struct {
			every  time.Duration
			status string
			after  time.Duration // and a second more at most
		}{
			"four minutes":        {4 * time.Minute / 240, "200", 4 * time.Minute},
			"too long":            {20 * time.Second, "400", 5 * time.Minute},
			"too long for a byte": {31 * time.Second, "400", 30 * time.Second},
		} {
			t.Run(client+", "+name, func(t *testing.T) {
				inBubble(t, "chat", demo.New("key").ServeHTTP, func(t *testing.T, _ *http.Client,
					dial func() net.Conn) {
					conn := dial()
					written := make(chan struct{})
					defer func() {
						conn.Close()
						<-written
					}()
					words := strings.Repeat("Hi, ", 100)
					body, err := io.ReadAll(newAsk(t, client, true, words).Body)
					require.NoError(t, err)
					begun := time.Now()
					go func() {
						defer close(written)
						fmt.Fprintf(conn,
							"POST %s HTTP/1.1\r\nHost: host.test\r\nX-Api-Key: key\r\nContent-Length: "+
								"%d\r\nConnection: close\r\n\r\n", path, len(body))
						for i := range body {
							if i >= len(body)-240 {
								time.Sleep(test.every)
							}
							if _, err := conn.Write(body[i : i+1]); err != nil {
								return
							}
						}
					}()
					status := make([]byte, len("HTTP/1.1 200"))
					_, err = io.ReadFull(conn, status)
					require.NoError(t, err)
					took := time.Since(begun)
					assert.Equal(t, "HTTP/1.1 "+test.status, string(status))
					assert.True(t, test.after <= took && took <= test.after+time.Second, "%v", took)
					rest, _ := io.ReadAll(conn)
					if test.status == "200" {
						requireWhole(t, client, string(rest))
					} else {
						assert.Contains(t, string(rest), `"type":"invalid_request_error"`)
					}
				})
			})
		}
	}
}
