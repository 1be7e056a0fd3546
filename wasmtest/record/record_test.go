package record

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/corpus"
)

// ask sends requests of a client through a recorder. The handler calls an upstream, which answers
// with answer.
func ask(t *testing.T, r *Recorder, answer http.HandlerFunc, requests ...*http.Request) {
	t.Helper()
	upstream := httptest.NewServer(answer)
	defer upstream.Close()
	handler := r.Handler(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		require.NoError(t, err)
		sent, err := http.NewRequestWithContext(request.Context(), "POST",
			upstream.URL+"/v1/chat/completions", strings.NewReader(string(body)))
		require.NoError(t, err)
		response, err := r.Watch(http.DefaultTransport).RoundTrip(sent)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer response.Body.Close()
		w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
		w.Header().Set("Content-Encoding", response.Header.Get("Content-Encoding"))
		io.Copy(w, response.Body)
	}))
	for _, request := range requests {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request)
		assert.NotZero(t, w.Code)
	}
}

func request(body string) *http.Request {
	return httptest.NewRequest("POST", "/v1/messages", strings.NewReader(body))
}

// open opens a recorder, and returns its log.
func open(t *testing.T, dir string, bounds Bounds) (r *Recorder, logged *strings.Builder) {
	t.Helper()
	logged = &strings.Builder{}
	r, err := Open(Config{Dir: dir, Bounds: bounds, Log: log.New(logged, "", 0),
		Settings: map[string]string{"CLIENT_KEY": "short", "MODELS": `{"a":"b"}`}})
	require.NoError(t, err)
	return r, logged
}

// files returns the texts of the files in a folder.
func files(t *testing.T, dir string) (texts []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	return texts
}

func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.Copy(w, r.Body)
}

func TestBounds(t *testing.T) {
	const wide = 1 << 20
	for name, test := range map[string]struct {
		bounds Bounds
		files  int
		logged string
		holds  string // expected in a file
	}{
		"a body": {Bounds{Body: 10, File: wide, Memory: wide, Files: 9, Folder: wide}, 3, "",
			"request.anthropic.json is not here: 23 bytes, for which there was no room."},
		"a file": {Bounds{Body: wide, File: 80, Memory: wide, Files: 9, Folder: wide}, 3, "",
			"answered.body is not here: 23 bytes, for which there was no room."},
		"the memory": {Bounds{Body: wide, File: wide, Memory: 80, Files: 9, Folder: wide}, 3, "",
			"answered.body is not here: 23 bytes, for which there was no room."},
		"files": {Bounds{Body: wide, File: wide, Memory: wide, Files: 2, Folder: wide}, 2,
			"RECORDING HAS STOPPED: ", "-- request.anthropic.json --"},
		"the folder": {Bounds{Body: wide, File: wide, Memory: wide, Files: 9, Folder: 1600}, 1,
			"RECORDING HAS STOPPED: ", "-- request.anthropic.json --"},
	} {
		dir := filepath.Join(t.TempDir(), "r")
		r, logged := open(t, dir, test.bounds)
		r.Announce()
		for range 3 {
			ask(t, r, echo, request(`{"model":"a","words":1}`))
		}
		r.Close(10 * time.Minute)
		texts := files(t, dir)
		if assert.Len(t, texts, test.files, name) {
			assert.Contains(t, strings.Join(texts, ""), test.holds, name)
		}
		assert.Contains(t, logged.String(), test.logged, name)
		assert.Contains(t, logged.String(), "note: CLIENT_KEY has less than 8 characters")
		again, logged := open(t, dir, test.bounds)
		again.Announce()
		assert.Equal(t, name == "files", strings.Contains(logged.String(), "RECORDING HAS STOPPED"),
			"the next run counts what is there: %s", logged)
		again.Close(10 * time.Minute)
	}
}

// TestDiskThatFails removes the folder: requests are still served.
func TestDiskThatFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	r, logged := open(t, dir, Usual)
	require.NoError(t, os.Remove(dir))
	ask(t, r, echo, request("{}"), request("{}"))
	r.Close(10 * time.Minute)
	assert.Equal(t, 1, strings.Count(logged.String(), "RECORDING HAS STOPPED"), logged)
	assert.Zero(t, r.held.Load())
	ask(t, r, echo, request("{}")) // a request that ends after Close
}

// TestManyHeaders sends 200 KB of headers with names like those of keys: that recording is left out,
// and the next is written.
func TestManyHeaders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	r, logged := open(t, dir, Usual)
	many := request("{}")
	for i := range 10_000 {
		many.Header.Set(fmt.Sprintf("X-%d-Key", i), fmt.Sprintf("%05d-is-a-secret", i))
	}
	ask(t, r, echo, many, request("{}"))
	r.Close(10 * time.Minute)
	assert.Len(t, files(t, dir), 1)
	assert.Equal(t, "RECORDING: an exchange is left out: its secrets have more than 64 KB\n", logged.String())
}

// held is a context whose values are available once release is closed.
type held struct {
	context.Context
	release chan struct{}
}

func (h held) Value(key any) any {
	<-h.release
	return h.Context.Value(key)
}

// TestFullQueue fills the queue while the first recording is being written: the recordings without
// room are counted.
func TestFullQueue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	r, logged := open(t, dir, Bounds{Files: 2 * mostWaiting, Folder: 1 << 30})
	first := request("{}")
	release := make(chan struct{})
	r.take(&recording{recorder: r, request: first.WithContext(held{first.Context(), release}),
		calls: []*call{{}}})
	for len(r.queue) > 0 {
		runtime.Gosched()
	}
	for range mostWaiting + 3 {
		r.take(&recording{recorder: r, request: request("{}"), calls: []*call{{}}})
	}
	close(release)
	r.Close(10 * time.Minute)
	assert.Len(t, files(t, dir), mostWaiting+1)
	assert.Contains(t, logged.String(), "RECORDING: 3 exchanges were left out")
}

func TestQuery(t *testing.T) {
	for query, want := range map[string]string{
		"": "", "beta=true&limit=5&after": "?beta=true&limit=5&after",
		"key=abcdefghij": "?key=[key]", "a%2Dsecret-0123": "?[key]", "key": "?[key]",
		"a&&b=c": "?[key]&&b=[key]",
	} {
		shown, secrets := queryOf(query)
		assert.Equal(t, want, shown)
		if strings.Contains(query, "secret") {
			assert.Equal(t, []string{"a-secret-0123"}, secrets)
		}
	}
}

// TestFaultOfItsOwn makes the recorder panic on a recording: the program continues.
func TestFaultOfItsOwn(t *testing.T) {
	r, logged := open(t, filepath.Join(t.TempDir(), "r"), Usual)
	broken := request("{}")
	ask(t, r, func(w http.ResponseWriter, _ *http.Request) { broken.URL = nil }, broken)
	r.Close(10 * time.Minute)
	assert.Contains(t, logged.String(), "RECORDING HAS STOPPED: an exchange can't be written down")
}

// TestNeverOverwrites puts a file, and a link to a file elsewhere, under the names of the next
// recordings.
func TestNeverOverwrites(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	r, _ := open(t, dir, Usual)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	require.NoError(t, os.WriteFile(elsewhere, []byte("theirs"), 0o600))
	for second := range 60 { // one of them is the second of the request
		name := time.Now().Add(time.Duration(second) * time.Second).UTC().Format("20060102-150405")
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+"-0001.txtar"), []byte("older"), 0o600))
		require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, name+"-0002.txtar")))
	}
	ask(t, r, echo, request("{}"))
	r.Close(10 * time.Minute)
	made, err := filepath.Glob(filepath.Join(dir, "*-0003.txtar"))
	require.NoError(t, err)
	assert.Len(t, made, 1)
	older, err := filepath.Glob(filepath.Join(dir, "*-0001.txtar"))
	require.NoError(t, err)
	for _, name := range append(older, elsewhere) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Contains(t, []string{"older", "theirs"}, string(text))
	}
}

// TestForms records answers that are compressed or do not fit the form of a scenario.
func TestForms(t *testing.T) {
	const secret = "sk-0123456789abcdefghij"
	dir := filepath.Join(t.TempDir(), "r")
	r, _ := open(t, dir, Usual)
	for _, answer := range []http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprintf(z, `{"zipped":%q}`, secret)
			z.Close()
		},
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "compress")
			io.WriteString(w, "\x1f\x9d "+secret)
		},
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<p>\n-- request.chat.json --\n{\"model\":\"another\"}\n</p>")
		},
	} {
		ask(t, r, answer, request(`{"model":"a"}`))
	}
	r.Close(10 * time.Minute)
	texts := files(t, dir)
	require.Len(t, texts, 3)
	assert.NotContains(t, strings.Join(texts, ""), secret)
	assert.Contains(t, texts[0], "-- upstream.chat.json --\n{\"zipped\":\"[key]\"}\n")
	assert.Contains(t, texts[0], `-- config --`+"\n"+`{"models":{"a":"b"},"upstream_url":"http://127.0.0.1:`)
	assert.Contains(t, texts[1],
		`upstream.chat.json is not here: 26 bytes of "compress", which is not read here.`)
	s, err := corpus.Parse("a", []byte(texts[2]))
	require.NoError(t, err)
	assert.Equal(t, "{\"model\":\"a\"}\n", string(s.Request))
	assert.Contains(t, texts[2], "\n -- request.chat.json --\n")
}

// TestCompressedRequests records requests whose bodies are compressed: the recording has the decoded
// body, without its secrets, or says why the body is missing.
func TestCompressedRequests(t *testing.T) {
	const secret = "sk-0123456789abcdefghij"
	packed := func(w io.WriteCloser, from *bytes.Buffer, body []byte) []byte {
		_, err := w.Write(body)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return from.Bytes()
	}
	zipped := func(body []byte) []byte {
		var b bytes.Buffer
		return packed(gzip.NewWriter(&b), &b, body)
	}
	deflated := func(body []byte) []byte {
		var b bytes.Buffer
		return packed(zlib.NewWriter(&b), &b, body)
	}
	framed := func(body []byte) []byte {
		var b bytes.Buffer
		w, err := zstd.NewWriter(&b)
		require.NoError(t, err)
		return packed(w, &b, body)
	}
	const good, kept = `{"model":"a","system":"` + secret + `"}`, "json --\n{\"model\":\"a\",\"system\":\"[key]\"}\n"
	bomb := strings.Repeat(" ", 2000)
	for _, x := range []struct {
		coding string
		body   []byte
		want   string
	}{
		{"gzip", zipped([]byte(good)), kept},
		{"X-GZIP", zipped([]byte(good)), kept},
		{"deflate", deflated([]byte(good)), kept},
		{"zstd", framed([]byte(good)), kept},
		{"gzip, zstd", framed(zipped([]byte(good))), kept},
		{"identity", []byte(good), kept},
		{"zstd", framed([]byte(bomb)), `of "zstd", which are too many once they are read.`},
		{"gzip", zipped([]byte(bomb)), `of "gzip", which are too many once they are read.`},
		{"zstd", []byte(secret), `23 bytes of "zstd", which could not be read.`},
		{"gzip", []byte(secret), `23 bytes of "gzip", which could not be read.`},
		{"zstd, zstd, zstd", []byte(secret), `23 bytes of "zstd, zstd, zstd", which is not read here.`},
	} {
		dir := filepath.Join(t.TempDir(), "r")
		bounds := Usual
		bounds.Body = 1000
		r, _ := open(t, dir, bounds)
		asked := request(string(x.body))
		asked.Header.Set("Content-Encoding", x.coding)
		ask(t, r, func(http.ResponseWriter, *http.Request) {}, asked)
		r.Close(10 * time.Minute)
		texts := files(t, dir)
		require.Len(t, texts, 1)
		section, _, _ := strings.Cut(texts[0], "-- sent.1.body --") // the handler of the test sends the body on
		assert.NotContains(t, section, secret, x.coding)
		assert.Contains(t, section, x.want, x.coding)
	}
}
