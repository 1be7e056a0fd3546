package serve_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counting makes an endpoint with usage and an upstream of a protocol.
func counting(d *deployment, protocol string) *ownEndpoint {
	return d.endpoint(`"usage":true,` + oneUpstream(protocol))
}

// TestPlainAnswersPass: any plain answer in the client's own protocol reaches the client unchanged.
func TestPlainAnswersPass(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		d := deploy(t, nil)
		e := counting(d, protocol)
		answers := []string{
			`{ "unknown" : [1.0e2, {"deep":"\u0041"}],` + "\n" + plainOf[protocol][1:] + "\n",
			`{"a":"` + "\xff\xc3\x28" + `"`,
			`{"a":"` + strings.Repeat("é", 9<<20) + `"}`,
			"",
			"no JSON",
		}
		for _, body := range answers {
			d.upstreams["up.test"] = func(*sent) *reply {
				return &reply{status: 202,
					header: map[string]string{"Content-Type": "application/json; charset=utf-8"},
					body:   strings.NewReader(body)}
			}
			a := e.ask(protocol, asking{})
			assert.Equal(t, 202, a.Code)
			assert.Equal(t, "application/json; charset=utf-8", a.Header().Get("content-type"))
			assert.Empty(t, a.Header().Values("x-edgelingua-lost"))
			assert.False(t, a.broken)
			assert.True(t, a.text() == body, "%.40q", body)
		}
		assert.Equal(t, int64(len(answers)), sum(e.usage(), "requests"))
	})
}

// TestStreamsPass: a stream in the client's own protocol reaches the client unchanged and without
// delay. An incomplete event waits for its end, because the end shows whether the event is a
// failure. Lines between events do not wait.
func TestStreamsPass(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		d := deploy(t, nil)
		up := d.stage("up.test")
		e := counting(d, protocol)
		c := e.open(protocol, streaming(protocol))
		x := up.next()
		x.begin(200, map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
		<-c.head
		assert.Equal(t, 200, c.status)
		assert.Equal(t, "text/event-stream", c.header.Get("content-type"))
		assert.Equal(t, "no-store", c.header.Get("cache-control"))
		odd := []string{"event: odd\r\nda", "ta: {", "\xf0\x9f", "\x98\x80", "\n\n: ping\n\n"}
		for _, parts := range [][]string{{": ping\n"}, {"\n"}, odd, {strings.Join(streamOf[protocol], "")}} {
			go func() {
				for _, part := range parts {
					x.send(part)
				}
			}()
			// the next parts are sent after the client got these
			assert.Equal(t, strings.Join(parts, ""), c.some())
		}
		x.end()
		text, broken := c.rest()
		assert.False(t, broken)
		assert.Empty(t, text)
	})
}

// TestLongStreamsPass: a stream of 20 MB reaches a client that starts to read late.
func TestLongStreamsPass(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		d := deploy(t, nil)
		up := d.stage("up.test")
		c := counting(d, protocol).open(protocol, streaming(protocol))
		x := up.next()
		x.begin(200)
		part := strings.Repeat("0123456789abcde\n", 4<<10)
		x.send(part[:100])
		go func() {
			for range 320 {
				x.send(part)
			}
			x.end()
		}()
		<-c.head
		text, broken := c.rest()
		assert.False(t, broken)
		assert.True(t, part[:100]+strings.Repeat(part, 320) == text)
	})
}

// TestCodingsPass: the host decompresses gzip, and the worker counts the tokens. An answer in an
// unknown coding reaches the client unchanged, and its tokens are not counted.
func TestCodingsPass(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		d := deploy(t, nil)
		var gzipped bytes.Buffer
		w := gzip.NewWriter(&gzipped)
		w.Write([]byte(plainOf[protocol]))
		w.Close()
		for coding, test := range map[string]struct {
			body, want, header string
			input              int64
		}{
			"gzip":  {gzipped.String(), plainOf[protocol], "", countedInput},
			"x-odd": {"\xff\x00\x01\x02", "\xff\x00\x01\x02", "x-odd", 0},
		} {
			e := counting(d, protocol)
			d.upstreams["up.test"] = func(*sent) *reply {
				return &reply{status: 200, header: map[string]string{"Content-Encoding": coding},
					chunks: []string{test.body}}
			}
			a := e.ask(protocol, asking{})
			assert.Equal(t, test.header, a.Header().Get("content-encoding"))
			assert.Equal(t, test.want, a.text())
			u := e.usage()
			assert.Equal(t, []int64{1, test.input}, []int64{sum(u, "requests"), u.Get("days.0.input").Int()})
			assert.Equal(t, "[]", u.Get("errors").Raw)
		}
	})
}

// TestRequestsPass: a request reaches an upstream of the client's own protocol unchanged.
func TestRequestsPass(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		d := deploy(t, nil)
		d.upstreams["up.test"] = counted(protocol)
		odd := "\n{ \"zeta\" : [1.0e2], \"model\":\"m\" ,\t\"unknown\":{\"a\":{}},\"stream\": false}  \n"
		counting(d, protocol).ask(protocol, asking{raw: odd})
		assert.Equal(t, odd, d.last().body)
	})
}

// TestBrokenAnswersPass: if the upstream's body breaks off, the client's body breaks off too.
func TestBrokenAnswersPass(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		d := deploy(t, nil)
		e := counting(d, protocol)
		for _, test := range []struct {
			asking     asking
			mime, sent string
		}{
			{streaming(protocol), "text/event-stream", streamOf[protocol][0]},
			{asking{}, "application/json", `{"a":`},
		} {
			d.upstreams["up.test"] = func(*sent) *reply {
				return &reply{status: 200, header: map[string]string{"Content-Type": test.mime},
					chunks: []string{test.sent}, err: errBroken}
			}
			assert.True(t, e.ask(protocol, test.asking).broken)
		}
		u := e.usage()
		assert.Equal(t, int64(2), sum(u, "requests"))
		assert.Equal(t, `["unavailable","unavailable"]`, u.Get("errors.#.type").Raw)
	})
}

// TestQuietStreamsPass: an untranslated stream has no keep-alives. It breaks off after the
// upstream's timeout.
func TestQuietStreamsPass(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		synctest.Test(t, func(t *testing.T) {
			d := deploy(t, nil)
			d.bubble = true
			up := d.stage("up.test")
			e := d.endpoint(`"usage":true,"head_wait":1,` + oneUpstream(protocol, `,"timeout":600`))
			c := e.open(protocol, streaming(protocol))
			x := up.next()
			x.begin(200)
			<-c.head
			go func() {
				time.Sleep(599 * time.Second)
				x.send(streamOf[protocol]...)
				x.end()
			}()
			text, broken := c.rest()
			assert.False(t, broken)
			assert.Equal(t, strings.Join(streamOf[protocol], ""), text)

			c = e.open(protocol, streaming(protocol))
			x = up.next()
			x.begin(200)
			go x.send(streamOf[protocol][0])
			_, broken = c.rest()
			assert.True(t, broken)
			<-x.gone
			u := e.usage()
			assert.Equal(t, int64(2), sum(u, "requests"))
			assert.Equal(t, `[504] ["timeout"]`, raw(u, "errors.#.status", "errors.#.type"))
		})
	})
}

// TestWithoutUsage: an endpoint without usage and limits stores nothing.
func TestWithoutUsage(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		d := deploy(t, nil)
		d.upstreams["up.test"] = counted(protocol)
		e := d.endpoint(`"usage":false,` + oneUpstream(protocol))
		assert.Equal(t, strings.Join(streamOf[protocol], ""), e.ask(protocol, streaming(protocol)).text())
		for _, client := range every {
			require.Equal(t, 200, e.ask(client, asking{}).Code)
		}
		assert.JSONEq(t, `{"usage":false,"days":[],"errors":[],"requests":[],"lost":[],"refused":[],"limits":{}}`,
			e.usage().Raw)
		assert.Empty(t, e.tables())
	})
}
