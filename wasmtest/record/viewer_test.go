package record

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program shows the endpoint's settings to a client with the right key, like the module.
var program = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path != "/api" && r.URL.Path != "/admin/api/endpoints/anna" || r.Method != http.MethodGet:
		w.WriteHeader(http.StatusNotFound)
	case r.Header.Get("Sec-Fetch-Site") == "cross-site":
		w.WriteHeader(http.StatusForbidden)
	case r.Header.Get("X-Api-Key") != "right":
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"error":{"message":"Wrong key."}}`)
	default:
		w.WriteHeader(http.StatusOK)
		io.WriteString(w, `{"settings":1}`)
	}
})

// viewer returns a viewer of a folder with files.
func viewer(t *testing.T, endpoint string, files map[string]string) (h http.Handler, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "r")
	require.NoError(t, os.Mkdir(dir, 0o700))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	r, err := Open(Config{Dir: dir, Endpoint: endpoint, Bounds: Usual})
	require.NoError(t, err)
	t.Cleanup(func() { r.Close(10 * time.Minute) })
	return r.Viewer(program), dir
}

// get returns the answer to a GET with the right key from this machine. change changes the request.
func get(h http.Handler, path string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "http://127.0.0.1:8787"+path, nil)
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("X-Api-Key", "right")
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const name = "20261126-150405-0001.txtar"

const small = "Recorded on 2026-11-26T15:04:05.000Z: POST /v1/messages, answered 200 after 12 ms. Keys " +
	"are masked.\nedgelingua replay reads this file. In translator/testdata it is a scenario.\n" +
	"received and answered.\n" +
	"The client left.\n\n-- request.anthropic.json --\n{\"model\":\"m\"}\n" +
	"-- asked.head --\nPOST /v1/messages\n-- answered.head --\n200\nx-edgelingua-lost: top_k,messages[0].x\n"

func TestWhoMaySee(t *testing.T) {
	own, _ := viewer(t, "", map[string]string{name: small})
	personal, _ := viewer(t, "anna", map[string]string{name: small})
	const anna = "/admin/api/endpoints/anna"
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(host string) func(*http.Request) { return func(r *http.Request) { r.Host = host } }
	peer := func(address string) func(*http.Request) {
		return func(r *http.Request) { r.RemoteAddr = address }
	}
	for _, test := range []struct {
		name    string
		handler http.Handler
		path    string
		change  func(*http.Request)
		status  int
	}{
		{"this machine", own, "/api", nil, 200},
		{"IPv6", own, "/api", func(r *http.Request) { r.RemoteAddr, r.Host = "[::1]:1", "[::1]:8787" }, 200},
		{"no key", own, "/api", set("X-Api-Key", ""), 401},
		{"a wrong key", own, "/api", set("X-Api-Key", "wrong"), 401},
		{"another site", own, "/api", set("Sec-Fetch-Site", "cross-site"), 403},
		{"DNS rebinding", own, "/api", host("evil.example:8787"), 404},
		{"no host", own, "/api", host(""), 404},
		{"another machine", own, "/api", peer("192.168.0.9:1"), 404},
		{"a proxy", own, "/api", set("X-Forwarded-For", "192.0.2.1"), 404},
		{"another proxy", own, "/api", set("Forwarded", "for=192.0.2.1"), 404},
		{"not recorded", own, anna, nil, 404},
		{"the operator", personal, anna, nil, 200},
		{"the operator from elsewhere", personal, anna, func(r *http.Request) {
			r.RemoteAddr, r.Host = "192.0.2.1:1", "llm.example"
		}, 200},
		{"a stranger", personal, anna, set("X-Api-Key", ""), 401},
		{"the deployment's key", personal, "/api", nil, 404},
		{"another endpoint", personal, anna + "bel", nil, 404},
		{"POST", own, "/api", func(r *http.Request) { r.Method = "POST" }, 404},
		{"DELETE", personal, anna, func(r *http.Request) { r.Method = "DELETE" }, 404},
	} {
		for _, path := range []string{"/recordings", "/recordings/" + name} {
			w := get(test.handler, test.path+path, test.change)
			assert.Equal(t, test.status, w.Code, "%s: %s", test.name, path)
			assert.Equal(t, test.status == 200, strings.Contains(w.Body.String(), `"model":"m"`), test.name)
			assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
			if test.status == 401 {
				assert.Equal(t, "7", w.Header().Get("Retry-After"))
				assert.Contains(t, w.Body.String(), "Wrong key.")
			}
			if test.status == 200 {
				assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			}
		}
		// only who may see them is told that there are some
		_, told := get(test.handler, test.path, test.change).Header()[recordedHeader]
		assert.Equal(t, test.status == 200, told, test.name)
	}
	w := get(own, "/api/recordings/"+name, func(r *http.Request) {
		r.Method, r.Body = "GET", io.NopCloser(strings.NewReader("a body"))
		r.Header.Set("Content-Length", "6")
	})
	assert.Equal(t, 200, w.Code)
	assert.Equal(t, "anna", get(personal, anna, nil).Header().Get(recordedHeader))
}

func TestPathsStayInTheFolder(t *testing.T) {
	h, dir := viewer(t, "", map[string]string{name: small, "notes.txt": "my notes"})
	secret := filepath.Join(filepath.Dir(dir), "20261126-150405-0002.txtar")
	require.NoError(t, os.WriteFile(secret, []byte("a secret"), 0o600))
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Symlink(secret, filepath.Join(dir, "20261126-150405-0003.txtar")))
		require.NoError(t, os.Symlink(name, filepath.Join(dir, "20261126-150405-0004.txtar")))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "20261126-150405-0005.txtar"), 0o700))
	for _, path := range []string{"../20261126-150405-0002.txtar", "%2e%2e%2f20261126-150405-0002.txtar",
		"..%5c20261126-150405-0002.txtar", secret, "/" + secret, "notes.txt", ".", "..", "/", name + "/",
		name + "/..",
		name + "%00", name + "%0a", "20261126-150405-0003.txtar", "20261126-150405-0004.txtar",
		"20261126-150405-0005.txtar", "20261126-150405-0009.txtar", strings.Repeat("a", 10_000)} {
		w := get(h, "/api/recordings/"+path, nil)
		assert.Equal(t, 404, w.Code, path)
		assert.NotContains(t, w.Body.String(), "secret")
		assert.NotContains(t, w.Body.String(), "my notes")
	}
	assert.Contains(t, get(h, "/api/recordings/20261126-150405-0009.txtar", nil).Body.String(),
		"There is no such recording.")
	w := get(h, "/api/recordings", nil)
	assert.JSONEq(t, `{"recordings":[{"name":"`+name+`","time":"2026-11-26T15:04:05.000Z","method":"POST",`+
		`"path":"/v1/messages","model":"m","status":200,"ms":12}],"total":1}`, w.Body.String())
}

func TestListIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range mostListed + 5 {
		files[fmt.Sprintf("20261126-150405-%04d.txtar", i)] = small
	}
	files["20251126-150405-9999.txtar"] = "no recording, but a name of one"
	h, _ := viewer(t, "", files)
	var list listing
	require.NoError(t, json.Unmarshal(get(h, "/api/recordings", nil).Body.Bytes(), &list))
	assert.Equal(t, mostListed+6, list.Total)
	require.Len(t, list.Recordings, mostListed)
	assert.Equal(t, "20261126-150405-0204.txtar", list.Recordings[0].Name, "the newest first")
	empty, dir := viewer(t, "", map[string]string{"20251126-150405-9999.txtar": "\xff no recording"})
	assert.Contains(t, get(empty, "/api/recordings", nil).Body.String(), `"20251126-150405-9999.txtar"}`)
	assert.Equal(t, 200, get(empty, "/api/recordings/20251126-150405-9999.txtar", nil).Code)
	require.NoError(t, os.RemoveAll(dir))
	assert.NotEqual(t, 200, get(empty, "/api/recordings/20251126-150405-9999.txtar", nil).Code)
}

// TestLongRecordings has bodies over the bounds: each is cut, at a whole character, and its length is
// told.
func TestLongRecordings(t *testing.T) {
	long := strings.Repeat("é", mostText/2+10)
	text := strings.Replace(small, `{"model":"m"}`, long, 1)
	for i := range 30 {
		text += fmt.Sprintf("-- sent.%d.head --\nPOST http://127.0.0.1/v1/messages\n"+
			"-- sent.%[1]d.body --\n%s\n", i, long)
	}
	h, _ := viewer(t, "", map[string]string{name: text})
	w := get(h, "/api/recordings/"+name, nil)
	require.Equal(t, 200, w.Code)
	assert.Less(t, w.Body.Len(), mostShown+(1<<20))
	var x shown
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &x))
	assert.Len(t, x.Sides, mostSides)
	assert.Equal(t, 11, x.More)
	assert.Equal(t, len(long)+1, x.Sides[0].Request.Bytes)
	assert.Equal(t, long[:mostText], x.Sides[0].Request.Body)
	assert.Equal(t, len(long)+1, x.Sides[mostSides-1].Request.Bytes)
	assert.Empty(t, x.Sides[mostSides-1].Request.Body, "no room is left")
	assert.True(t, x.Sides[0].Request.Cut && x.Sides[mostSides-1].Request.Cut)
}

// TestShownExchanges records exchanges and shows them: both sides, the streams with their times, and
// what was lost.
func TestShownExchanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	r, _ := open(t, dir, Usual)
	stream := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"a\":\"<b>\"}\n\n")
	}
	refusal := func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{}}`, http.StatusTooManyRequests)
	}
	ask(t, r, stream, request(`{"model":"<i>","stream":true}`))
	ask(t, r, refusal, request(`{"model":"m"}`))
	ask(t, r, echo, httptest.NewRequest("POST", "/v1/messages/count_tokens",
		strings.NewReader(`{"model":"m"}`)))
	r.Close(10 * time.Minute)
	again, err := Open(Config{Dir: dir, Bounds: Usual})
	require.NoError(t, err)
	defer again.Close(10 * time.Minute)
	h := again.Viewer(program)
	var list listing
	require.NoError(t, json.Unmarshal(get(h, "/api/recordings", nil).Body.Bytes(), &list))
	require.Len(t, list.Recordings, 3)
	var all []shown
	for i := range list.Recordings {
		var x shown
		one := get(h, "/api/recordings/"+list.Recordings[2-i].Name, nil)
		require.NoError(t, json.Unmarshal(one.Body.Bytes(), &x))
		assert.Equal(t, list.Recordings[2-i], x.summary)
		require.Len(t, x.Sides, 2)
		assert.Equal(t, "anthropic", x.Sides[0].Protocol)
		assert.Equal(t, "chat", x.Sides[1].Protocol)
		all = append(all, x)
	}
	x := all[0]
	assert.Equal(t, []any{"<i>", 200, true}, []any{x.Model, x.Status, x.Again})
	assert.Empty(t, x.Notes)
	client, upstream := x.Sides[0], x.Sides[1]
	assert.Equal(t, `{"model":"<i>","stream":true}`+"\n", client.Request.Body)
	assert.True(t, strings.HasPrefix(upstream.Request.Head, "POST http://127.0.0.1:"), upstream.Request.Head)
	for _, side := range []*side{client, upstream} {
		assert.Equal(t, "data: {\"a\":\"<b>\"}\n\n", side.Answer.Body)
		assert.Equal(t, len(side.Answer.Body), side.Answer.Bytes)
		assert.True(t, side.Answer.Stream && !side.Answer.Cut)
		assert.Regexp(t, `^# milliseconds since the request, bytes as they came\n\d+\.\d 19\n$`,
			side.Answer.Times)
		assert.Equal(t, 200, side.Status)
	}
	assert.Equal(t, 429, all[1].Sides[1].Status)
	assert.Equal(t, "{\"error\":{}}\n", all[1].Sides[1].Answer.Body)
	assert.False(t, all[2].Again, "a count is no request that Try it can send")
	assert.Equal(t, "{\"model\":\"m\"}\n", all[2].Sides[0].Request.Body)

	inPath := shownOf(name, []byte("-- request.gemini.path --\n"+
		"/v1beta/models/gemini-x:generateContent?key=[key]\n"+
		"-- request.gemini.json --\n{\"contents\":[]}\n"))
	assert.Equal(t, []any{"gemini-x", true, "gemini"},
		[]any{inPath.Model, inPath.Again, inPath.Sides[0].Protocol})

	const url = "POST http://a.example/v1/messages\n"
	two := shownOf(name, []byte("Recorded.\nreceived.2.body is not here: 9 bytes.\n\n"+
		"-- upstream.anthropic.json --\n{}\n-- sent.1.head --\n"+url+"-- received.1.head --\n200\n"+
		"-- sent.2.head --\n"+url+"-- received.2.head --\n200\n-- sent.3.head --\n"+url))
	require.Len(t, two.Sides, 4)
	for i, body := range []string{"", "{}\n", "", ""} {
		assert.Equal(t, body, two.Sides[i].Answer.Body, i)
	}

	small := shownOf(name, []byte(small))
	assert.Equal(t, []string{"top_k", "messages[0].x"}, small.Lost)
	assert.Equal(t, []string{"The client left."}, small.Notes)
	require.Len(t, small.Sides, 1)
	assert.Equal(t, 200, small.Sides[0].Status)
}
