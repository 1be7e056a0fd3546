package conform

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"
)

// gateway is a plain forwarder to a scripted upstream of the client's own API, with a mutation.
type gateway struct {
	upstream *Upstream
	mutation Mutation

	mu      sync.Mutex
	n       map[string]int
	changed bool
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isUpgrade(r) {
		g.pass(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	in := &wire{method: r.Method, path: r.URL.RequestURI(), header: r.Header, body: body}
	g.mu.Lock()
	mark := string(marker.Find(body))
	in.n = g.n[mark]
	g.n[mark]++
	g.mu.Unlock()
	g.change(g.mutation.request, in)
	r.Body = io.NopCloser(bytes.NewReader(in.body))
	ctx := r.Context()
	if in.hangs { // neither end of a conversation is passed on
		ctx = context.WithoutCancel(ctx)
	}
	if g.mutation.answer == nil {
		g.upstream.ServeHTTP(w, r.WithContext(ctx))
		return
	}
	out := httptest.NewRecorder()
	out.Body = &bytes.Buffer{}
	broken := false
	func() {
		defer func() { broken = recover() != nil }()
		g.upstream.ServeHTTP(out, r.WithContext(ctx))
	}()
	back := &wire{n: in.n, method: r.Method, path: in.path, header: out.Header(), status: out.Code,
		body:   out.Body.Bytes(),
		broken: broken}
	g.change(g.mutation.answer, back)
	for name, values := range back.header {
		w.Header()[name] = values
	}
	w.WriteHeader(back.status)
	_, _ = w.Write(back.body)
	if back.broken {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// pass passes the messages of a WebSocket, with the mutation.
func (g *gateway) pass(w http.ResponseWriter, r *http.Request) {
	upstream := httptest.NewServer(g.upstream)
	defer upstream.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	up, _, err := dial(ctx, upstream.URL+r.URL.Path, map[string]string{"Authorization": "Bearer " +
		UpstreamKey})
	if err != nil || up == nil {
		return
	}
	down, err := accept(w, r)
	if err != nil {
		return
	}
	pump := func(from, to *socket, mutate func(w *wire)) {
		defer to.conn.Close()
		for n := 0; ; n++ {
			message, err := from.read()
			if err != nil {
				return
			}
			in := &wire{n: n, body: message, header: http.Header{}}
			g.change(mutate, in)
			if to.write(opText, in.body) != nil {
				return
			}
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		pump(down, up, g.mutation.request)
	}()
	pump(up, down, g.mutation.answer)
	<-done
}

// change applies a mutation, and records whether something has changed.
func (g *gateway) change(mutate func(w *wire), w *wire) {
	if mutate == nil {
		return
	}
	before := fmt.Sprint(w.header, w.status, w.broken, w.hangs, string(w.body))
	mutate(w)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changed = g.changed || before != fmt.Sprint(w.header, w.status, w.broken, w.hangs, string(w.body))
}

const clientKey = "conform-client-key-77aa"

// hangs reports whether a mutation makes a server hang.
func hangs(m Mutation) bool {
	w := &wire{header: http.Header{}}
	if m.request != nil {
		m.request(w)
	}
	return w.hangs
}

// judged runs one case at a forwarder with a mutation.
func judged(t *testing.T, c *Case, m Mutation) (Result, bool) {
	t.Helper()
	u, err := NewUpstream(c.API())
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{upstream: u, mutation: m, n: map[string]int{}}
	patience := 10 * time.Minute
	if hangs(m) {
		patience = 300 * time.Millisecond // the case fails then
	}
	server := httptest.NewServer(g)
	defer server.Close()
	a := clientOf(c.API())
	served := []Served{{Name: a.name, Served: true, api: a, prefix: "/v1"}}
	if a.name == "gemini" {
		served[0].prefix = "/v1beta"
	}
	report := CheckGateway(context.Background(), Target{URL: server.URL, Key: clientKey,
		Patience: patience}, u, served,
		Options{Only: []string{c.ID}})
	if len(report.Results) != 1 {
		t.Fatalf("%d results", len(report.Results))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return report.Results[0], g.changed
}

// TestEveryCase runs each case at the double unchanged, where it must pass, and with its mutation, where
// it must fail.
func TestEveryCase(t *testing.T) {
	for _, c := range Cases() {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			if c.mutation.answer == nil && c.mutation.request == nil {
				t.Fatal("the case has no mutation")
			}
			if result, _ := judged(t, c, Mutation{}); result.State != Passed {
				t.Errorf("unmutated: %s: expected %s, got %s %s", result.State, result.Expected,
					result.Got, result.Note)
			}
			result, changed := judged(t, c, c.mutation)
			if !changed {
				t.Error("the mutation changes nothing")
			}
			if result.State != Failed {
				t.Errorf("mutated: %s %s", result.State, result.Note)
			}
		})
	}
}

// TestCasesAreComplete demands a stable id, all texts and a source of each case.
func TestCasesAreComplete(t *testing.T) {
	id := regexp.MustCompile(`^(messages|chat|responses|gemini)/(\w+)/\d+\.\d+$`)
	date := regexp.MustCompile(`^(20\d\d-\d\d-\d\d)?$`)
	seen := map[string]bool{}
	for _, c := range Cases() {
		parts := id.FindStringSubmatch(c.ID)
		if parts == nil || !slices.Contains(Areas, parts[2]) || seen[c.ID] {
			t.Errorf("the id %q", c.ID)
		}
		seen[c.ID] = true
		if c.Title == "" || c.Must == "" || c.Why == "" || len(c.Source) < 8 || !date.MatchString(c.Since) {
			t.Errorf("%s lacks a text: %+v", c.ID, c)
		}
		if c.probe == nil || c.judge == nil || !slices.Contains([]Severity{Fails, Loses, Style}, c.Severity) {
			t.Errorf("%s lacks a part", c.ID)
		}
	}
}
