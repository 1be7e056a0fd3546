package smoke

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/demo"
)

// unhurried is longer than any answer takes.
const unhurried = 10 * time.Minute

// checked checks a server with the model demo, and returns the report, or the error of Find.
func checked(t *testing.T, handler http.Handler, patience time.Duration) (*Report, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	target := Target{URL: Base(server.URL + "/v1/"), Key: upstreamKey, Patience: patience}
	apis, err := Find(context.Background(), target, "demo")
	if err != nil {
		assert.NotContains(t, err.Error(), upstreamKey)
		return nil, err
	}
	r := Check(context.Background(), target, "demo", apis, nil)
	for _, line := range failures(r) {
		assert.NotContains(t, line, upstreamKey)
	}
	return r, nil
}

// served returns the names of the served APIs.
func served(r *Report) (names []string) {
	for _, api := range r.APIs {
		if api.Served {
			names = append(names, api.Name)
		}
	}
	return names
}

func TestCheck(t *testing.T) {
	r, err := checked(t, demo.New(upstreamKey), unhurried)
	require.NoError(t, err)
	assert.Empty(t, failures(r))
	assert.Equal(t, []string{"anthropic", "chat", "responses", "gemini"}, served(r))
	assert.Len(t, r.Checks, 4*(4+4)+2)
	var text strings.Builder
	r.Write(&text, Style{})
	assert.Regexp(t,
		`(?m)^client +models +count_tokens +wrong key +not JSON +{}\nanthropic +ok \S+ ms +- +ok \S+ ms `+
			`+ok \S+ ms +ok \S+ ms\nchat +ok \S+ ms {17,}ok `, text.String())
}

// TestCheckOfAModule checks the module with an upstream of Chat Completions.
func TestCheckOfAModule(t *testing.T) {
	m, target := start(t)
	m.pass()
	apis, err := Find(context.Background(), target, "demo")
	require.NoError(t, err)
	r := Check(context.Background(), target, "demo", apis, nil)
	assert.Empty(t, failures(r))
	assert.Equal(t, []string{"anthropic", "chat", "responses", "gemini"}, served(r))
}

// only serves the paths of the demo with one of the given ends. If bare is true, the paths must not
// begin with /v1.
func only(bare bool, ends ...string) http.Handler {
	inner := demo.New(upstreamKey)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, end := range ends {
			if strings.HasSuffix(r.URL.Path, end) && strings.HasPrefix(r.URL.Path, "/v1/") != bare {
				inner.ServeHTTP(w, r)
				return
			}
		}
		http.NotFound(w, r)
	})
}

func TestCheckFindsWhatIsThere(t *testing.T) {
	r, err := checked(t, only(false, "/chat/completions"), unhurried)
	require.NoError(t, err)
	assert.Empty(t, failures(r))
	assert.Equal(t, []string{"chat"}, served(r))
	var text strings.Builder
	r.Write(&text, Style{})
	assert.Regexp(t, `\n- anthropic is not served: POST http://\S+/messages answered 404 text/plain\n`,
		text.String())
	assert.Regexp(t, `(?m)^chat +- +ok`, text.String(), "a list of models is missing, and need not be there")

	r, err = checked(t, only(true, "/messages", "/models"), unhurried)
	require.NoError(t, err)
	assert.Empty(t, failures(r))
	assert.Equal(t, []string{"anthropic"}, served(r))
	assert.Regexp(t, `^http://[\d.:]+/messages$`, r.APIs[0].URL)

	_, err = checked(t, http.NotFoundHandler(), unhurried)
	assert.ErrorContains(t, err, "there is none of the four APIs at http://")
	_, err = checked(t, demo.New("another key"), unhurried)
	assert.ErrorContains(t, err, "refuses the key (401)")
	// LM Studio has answered so, with status 200
	_, err = checked(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"error":"Unexpected endpoint or method. (POST /v1/messages)"}`)
	}), unhurried)
	assert.ErrorContains(t, err, "there is none of the four APIs")
}

// TestCheckOfBrokenServers checks servers, each with one fault.
func TestCheckOfBrokenServers(t *testing.T) {
	inner := demo.New(upstreamKey)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("a redirect was followed to %s, with the key: %t", r.URL,
			strings.Contains(r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"), upstreamKey))
	}))
	defer elsewhere.Close()
	answer := func(change func(body string) string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			a := httptest.NewRecorder()
			inner.ServeHTTP(a, r)
			w.Header().Set("Content-Type", a.Header().Get("Content-Type"))
			w.WriteHeader(a.Code)
			io.WriteString(w, change(a.Body.String()))
		}
	}
	// asked serves the demo, except for requests with text in their body: these get the answer of
	// instead.
	asked := func(text string, instead http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			if strings.Contains(string(body), text) {
				instead(w, r)
				return
			}
			inner.ServeHTTP(w, r)
		}
	}
	for name, test := range map[string]struct {
		server   http.HandlerFunc
		patience time.Duration
		want     string
	}{
		"events in the wrong order": {answer(func(body string) string {
			if start, rest, ok := strings.Cut(body, "event: content_block_start"); ok &&
				strings.HasPrefix(start, "event: message_start") {
				return "event: content_block_start" + rest + start
			}
			return body
		}), unhurried, "anthropic, text, streamed: expected message_start as the first event, and only " +
			"there; got content_block_start"},
		"a field that is missing": {answer(func(body string) string {
			return strings.Replace(body,
				`"role":"assistant",`, "", 1)
		}),
			unhurried, "anthropic, text, plain: expected the body.role; got {"},
		"no ids of calls": {answer(func(body string) string {
			return strings.ReplaceAll(body, `"call_id":`,
				`"call":`)
		}),
			unhurried, "responses, tool call, plain: expected the body.output[0].call_id; got {"},
		"an error in plain text": {asked(`{"model":"demo"}`, func(w http.ResponseWriter,
			r *http.Request) {
			http.Error(w, "messages required", 400)
		}),
			unhurried, "chat, wrong key: expected content-type application/json; got text/plain; " +
				"charset=utf-8: messages required"},
		"an error in plain text for what is no JSON": {func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Body = io.NopCloser(strings.NewReader(string(body))); string(body) == "{" {
				http.Error(w, "Internal Server Error", 500)
				return
			}
			inner.ServeHTTP(w, r)
		}, unhurried, "chat, not JSON: expected content-type application/json; got text/plain"},
		"one that hangs": {asked("stream_options", func(w http.ResponseWriter,
			r *http.Request) {
			<-r.Context().Done()
		}),
			1500 * time.Millisecond, "chat, text, streamed: expected an answer; got nothing whole within "},
		"a stream without an end": {asked("stream_options", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, "data: {}\n\n"+strings.Repeat(": more\n\n",
					10_000)); err != nil {
					return
				}
			}
		}), unhurried, "chat, text, streamed: expected an answer; got an answer of 16 MB and more, of " +
			"which the rest was not read"},
		"a redirect": {asked("short sentence", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
		}),
			unhurried, "chat, text, plain: expected status 200; got 307, a redirect to " + elsewhere.URL +
				"/v1/chat/completions, which the key must not follow"},
		"one that repeats the key": {asked("short sentence", func(w http.ResponseWriter,
			r *http.Request) {
			w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		}),
			unhurried, "chat, text, plain: expected an answer without the key; got the key is in the " +
				"header X-Echo"},
	} {
		r, err := checked(t, test.server, test.patience)
		for err != nil && test.patience < unhurried { // even the first answer came too late
			test.patience *= 10
			r, err = checked(t, test.server, test.patience)
		}
		if test.patience < unhurried {
			test.want += test.patience.String()
		}
		if assert.NoError(t, err, name) {
			assert.False(t, r.OK, name)
			assert.Contains(t, strings.Join(failures(r), "\n"), test.want, name)
		}
	}
	_, err := checked(t, http.RedirectHandler(elsewhere.URL, http.StatusPermanentRedirect), unhurried)
	assert.ErrorContains(t, err, "308, a redirect to "+elsewhere.URL)
	_, err = checked(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // without reading, net/http does not notice that the client leaves
		<-r.Context().Done()
	}), 200*time.Millisecond)
	assert.ErrorContains(t, err, "did not answer within 100ms; check the URL, and that the server runs")
	_, err = checked(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for more := make([]byte, 1<<20); ; {
			if _, err := w.Write(more); err != nil {
				return
			}
		}
	}), unhurried)
	assert.ErrorContains(t, err,
		"sent an answer of 16 MB and more, of which the rest was not read; check the URL")
}
