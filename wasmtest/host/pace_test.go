package host

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"edgelingua/wasmtest/host/outbound"
)

// pacedBody is a response body with events at given times after its first read.
type pacedBody struct {
	gaps []time.Duration
	came chan string
}

func newPacedBody(gaps []time.Duration) *pacedBody {
	b := &pacedBody{gaps: gaps, came: make(chan string, len(gaps))}
	go func() {
		for i, gap := range gaps {
			time.Sleep(gap)
			b.came <- fmt.Sprintf("data: %d %d\n\n", i, time.Now().UnixMicro())
		}
		close(b.came)
	}()
	return b
}

func (b *pacedBody) Close() error { return nil }

// Read returns all available bytes, as net/http does with small chunks.
func (b *pacedBody) Read(p []byte) (int, error) {
	event, ok := <-b.came
	if !ok {
		return 0, io.EOF
	}
	n := copy(p, event)
	for len(b.came) > 0 && n < outbound.ReadBuffer/2 {
		n += copy(p[n:], <-b.came)
	}
	return n, nil
}

// timedWriter is a client that records the delay of each event.
type timedWriter struct {
	*httptest.ResponseRecorder
	writes int
	waited []time.Duration
}

func (w *timedWriter) Write(p []byte) (int, error) {
	w.writes++
	for line := range strings.Lines(string(p)) {
		var i, at int64
		if n, _ := fmt.Sscanf(line, "data: %d %d", &i, &at); n == 2 {
			w.waited = append(w.waited, time.Since(time.UnixMicro(at)))
		}
	}
	return w.ResponseRecorder.Write(p)
}

// TestPace: no event waits for twice the window or for the time of 13 events, the first none at all,
// nor any of a slow stream, and fast ones share writes.
func TestPace(t *testing.T) {
	every := func(n int, gap time.Duration) []time.Duration {
		gaps := make([]time.Duration, n)
		for i := range gaps {
			gaps[i] = gap
		}
		return gaps
	}
	random := rand.New(rand.NewPCG(1, 2))
	wild := every(400, 0)
	for i := range wild {
		wild[i] = time.Duration(random.IntN(1<<random.IntN(9))) * time.Millisecond
	}
	for name, test := range map[string]struct {
		gaps         []time.Duration
		window       time.Duration
		most, writes int // maximum delay of an event in ms, and number of writes; 0: any
	}{
		"fast":            {every(200, 10*time.Millisecond), 50 * time.Millisecond, 50, 45},
		"slow":            {every(50, 51*time.Millisecond), 50 * time.Millisecond, 0, 50},
		"slow, much time": {every(50, 51*time.Millisecond), time.Second, 0, 50},
		"without":         {every(50, 10*time.Millisecond), 0, 0, 50},
		"faster":          {every(400, time.Millisecond), 50 * time.Millisecond, 12, 50},
		"at once":         {every(5000, 0), 50 * time.Millisecond, 50, 0},
		"wild":            {wild, 50 * time.Millisecond, 50, 0},
		"falls silent": {append(every(50, 5*time.Millisecond), 10*time.Second, 0, 0, 3*time.Millisecond),
			50 * time.Millisecond, 50, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTestModule()
			m.relay(call{url: "http://upstream.test", every: 1000,
				window: float64(test.window.Milliseconds())})
			h, l := newTestHost(t, m)
			synctest.Test(t, func(t *testing.T) {
				w := &timedWriter{ResponseRecorder: httptest.NewRecorder()}
				h.serve(newExchange(w, httptest.NewRequest("POST", "/", nil),
					fixedTransport{newPacedBody(test.gaps)}, nil))
				assert.Len(t, w.waited, len(test.gaps))
				assert.Zero(t, w.waited[0])
				for i, waited := range w.waited {
					assert.LessOrEqual(t, waited.Milliseconds(), int64(test.most), i)
				}
				for i := range test.gaps {
					assert.Contains(t, w.Body.String(), fmt.Sprintf("data: %d ", i))
				}
				if test.writes > 0 {
					assert.LessOrEqual(t, w.writes, test.writes+1) // the end of the stream is a further write
				}
			})
			assert.Empty(t, l.String())
		})
	}
}

// TestPaceIsLeft: if a client leaves during a window, the request ends immediately.
func TestPaceIsLeft(t *testing.T) {
	m := newTestModule()
	m.relay(call{url: "http://upstream.test", every: 1000, window: 1000})
	h, _ := newTestHost(t, m)
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, leave)
		began := time.Now()
		w := &timedWriter{ResponseRecorder: httptest.NewRecorder()}
		body := newPacedBody([]time.Duration{0, 40 * time.Millisecond, time.Millisecond, time.Millisecond})
		h.serve(newExchange(w, httptest.NewRequest("POST", "/", nil).WithContext(ctx), fixedTransport{body},
			nil))
		assert.Equal(t, 200*time.Millisecond, time.Since(began))
		assert.Len(t, w.waited, 2)
	})
}
