package conform

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// written returns a report in each form.
func written(t *testing.T, r *Report) string {
	t.Helper()
	var b strings.Builder
	all := Reports{r}
	all.Write(&b, Look{})
	all.Markdown(&b)
	if err := all.JSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := all.JUnit(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestKeyIsHidden has servers that repeat the key in an error, in a header, in a reason to skip a
// case, in the reason why a run ends, where an excerpt cuts the key, and instead of HTTP.
func TestKeyIsHidden(t *testing.T) {
	refuse := func(status int, message string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			reply(w, status, failure("chat", status, message))
		}
	}
	for name, other := range map[string]http.HandlerFunc{
		"an error": refuse(400, "bad request of Bearer "+modelKey),
		"a header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/?key="+modelKey)
			w.WriteHeader(http.StatusFound)
		},
		"a rate limit": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", modelKey)
			refuse(429, "slow down")(w, r)
		},
		"a cut key": refuse(400, strings.Repeat("a", MaxShown-50)+modelKey),
		"no HTTP": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = conn.Write([]byte(modelKey + "\r\n\r\n"))
				_ = conn.Close()
			}
		},
	} {
		said := func(_ *http.Request, body string) bool {
			return strings.Contains(body, "short sentence") || strings.Contains(body, `"tool_choice"`)
		}
		r, err := only(t, instead(model(t), said, other), unhurried, "chat/plain", "chat/tools")
		if err != nil {
			t.Fatal(err)
		}
		out := written(t, r)
		if r.OK || strings.Contains(out, modelKey[:8]) {
			t.Errorf("%s: %s", name, out)
		}
		leaks := name != "no HTTP"
		if strings.Contains(out, "the key is in ") != leaks {
			t.Errorf("%s: the fault is missing in %s", name, out)
		}
	}
}

// TestControlCharacters has a server that tries to move the cursor.
func TestControlCharacters(t *testing.T) {
	said := func(_ *http.Request, body string) bool { return strings.Contains(body, "short sentence") }
	r, err := only(t, instead(model(t), said, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte("\x1b[2J\u202e"))
	}), unhurried, "chat/plain")
	if err != nil {
		t.Fatal(err)
	}
	if out := written(t, r); r.OK || strings.ContainsAny(out, "\x1b\u202e") || strings.Contains(out, `\u001b`) {
		t.Error(out)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, object{"data": []any{object{"id": "a\x1b[2J"}, object{"id": "b"}}})
	}))
	defer server.Close()
	if _, err := OnlyModel(t.Context(), Target{URL: server.URL}); err == nil ||
		strings.Contains(err.Error(), "\x1b") {
		t.Error(err)
	}
}

// TestBadStreams has streams that lack what the cases look at first: cases fail, and the suite goes on.
func TestBadStreams(t *testing.T) {
	const done = "data: [DONE]\n\n"
	added := "event: response.output_item.added\ndata: " + encode(object{"type": "response.output_item.added",
		"output_index": 0, "item": object{"type": "message", "id": "m"}}) + "\n\n"
	for _, c := range []struct{ stream, patterns string }{
		{done, "chat"},
		{`data: {"choices":[]}` + "\n\n" + done, "chat"},
		{`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":-1,"id":"a"}]}}]}` + "\n\n" + done,
			"chat"},
		{`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":-1e300,"id":"a"}]}}]}` + "\n\n" + done,
			"chat"},
		{added + added + strings.ReplaceAll(added, "item.added", "item.done"), "responses"},
		{done, "gemini"},
		{"data: {}\n\n", "gemini"},
		{done, "messages"},
		{"data: null\n\n", "*"},
		{"", "*"},
	} {
		streams := func(r *http.Request, body string) bool {
			return strings.Contains(body, `"stream":true`) || strings.Contains(r.URL.Path, "streamGenerate")
		}
		r, err := only(t, instead(model(t), streams, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(c.stream))
		}), unhurried, c.patterns)
		if err != nil {
			t.Fatal(err)
		}
		if r.OK || r.Counts[Failed] == 0 || r.Stopped != "" {
			t.Errorf("%q: %s", c.stream, text(r))
		}
		if strings.Contains(text(r), "runtime error") {
			t.Errorf("%q: no case looks first: %s", c.stream, text(r))
		}
	}
}

// TestRuntimeErrors has a probe and a case that read an answer without a check.
func TestRuntimeErrors(t *testing.T) {
	var none []int
	bad := &Probe{name: "bad", free: true, run: func(*client) { _ = none[len(none)] }}
	r := &runner{ctx: t.Context(), report: &Report{}}
	if record := r.probe(&job{served: &Served{api: chatAPI}, probe: bad}); record.hung == nil ||
		!strings.Contains(record.hung.got, "index out of range") {
		t.Error(record.hung)
	}
	var result Result
	judge(&Case{judge: func(*Record) { _ = none[len(none)] }}, &Record{}, &result)
	if result.State != Failed || !strings.Contains(result.Got, "index out of range") {
		t.Error(result)
	}
}

// TestAddresses has addresses without a port, and a name that DNS does not allow.
func TestAddresses(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	if err := Await(ended, "http://[::1]"); err == nil || !strings.Contains(err.Error(), "nothing listens at") ||
		strings.Contains(err.Error(), "missing port") {
		t.Error(err)
	}
	if err := Await(t.Context(), "http://"+strings.Repeat("a", 64)+".example"); err == nil ||
		!strings.Contains(err.Error(), "check the URL") {
		t.Error(err)
	}
	for at, want := range map[string]string{"https://[::1]": "[::1]:443", "http://a.example": "a.example:80",
		"http://[::1]:7": "[::1]:7"} {
		u, err := url.Parse(at)
		if err != nil || hostPort(u) != want {
			t.Error(at, err)
		}
	}
}

// TestCancelledRun has a run whose context ends before its first probe.
func TestCancelledRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	served := []Served{{Name: "chat", Served: true, api: chatAPI, prefix: "/v1"}}
	r := Check(ctx, Target{URL: "http://127.0.0.1:1"}, served, Options{Only: []string{"chat/plain"}})
	if r.OK || r.Stopped == "" {
		t.Error(text(r))
	}
}
