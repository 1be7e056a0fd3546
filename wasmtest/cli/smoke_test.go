package cli

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
	"edgelingua/wasmtest/host"
)

const liveKey = "live-key-of-the-tests"

// runs runs a command line without a terminal.
func runs(args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = run(args, nil, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

func TestSmoke(t *testing.T) {
	builttest.Path(t)
	t.Setenv("LC_ALL", "C.UTF-8")
	code, stdout, stderr := runs("smoke", "--wasm", module)
	assert.Equal(t, 0, code, stdout)
	assert.Empty(t, stderr)
	assert.Equal(t, 16, strings.Count(stdout, "/")-1, stdout)
	for _, client := range []string{"anthropic", "chat", "responses", "gemini"} {
		assert.Regexp(t, `(?m)^`+client+`/responses +(✓ [\d.]+ m?s *){10}$`, stdout)
		assert.Regexp(t, `(?m)^`+client+` +(✓ [\d.]+ m?s *){7}$`, stdout)
	}
	assert.Regexp(t, `\n428 checks in \d+\.\d s: all is well\n$`, stdout)
	assert.NotContains(t, stdout, "\x1b")
	t.Setenv("LC_ALL", "C")
	_, stdout, _ = runs("smoke", "--wasm", module)
	assert.Regexp(t, `^[ -~\n]*$`, stdout)
}

// smokeReport is the output of --json.
type smokeReport struct {
	OK     bool
	MS     float64
	Checks []struct {
		Name, Pair          string
		OK                  bool
		MS                  float64
		Expected, Got, Note string
	}
	Usage []struct {
		Path   string
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	}
}

func reported(t *testing.T, stdout string) (r smokeReport) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(stdout), &r), stdout)
	return r
}

func TestSmokeJSON(t *testing.T) {
	builttest.Path(t)
	code, stdout, stderr := runs("smoke", "--json", "--wasm", module)
	assert.Equal(t, 0, code)
	assert.Empty(t, stderr)
	r := reported(t, stdout)
	assert.True(t, r.OK)
	assert.Positive(t, r.MS)
	names := map[string]int{}
	for _, c := range r.Checks {
		assert.True(t, c.OK)
		names[c.Pair+" "+c.Name]++
	}
	assert.Len(t, names, len(r.Checks), "no two checks have one name")
	assert.Equal(t, 1, names["responses/anthropic tool call, streamed"])
}

// throughProxy starts a proxy of a server and returns its address. change changes the server's
// answers.
func throughProxy(t *testing.T, address string, change func(r *http.Response, body string) string) string {
	t.Helper()
	to, err := url.Parse(address)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		changed := change(r, string(body))
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(changed)), int64(len(changed))
		r.Header.Set("Content-Length", strconv.Itoa(len(changed)))
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

func TestSmokeLive(t *testing.T) {
	t.Setenv(keyVariable, liveKey)
	for _, protocol := range []string{"anthropic", "chat", "responses", "gemini"} {
		s := startServer(t, "--demo", "--secret", "CLIENT_KEY="+liveKey, "--var",
			"UPSTREAM_PROTOCOL="+protocol)
		code, stdout, stderr := runs("smoke", "--url", s.url, "--yes")
		assert.Equal(t, 0, code, stdout+stderr)
		assert.Empty(t, stderr)
		assert.Regexp(t, `\n44 checks in \d+\.\d s: all is well\n$`, stdout)
		assert.Regexp(t, `\n/v1/responses: [1-9]\d* input tokens, [1-9]\d* output tokens\n`, stdout)
		assert.NotContains(t, stdout, liveKey)
		assert.NotContains(t, s.stop(t), liveKey)
	}
}

// TestSmokeLiveRequests counts the requests to a deployed worker's model, and checks the token
// limit of each.
func TestSmokeLiveRequests(t *testing.T) {
	s := startServer(t, "--demo", "--secret", "CLIENT_KEY="+liveKey)
	defer s.stop(t)
	limits := regexp.MustCompile(
		`"(max_tokens|max_output_tokens|max_completion_tokens|maxOutputTokens)":(\d+)`,
	)
	asked, refusedOnce := map[string]int{}, 0
	to, _ := url.Parse(s.url)
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		limit := limits.FindStringSubmatch(string(body))
		if limit != nil && r.Header.Get("X-Api-Key") == liveKey || r.Header.Get("Authorization") == "Bearer "+
			liveKey && limit != nil || r.Header.Get("X-Goog-Api-Key") == liveKey && limit != nil {
			if limit[1] == "max_tokens" && strings.HasSuffix(r.URL.Path, "completions") {
				refusedOnce++
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(400)
				io.WriteString(w,
					`{"error":{"message":"Use 'max_completion_tokens' instead.",`+
						`"type":"invalid_request_error","param":"max_tokens",`+
						`"code":"unsupported_parameter"}}`)
				return
			}
			asked[r.URL.Path+" "+limit[2]]++
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()
	code, stdout, _ := runs("smoke", "--url", server.URL, "--key", liveKey, "--yes", "--json")
	assert.Equal(t, 0, code, stdout)
	assert.Equal(t, map[string]int{"/v1/messages 64": 4, "/v1/chat/completions 64": 4, "/v1/responses 64": 4,
		"/v1beta/models/demo:generateContent 64": 2, "/v1beta/models/demo:streamGenerateContent 64": 2},
		asked)
	assert.Equal(t, 1, refusedOnce)
	usage := reported(t, stdout).Usage
	assert.Len(t, usage, 4)
	assert.Positive(t, usage[0].Output)
}

func TestSmokeLiveFailures(t *testing.T) {
	s := startServer(t, "--demo", "--secret", "CLIENT_KEY="+liveKey)
	defer s.stop(t)
	for name, test := range map[string]struct {
		change func(r *http.Response, body string) string
		args   string
		want   string // must be in the output
	}{
		"no message_stop": {
			change: func(_ *http.Response, body string) string {
				return strings.Replace(body, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
					"", 1)
			},
			want: "anthropic, text, streamed\n    expected: message_stop at the end\n    got:      the " +
				"end behind message_delta {",
		},
		"the key in an answer": {
			change: func(r *http.Response, body string) string {
				r.Header.Set("X-Echo", liveKey)
				return body
			},
			want: "responses, tool call, plain\n    expected: an answer without the key\n    got:      " +
				"the key is in the header X-Echo\n",
		},
		"no such model": {
			args: "--model demo-error-404",
			want: "chat, text, plain\n    expected: status 200\n    got:      404 " +
				"{\"error\":{\"code\":null,\"message\":\"demo upstream: This is a 404, as asked.\",",
		},
		"a limit that is not kept": {
			change: func(_ *http.Response, body string) string {
				return regexp.MustCompile(`("output_tokens":)\d+`).ReplaceAllString(body, "${1}65")
			},
			want: "anthropic, text, streamed\n    expected: at most 64 output tokens (the rest is not " +
				"asked)\n    got:      65\n/v1/messages: ",
		},
	} {
		address := s.url
		if test.change != nil {
			address = throughProxy(t, s.url, test.change)
		}
		code, stdout, stderr := runs(append([]string{"smoke", "--url", address, "--key", liveKey, "--yes"},
			strings.Fields(test.args)...)...)
		assert.Equal(t, 1, code, name)
		assert.Contains(t, stdout, test.want, name)
		assert.NotContains(t, stdout+stderr, liveKey)
		assert.Equal(t, "edgelingua: not all is well\n", stderr)
	}
}

// TestSmokeLiveNotes has models that do not follow the requests: no fault of the worker.
func TestSmokeLiveNotes(t *testing.T) {
	s := startServer(t, "--demo", "--secret", "CLIENT_KEY="+liveKey)
	defer s.stop(t)
	refused := `{"error":{"message":"tool_choice is not supported","type":"invalid_request_error",` +
		`"param":null,"code":null}}`
	for want, change := range map[string]func(r *http.Response, body string) string{
		"~ chat, tool call, plain: forced calls are refused: tool_choice is " +
			"not supported\n": func(r *http.Response, body string) string {
			if !strings.Contains(body, `"tool_calls":[{"id"`) && !strings.Contains(body,
				`"tool_calls":[{"function"`) {
				return body
			}
			r.StatusCode = 400
			r.Header.Set("Content-Type", "application/json")
			return refused
		},
		"~ chat, tool call, plain: the model answered with a text, though the " +
			"call is forced\n": func(_ *http.Response, body string) string {
			return regexp.MustCompile(`"content":null,("refusal":null,"role":"assistant"),`+
				`"tool_calls":\[.*?\]`).ReplaceAllString(body, `"content":"No.",$1`)
		},
		"~ responses, text, plain: the model used its 64 tokens up before it " +
			"said anything\n": func(_ *http.Response, body string) string {
			if !strings.HasPrefix(body, `{"id":"resp_`) || strings.Contains(body, "function_call") {
				return body
			}
			body = regexp.MustCompile(`"output":\[.*?\],"status":"completed",`+
				`"completed_at":[0-9]+`).ReplaceAllString(body,
				`"output":[],"status":"incomplete","completed_at":null`)
			return strings.Replace(body, `"incomplete_details":null`,
				`"incomplete_details":{"reason":"max_output_tokens"}`, 1)
		},
	} {
		code, stdout, _ := runs("smoke", "--url", throughProxy(t, s.url, change), "--key", liveKey, "--yes")
		assert.Equal(t, 0, code, stdout)
		assert.Contains(t, stdout, want)
	}
}

// TestSmokeUnreachable has wrong values of --url and --key. Each failure is one line with the way
// out.
func TestSmokeUnreachable(t *testing.T) {
	s := startServer(t, "--demo", "--secret", "CLIENT_KEY="+liveKey)
	defer s.stop(t)
	list := startServer(t, "--demo", "--secret", "CLIENT_KEY="+liveKey, "--var",
		`MODELS={"one":"demo","two":"demo"}`)
	defer list.stop(t)
	notSetUp, err := load(module, host.Config{Env: map[string]string{"CLIENT_KEY": liveKey}})
	require.NoError(t, err)
	defer notSetUp.Close(context.Background())
	broken := httptest.NewServer(notSetUp)
	defer broken.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // logs the client's hang-up
	secure.StartTLS()
	defer secure.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html>hello")
	}))
	defer page.Close()
	away := httptest.NewServer(http.RedirectHandler("https://example.com/", http.StatusFound))
	defer away.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, test := range []struct{ address, key, want string }{
		{gone.URL, liveKey, "can't reach " + gone.URL + " ("},
		{secure.URL, liveKey, "the certificate of " + secure.URL + " is not good ("},
		{strings.Replace(s.url, "http:", "https:", 1), liveKey, "does not speak TLS; try http://"},
		{page.URL, liveKey, page.URL + " is no edgelingua (GET / answered 200, text/html); --url is"},
		{away.URL, liveKey, "is no edgelingua (GET / answered 302, a redirect to https://example.com/); "},
		{s.url, "another-secret-key", s.url + " refuses the key; give the CLIENT_KEY"},
		{list.url, liveKey, "there are 2 models at " + list.url +
			"; name the one to ask with --model: one, two"},
		{broken.URL, liveKey, broken.URL + " can't work: This deployment is not set up: UPSTREAM_PROTOCOL"},
	} {
		code, stdout, stderr := runs("smoke", "--url", test.address, "--key", test.key, "--yes")
		assert.Equal(t, 1, code, test.want)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, test.want)
		assert.Equal(t, 1, strings.Count(stderr, "\n"))
		assert.NotContains(t, stderr, test.key)
	}
}

func TestSmokeCommandLine(t *testing.T) {
	t.Setenv(keyVariable, "")
	for args, want := range map[string]string{
		"smoke a-key":   "smoke takes flags only; ",
		"smoke --key k": "--key, --model and --yes need --url; ",
		"smoke --url https://a.example": "--url needs the worker's CLIENT_KEY, in EDGELINGUA_KEY " +
			"or as --key; ",
		"smoke --url a.example": "it begins with https:// or http://; ",
		"smoke --url https://a.example/v1": "it is the address of the worker alone: " +
			"https://a.example; ",
		"smoke --url http://127.0.0.1:1 --key k": "there is nobody to ask whether tokens may be spent; " +
			"say so with --yes",
	} {
		code, stdout, stderr := runs(strings.Fields(args)...)
		assert.Equal(t, exitUsage, code, args)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, want)
		assert.NotContains(t, stderr, "a-key")
		assert.Equal(t, 1, strings.Count(stderr, "\n"))
	}
	code, _, stderr := runs("smoke", "--wasm", "no.wasm")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "there is no no.wasm; run ./build.sh")
	code, stdout, _ := runs("smoke", "-h")
	assert.Equal(t, 0, code)
	for _, said := range []string{"Exit codes: 0", "--json prints one object", "--yes", keyVariable} {
		assert.Contains(t, stdout, said)
	}
}

func TestConfirm(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, " YES\n": true, "y": true, "n\n": false,
		"\n": false, "": false, "yeah\n": false} {
		var asked strings.Builder
		assert.Equal(t, want, confirm(context.Background(), strings.NewReader(answer), &asked, "Go on? "),
			"%q", answer)
		assert.Equal(t, "Go on? ", asked.String())
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	silent, w := io.Pipe()
	defer w.Close()
	assert.False(t, confirm(stopped, silent, io.Discard, "Go on? "))
}

func TestAttended(t *testing.T) {
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	file, err := os.Create(t.TempDir() + "/file")
	require.NoError(t, err)
	defer file.Close()
	for _, end := range []any{null, file, strings.NewReader(""), nil} {
		assert.False(t, attended(end))
	}
}

func TestLocale(t *testing.T) {
	for _, test := range []struct {
		all, kind, lang string
		want            bool
	}{
		{"", "", "", false}, {"", "", "en_US.UTF-8", true}, {"C", "", "en_US.UTF-8", false},
		{"", "de_DE.utf8", "C", true}, {"", "C", "de_DE.utf8", false},
	} {
		env := map[string]string{"LC_ALL": test.all, "LC_CTYPE": test.kind, "LANG": test.lang}
		assert.Equal(t, test.want, speaksUTF8(func(name string) string { return env[name] }), "%+v", test)
	}
}
