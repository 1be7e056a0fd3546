package serve_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/corpus"
)

// cutClient is a client whose connection breaks after some bytes of the body.
type cutClient struct {
	*httptest.ResponseRecorder
	left  int
	leave context.CancelFunc
}

func (c *cutClient) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.ResponseRecorder.Write(p[:n])
	if c.left -= n; n < len(p) {
		c.leave()
		return n, errBroken
	}
	return n, nil
}

// cut sends a request for a background response, and returns what the client got in left bytes.
func (d *deployment) cut(body string, left int) []byte {
	ctx, leave := context.WithCancel(d.t.Context())
	defer leave()
	c := &cutClient{httptest.NewRecorder(), left, leave}
	d.host.ServeHTTP(c, newRequest(ctx, http.MethodPost, "/v1/responses", body))
	return c.Body.Bytes()
}

// wholeEvents returns how many bytes the whole events of a part have.
func wholeEvents(part []byte) int {
	if end := bytes.LastIndex(part, []byte("\n\n")); end >= 0 {
		return end + len("\n\n")
	}
	return 0
}

// resume returns the rest of a stream for a client that got a part: the query is SDK's, with the number
// of the last whole event. n is the number of bytes of the whole events.
func (d *deployment) resume(id string, part []byte) (rest string, n int) {
	query := ""
	if n = wholeEvents(part); n > 0 {
		_, last, _ := bytes.Cut(part[bytes.LastIndex(part[:n-2], []byte("event: ")):n], []byte("\ndata: "))
		query = fmt.Sprintf("&starting_after=%d", gjson.GetBytes(last, "sequence_number").Int())
	}
	a := d.ask("GET", "/v1/responses/"+id+"?stream=true"+query, "")
	require.Equal(d.t, 200, a.Code, a.text())
	return a.text(), n
}

// TestBackgroundCutAtEachByte: the streams of the corpus, cut after each byte, continue where they were cut.
func TestBackgroundCutAtEachByte(t *testing.T) {
	t.Parallel()
	const folder, every = "../../translator/testdata/stream/", 10 // all take half a minute of CPU
	for _, protocol := range corpus.Protocols {
		scenarios, err := corpus.Load(folder + protocol)
		require.NoError(t, err)
		for i, s := range scenarios {
			if s.Answer == nil || !s.Answer.SSE || i%every != 0 {
				continue
			}
			t.Run(protocol+"/"+s.Name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					d := storingOf(t, protocol, nil)
					d.upstreams["up.test"] = streams(string(s.Answer.Body))
					const body = `{"background":true,"stream":true}`
					all := d.cut(creation(body), 1<<30)
					id := gjson.GetBytes(all[bytes.IndexByte(all, '{'):], "response.id").Str
					require.NotEmpty(t, id, "%s", all)
					rests := map[int]string{}
					for k := range len(all) + 1 {
						n := wholeEvents(all[:k])
						if _, known := rests[n]; !known {
							rests[n], _ = d.resume(id, all[:k])
						}
						require.True(t, string(all[:n])+rests[n] == string(all), k)
					}
				})
			})
		}
	}
}

// TestBackgroundCutWhileRunning cuts the connection of a running response after each byte.
func TestBackgroundCutWhileRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := storingOf(t, "chat", nil)
		d.upstreams["up.test"] = streams(delta("one "), delta("two "), delta("three"), chatEnd)
		whole := d.cut(creation(`{"background":true,"stream":true}`), 1<<30)
		synctest.Wait()
		asked := len(d.requests())
		for k := range len(whole) {
			synctest.Wait() // the responses before have ended
			part := d.cut(creation(`{"background":true,"stream":true}`), k)
			require.Len(t, part, k)
			asked++
			require.Equal(t, asked, len(d.requests()))
			id := gjson.GetBytes(whole[bytes.IndexByte(whole, '{'):], "response.id").Str
			if at := bytes.Index(part, []byte(`"id":"resp_`)); at >= 0 && len(part) >= at+len(`"id":"`)+len(id) {
				id = string(part[at+len(`"id":"`) : at+len(`"id":"`)+len(id)])
			} else {
				continue // the client does not know the response
			}
			rest, n := d.resume(id, part)
			full, _ := d.resume(id, nil)
			require.True(t, string(part[:n])+rest == full, k)
			require.Len(t, full, len(whole))
		}
		assert.Greater(t, len(whole), 2000)
	})
}
