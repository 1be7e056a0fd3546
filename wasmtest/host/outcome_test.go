package host

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// outcomeOf serves a request with a module and returns the Outcome.
func outcomeOf(t *testing.T, m *testModule) (o Outcome, l *testLog) {
	t.Helper()
	l = &testLog{}
	outcomes := make(chan Outcome, 1)
	h, err := New(context.Background(), m.bytes(), Config{
		Log: log.New(l, "", 0), CacheDir: t.TempDir(), Done: func(_ *http.Request,
			o Outcome) {
			outcomes <- o
		},
	})
	require.NoError(t, err)
	defer h.Close(context.Background())
	s := httptest.NewServer(h)
	defer s.Close()
	get(t, "POST", s.URL, "")
	return <-outcomes, l
}

// reports gives a module the export report, which returns the first 3 bytes of the input buffer.
func (m *testModule) reports() {
	m.export("report", nil, i32Result, m.code().i32(inputAt).outIs().i32(3).words(0))
}

func TestReport(t *testing.T) {
	upstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "abc") })
	m := newTestModule()
	m.reports()
	m.relay(call{url: upstream})
	o, _ := outcomeOf(t, m)
	assert.Equal(t, "abc", string(o.Report))
	assert.False(t, o.Died || o.Aborted)
}

func TestNoReportOfADeadInstance(t *testing.T) {
	upstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "abc") })
	m := newTestModule()
	m.replace("stream_push", m.code().trap())
	m.reports()
	m.relay(call{url: upstream})
	o, l := outcomeOf(t, m)
	assert.Equal(t, Outcome{Died: true}, o)
	assert.NotContains(t, l.String(), "report")
}

func TestTrapInTheReport(t *testing.T) {
	m := newTestModule()
	m.export("report", nil, i32Result, m.code().trap())
	m.handler(func(c *testCode) { c.returns(c.respond(c.get(arg0, "url"), 201)) })
	o, l := outcomeOf(t, m)
	assert.Equal(t, Outcome{}, o)
	assert.Contains(t, l.String(), "no report: report trapped")
}
