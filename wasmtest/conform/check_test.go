package conform

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const modelKey = "key-of-a-model-5e20"

// model is a server of all four APIs with a model that obeys: it calls a forced tool.
func model(t *testing.T) http.Handler {
	t.Helper()
	all := map[string]*Upstream{}
	for _, name := range []string{"messages", "chat", "responses", "gemini"} {
		u, err := NewUpstream(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = u
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "chat"
		switch {
		case strings.Contains(r.URL.Path, "/v1beta/"):
			name = "gemini"
		case r.Header.Get("Anthropic-Version") != "":
			name = "messages"
		case strings.Contains(r.URL.Path, "/responses"):
			name = "responses"
		}
		key := r.Header.Get("X-Api-Key") + r.Header.Get("X-Goog-Api-Key") + r.Header.Get("Authorization")
		if !strings.Contains(key, modelKey) {
			all[name].fail(w, http.StatusUnauthorized, "wrong key", nil)
			return
		}
		all[name].ServeHTTP(w, r)
	})
}

// only checks a server with some cases, and returns the report, or the error of Find.
func only(t *testing.T, handler http.Handler, patience time.Duration, patterns ...string) (*Report, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	target := Target{URL: Base(server.URL + "/v1/"), Key: modelKey, Model: "some-model", Patience: patience}
	served, err := Find(context.Background(), target)
	if err != nil {
		return nil, err
	}
	return Check(context.Background(), target, served, Options{Only: patterns}), nil
}

// unhurried is longer than any answer takes.
const unhurried = 10 * time.Minute

func text(r *Report) string {
	var b strings.Builder
	Reports{r}.Write(&b, Look{})
	return b.String()
}

func TestServerWithAModel(t *testing.T) {
	r, err := only(t, model(t), unhurried)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.Counts[Passed] < 100 || r.Counts[Skipped] < 300 {
		t.Error(text(r))
	}
	for _, x := range r.Results {
		if x.State == Skipped && Lookup(x.ID).needs != form && !strings.Contains(x.Note, "--upstream") {
			t.Errorf("%s: %s", x.ID, x.Note)
		}
	}
}

// instead answers requests to a path with another handler.
func instead(inner http.Handler, when func(r *http.Request, body string) bool,
	other http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if when(r, string(body)) {
			other(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	}
}

// TestBadServers has the errors for what is no such server: one line each, with the way out.
func TestBadServers(t *testing.T) {
	redirect := http.RedirectHandler("https://elsewhere.example/", http.StatusPermanentRedirect)
	for name, c := range map[string]struct {
		server   http.Handler
		patience time.Duration
		want     string
	}{
		"no such path": {http.NotFoundHandler(), unhurried, "there is none of the four APIs at http://"},
		"a web page": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<html>")
		}), unhurried, "check the URL"},
		"LM Studio's answer": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, object{"error": "Unexpected endpoint or method. (POST /v1/messages)"})
		}), unhurried, "there is none of the four APIs"},
		"a redirect": {redirect, unhurried, "308, a redirect to https://elsewhere.example/, which the " +
			"key must not"},
		"a wrong key": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusUnauthorized, failure("chat", 401, "no"))
		}), unhurried, "refuses the key (401); put the right one into EDGELINGUA_KEY"},
		"a rate limit": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "20")
			reply(w, http.StatusTooManyRequests, failure("chat", 429, "slow down"))
		}), unhurried, "limits the rate (429); run again in 20 s, or with --only for fewer requests"},
		"one that hangs": {http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			// Without reading, net/http does not notice that the client leaves.
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}), 200 * time.Millisecond, "did not answer within 200ms; check the URL, and that the server runs"},
		"one without an end": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for more := make([]byte, 1<<20); ; {
				if _, err := w.Write(more); err != nil {
					return
				}
			}
		}), unhurried, "an answer of 32 MB or more"},
	} {
		_, err := only(t, c.server, c.patience)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") ||
			strings.Contains(err.Error(), modelKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Find(context.Background(), Target{URL: "http://127.0.0.1:1"}); err == nil ||
		!strings.Contains(err.Error(), "check the URL, and that the server runs") {
		t.Error(err)
	}
}

// TestOneAPI finds the only API of a server, at a path without a version.
func TestOneAPI(t *testing.T) {
	inner := model(t)
	r, err := only(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/chat/completions" && r.URL.Path != "/models" {
			http.NotFound(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	}), unhurried, "*/plain", "*/models")
	if err != nil {
		t.Fatal(err)
	}
	out := text(r)
	if !r.OK || !r.APIs[1].Served || r.APIs[0].Served ||
		!strings.Contains(out, "- messages is not served: POST http://") {
		t.Error(out)
	}
}

// TestTroubleInARun has servers that fail after their APIs are found.
func TestTroubleInARun(t *testing.T) {
	said := func(_ *http.Request, body string) bool { return strings.Contains(body, "short sentence") }
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	r, err := only(t, instead(model(t), said, hang), 300*time.Millisecond, "*/plain", "*/connection")
	if err != nil {
		t.Fatal(err)
	}
	if out := text(r); r.OK || !strings.Contains(out, "in a row had no whole answer, the last one: "+
		"nothing whole "+
		"within 300ms of POST /v1") {
		t.Error(out)
	}
	r, err = only(t, instead(model(t), said, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "9")
		reply(w, http.StatusTooManyRequests, failure("chat", 429, "slow down"))
	}), unhurried, "*/plain")
	if err != nil {
		t.Fatal(err)
	}
	if out := text(r); r.OK || !strings.Contains(out, "the run ended early: http://") ||
		!strings.Contains(out, "limits the rate (429); run again in 9 s") {
		t.Error(out)
	}
	r, err = only(t, instead(model(t), said, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, object{"choices": []any{}, "usage": object{"prompt_tokens": 1,
			"completion_tokens": 900, "input_tokens": 1, "output_tokens": 900},
			"usageMetadata": object{"candidatesTokenCount": 900}})
	}), unhurried, "*/plain")
	if err != nil {
		t.Fatal(err)
	}
	if out := text(r); r.OK || !strings.Contains(out, "an answer had 900 tokens, and the limit is 64") {
		t.Error(out)
	}
}

// TestModelsOfTheirOwn has models that accept less, or say less: nothing fails.
func TestModelsOfTheirOwn(t *testing.T) {
	has := func(text string) func(_ *http.Request, body string) bool {
		return func(_ *http.Request, body string) bool { return strings.Contains(body, text) }
	}
	refuse := func(message string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusBadRequest, failure("chat", 400, message))
		}
	}
	for _, c := range []struct {
		server         http.Handler
		patterns, note string
		passed         int
	}{
		{instead(model(t), has(`"max_tokens"`), refuse("Use 'max_completion_tokens' instead.")),
			"chat/plain", "", 4},
		{instead(model(t), has(`"tool_choice"`), refuse("tool_choice is not supported")), "chat/tools",
			"forced calls are refused: ", 0},
		{instead(model(t), has("short sentence"), func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, object{"id": "a", "choices": []any{object{"index": 0,
				"finish_reason": "length",
				"message":       object{"role": "assistant", "content": ""}}}})
		}), "chat/plain", "the model used its 64 tokens up", 0},
	} {
		r, err := only(t, c.server, unhurried, c.patterns)
		if err != nil {
			t.Fatal(err)
		}
		noted := c.note == ""
		for _, x := range r.Results {
			noted = noted || x.State == Skipped && strings.Contains(x.Note, c.note)
		}
		if r.OK != (c.passed > 0) || r.Counts[Failed] > 0 || r.Counts[Passed] != c.passed || !noted {
			t.Error(text(r), r.Results)
		}
	}
}

// TestOutputs reads the reports of a run with a failure in each form.
func TestOutputs(t *testing.T) {
	inner := model(t)
	r, err := only(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := httptest.NewRecorder()
		inner.ServeHTTP(out, r)
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(out.Code)
		_, _ = w.Write(out.Body.Bytes())
	}), unhurried, "chat/plain", "chat/cache/1.1")
	if err != nil {
		t.Fatal(err)
	}
	all := Reports{r}
	if out := text(r); !strings.Contains(out, "NO chat/plain/1.1 (fails): a plain answer is JSON\n") ||
		!strings.Contains(out, "expected: content-type application/json") || strings.Contains(out, "\x1b") {
		t.Error(out)
	}
	var b strings.Builder
	var document Document
	if err := all.JSON(&b); err != nil || json.Unmarshal([]byte(b.String()), &document) != nil ||
		document.OK ||
		document.Suite != 1 || document.Counts[Failed] != 1 || len(document.Reports[0].Results) != 16 {
		t.Error(err, b.String())
	}
	b.Reset()
	var suites junitSuites
	if err := all.JUnit(&b); err != nil || xml.Unmarshal([]byte(b.String()), &suites) != nil ||
		suites.Suites[0].Failures != 1 || len(suites.Suites[0].Cases) != 16 {
		t.Error(err, b.String())
	}
	b.Reset()
	if err := all.Badge(&b); err != nil || xml.Unmarshal([]byte(b.String()), new(struct{})) != nil ||
		!strings.Contains(b.String(), ">3 of 4<") {
		t.Error(err, b.String())
	}
	b.Reset()
	all.Markdown(&b)
	for _, want := range []string{"| client/upstream | cache | plain |\n", "| chat | - | 3/4 |\n",
		"- `chat/plain/1.1` (fails): a plain answer is JSON.", "| prompt caching | 1.1 prefix: texts |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		id, pattern string
		want        bool
	}{
		{"messages/stream/1.1", "messages", true}, {"messages/stream/1.1", "messages/stream/", true},
		{"messages/stream/1.1", "messages/stream/1", true}, {"messages/stream/1.10",
			"messages/stream/1.1", false},
		{"messages/stream/1.1", "*/stream", true}, {"messages/stream/1.1", "mess", false},
		{"messages/stream/1.1", "messages/stream/1.1/x", false},
	} {
		if Matches(c.id, []string{c.pattern}) != c.want {
			t.Error(c)
		}
	}
	if got := Unknown([]string{"messages", "*/steam"}); got != "*/steam" {
		t.Error(got)
	}
}
