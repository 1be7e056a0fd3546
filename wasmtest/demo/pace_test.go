package demo

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// arrivals is an http.ResponseWriter that notes when each event of a stream arrives.
type arrivals struct {
	*httptest.ResponseRecorder
	start time.Time
	times []time.Duration
}

func (a *arrivals) Flush() { a.times = append(a.times, time.Since(a.start)) }

// stream sends a streamed request with the page's preset question, and returns the arrivals.
func stream(ctx context.Context, model string) *arrivals {
	body := `{"model":"` + model + `","stream":true,` + chatTools + `"messages":[{"role":"user",` +
		`"content":"What is the weather in Paris? Use the tool."}]}`
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer key")
	a := &arrivals{ResponseRecorder: httptest.NewRecorder(), start: time.Now()}
	New("key").ServeHTTP(a, r)
	return a
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick, slow := stream(t.Context(), model), stream(t.Context(), paced)
		assert.Zero(t, quick.times[len(quick.times)-1])
		assert.Len(t, slow.times, len(quick.times))
		for i, at := range slow.times {
			assert.Equal(t, firstPause+time.Duration(i)*nextPause, at)
		}
		_, chunks := parse(t, slow.Body.String())
		arguments := ""
		for _, chunk := range chunks {
			piece, _ := at(chunk, "choices", 0, "delta", "tool_calls", 0, "function", "arguments").(string)
			arguments += piece
		}
		assert.Equal(t, wanted, arguments)
	})
}

// TestPaceWhenTheClientLeaves: a paced stream ends at once if its client leaves.
func TestPaceWhenTheClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), firstPause+nextPause/2)
		defer cancel()
		start := time.Now()
		assert.Len(t, stream(ctx, paced).times, 1)
		assert.Equal(t, firstPause+nextPause/2, time.Since(start))
	})
}
