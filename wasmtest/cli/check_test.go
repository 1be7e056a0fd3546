package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/conform"
	"edgelingua/wasmtest/demo"
)

func TestCheck(t *testing.T) {
	t.Setenv(keyVariable, liveKey)
	t.Setenv("LC_ALL", "C.UTF-8")
	upstream := httptest.NewServer(demo.New(liveKey))
	defer upstream.Close()
	for _, url := range []string{upstream.URL, upstream.URL + "/v1", upstream.URL + "/v1/"} {
		code, stdout, stderr := runs("check", "--yes", url)
		assert.Equal(t, 0, code, stdout+stderr)
		assert.Empty(t, stderr)
		assert.Regexp(t, `(?m)^plain +(✓ \d+ *){4}$`, stdout)
		assert.Regexp(t, `\n\d+ cases passed, \d+ skipped, \d+ not served, in \d+\.\d s: all is well\n$`,
			stdout)
		assert.NotContains(t, stdout, liveKey)
	}
	code, stdout, _ := runs("check", "--yes", "--json", upstream.URL)
	assert.Equal(t, 0, code)
	var r conform.Document
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	assert.True(t, r.OK)
	require.Len(t, r.Reports, 1)
	require.Len(t, r.Reports[0].APIs, 4)
	assert.Equal(t, upstream.URL+"/v1/messages", r.Reports[0].APIs[0].URL)
	assert.Equal(t, r.Counts, r.Reports[0].Counts)
	for _, result := range r.Reports[0].Results {
		if result.ID == "messages/count/1.1" {
			assert.Equal(t, conform.Absent, result.State, "the demo counts no tokens")
		}
	}
}

func TestCheckRefusals(t *testing.T) {
	t.Setenv(keyVariable, "another-key-of-the-tests")
	upstream := httptest.NewServer(demo.New(liveKey))
	defer upstream.Close()
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--yes", upstream.URL}, 1,
			"does not list its models (it answered 401); name one with --model"},
		{[]string{"--yes", "--model", "m", upstream.URL}, 1,
			"refuses the key (401); put the right one into EDGELINGUA_KEY"},
		{[]string{upstream.URL}, 2, "there is nobody to ask whether tokens may be spent"},
		{[]string{"--yes"}, 2, "after them the URL of one server"},
		{[]string{"--yes", "sk-not-a-url"}, 2, "the URL begins with https:// or http://"},
		{[]string{"--yes", "http://user:sk-secret@127.0.0.1"}, 2, "the key is read from EDGELINGUA_KEY"},
		{[]string{"--yes", "--only", "messages/steam", upstream.URL}, 2,
			"no case matches \"messages/steam\""},
		{[]string{"--explain", "messages/plain/9.9"}, 2, "there is no case"},
		{[]string{"--list", upstream.URL}, 2, "--list and --explain take no URL"},
		{[]string{"--json", "--markdown", "--yes", upstream.URL}, 2, "exclude each other"},
		{[]string{"--upstream", "bedrock", upstream.URL}, 2, "the APIs of upstreams are messages, chat"},
		{[]string{"--upstream", "chat,gemini", upstream.URL}, 2, "need the command that starts the gateway"},
		{[]string{upstream.URL, "--", "true"}, 2, "a command needs --upstream"},
		{[]string{"--upstream", "chat", "http://127.0.0.1:1", "--", "no-such-program-of-a-test"}, 1,
			"can't start the gateway"},
		{[]string{"--upstream", "chat", upstream.URL, "--", "no-such-program-of-a-test"}, 1,
			"before the gateway is started; stop that server"},
		{[]string{"--upstream", "chat", "http://" + strings.Repeat("a", 64) + ".example"}, 1, "check the URL"},
		{[]string{"--upstream", "chat", "--listen", "nowhere", upstream.URL}, 1,
			"another address with --listen"},
		{[]string{"--yes", "--model", "m", "http://127.0.0.1:1"}, 1,
			"check the URL, and that the server runs"},
	} {
		code, stdout, stderr := runs(append([]string{"check"}, test.args...)...)
		assert.Equal(t, test.code, code, stderr)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, test.want)
		assert.NotContains(t, stderr, "sk-")
		assert.NotContains(t, stderr, "another-key")
	}
}

// TestNothingTested has runs in which no case is judged: such runs must not succeed.
func TestNothingTested(t *testing.T) {
	t.Setenv(keyVariable, liveKey)
	inner := demo.New(liveKey)
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	defer chat.Close()
	code, stdout, stderr := runs("check", "--yes", "--model", "m", "--only", "messages/plain", chat.URL)
	assert.Equal(t, 1, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "--only names messages, and that API is not served: POST http://")
	code, stdout, _ = runs("check", "--yes", "--model", "m", "--only", "chat/cache", chat.URL)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, ": nothing was tested\n")
}

// TestConsent has a server whose only model tries to move the cursor in the question.
func TestConsent(t *testing.T) {
	var stderr bytes.Buffer
	mayAsk(t.Context(), strings.NewReader("n\n"), &stderr, 1, "m\x1b[2J\u202e\nGo on?", "https://a.example")
	assert.Contains(t, stderr.String(), "each to m[2J Go on? of https://a.example. Go on? [y/N] ")
}

// endingGateway has the address of a gateway that ends at its first real request. The tests start
// their own program as this gateway.
const endingGateway = "EDGELINGUA_TEST_ENDING_GATEWAY"

func TestEndingGateway(t *testing.T) {
	address := os.Getenv(endingGateway)
	if address == "" {
		t.Skip("not the gateway")
	}
	t.Error(http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if bytes.Contains(body, []byte("(c:")) {
			fmt.Fprintln(os.Stderr, "out of memory with "+liveKey)
			os.Exit(3)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"type":"invalid_request_error","message":"messages are missing"}}`)
	})))
}

// TestGatewayEnds keeps the words of a gateway that ends during the run.
func TestGatewayEnds(t *testing.T) {
	t.Setenv(keyVariable, liveKey)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	t.Setenv(endingGateway, address)
	code, stdout, stderr := runs("check", "--upstream", "chat", "--only", "chat/plain", "http://"+address, "--",
		os.Args[0], "-test.run=^TestEndingGateway$")
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, "the run ended early: the gateway ended (exit status 3): out of memory with [the key]",
		stderr)
	assert.NotContains(t, stdout, liveKey)
}

// TestCheckFiles writes JUnit's XML before the badge.
func TestCheckFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "missing")
	o := checkOptions{junit: filepath.Join(folder, "junit.xml"), badge: filepath.Join(folder, "badge.svg")}
	for range 20 {
		require.ErrorContains(t, o.print(nil, io.Discard), "junit.xml")
	}
}

// TestAreaFields finds the rows of the loss ledger that --explain names.
func TestAreaFields(t *testing.T) {
	for area, fields := range areaFields {
		require.Contains(t, conform.Areas, area)
		for api, field := range fields {
			var out bytes.Buffer
			require.NoError(t, explain(&out, api+"."+field), area)
			require.NotEmpty(t, out.String())
		}
	}
	require.Contains(t, explainCase(conform.Lookup("messages/structured/1.1")),
		"  ledger    edgelingua explain messages.output_config.format\n")
	require.NotContains(t, explainCase(conform.Lookup("messages/errors/1.1")), "ledger")
}

// TestLedgerOfFailures finds the rows of the loss ledger that a report names for its failed cases.
func TestLedgerOfFailures(t *testing.T) {
	failed := func(id string) conform.Result { return conform.Result{ID: id, State: conform.Failed} }
	var out bytes.Buffer
	require.NoError(t, (&checkOptions{}).print(conform.Reports{{Results: []conform.Result{
		failed("messages/structured/1.1"), failed("messages/errors/1.1"), failed("messages/structured/1.2"),
		{ID: "messages/reasoning/1.1", State: conform.Passed},
	}}, {Results: []conform.Result{failed("messages/structured/1.1")}}}, &out))
	require.Equal(t, 1, strings.Count(out.String(), "edgelingua explain"))
	require.Contains(t, out.String(), "`edgelingua explain messages.output_config.format` says what edgelingua "+
		"carries of this field (messages/structured/1.1, messages/structured/1.2).\n")
}
