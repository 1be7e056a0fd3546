package page

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHandler tests which paths are files, and that all paths stay in the folder.
// e2e/page/files.test.mjs tests the headers of the answers.
func TestHandler(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "page")
	require.NoError(t, os.Mkdir(folder, 0o755))
	put(t, filepath.Join(root, "outside.bin"), "outside")
	for _, name := range []string{"admin.html", "home.html", "owner.html", "api.mjs", "openapi.json"} {
		put(t, filepath.Join(folder, name+".bin"), "text of "+name)
	}
	next := http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})
	h := Handler(os.DirFS(folder), false, next)
	for _, c := range []struct{ method, path, accept, file string }{
		{"GET", "/admin", "", "admin.html"},
		{"GET", "/admin/", "*/*", "admin.html"},
		{"GET", "/", "text/html,*/*", "home.html"},
		{"GET", "/", "*/*", ""},
		{"GET", "/", "", ""},
		{"POST", "/", "text/html", ""},
		{"GET", "/index.html", "text/html", ""},
		{"GET", "/u/anna", "text/html,*/*", "owner.html"},
		{"GET", "/u/anna/", "text/html", "owner.html"},
		{"GET", "/page/api.mjs", "", "api.mjs"},
		{"GET", "/openapi.json", "*/*", "openapi.json"},
		{"POST", "/openapi.json", "", ""},
		{"GET", "/u/anna/openapi.json", "", ""},
		{"GET", "/u/anna/", "*/*", ""},
		{"GET", "/u/Anna/", "text/html", ""},
		{"GET", "/u/anna/v1/models", "text/html", ""},
		{"GET", "/page/", "", ""},
		{"GET", "/page/missing.mjs", "", ""},
		{"GET", "/page/../outside", "", ""},
		{"GET", `/page/..\outside`, "", ""},
		{"GET", "/page/..", "", ""},
		{"POST", "/admin", "", ""},
	} {
		r := httptest.NewRequest(c.method, "/", nil)
		r.URL.Path = c.path
		r.Header.Set("Accept", c.accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if c.file == "" {
			require.Equal(t, http.StatusTeapot, w.Code, c.path)
			continue
		}
		require.Equal(t, http.StatusOK, w.Code, c.path)
		z, err := gzip.NewReader(w.Body)
		require.NoError(t, err)
		var text bytes.Buffer
		_, err = text.ReadFrom(z)
		require.NoError(t, err)
		require.Equal(t, "text of "+c.file, text.String())
	}
}

// TestDemo tests that only the page of the demo is redirected to the demo's key, and only once.
func TestDemo(t *testing.T) {
	folder := t.TempDir()
	put(t, filepath.Join(folder, "home.html.bin"), "text")
	h := Handler(os.DirFS(folder), true, http.NotFoundHandler())
	for _, c := range []struct {
		url, accept, location string
		status                int
	}{
		{"/", "text/html", "/?demo", http.StatusFound},
		{"/?demo", "text/html", "", http.StatusOK},
		{"/?x", "text/html", "", http.StatusOK},
		{"/", "*/*", "", http.StatusNotFound},
		{"/u/anna/", "text/html", "", http.StatusNotFound},
		{"//evil.example", "text/html", "", http.StatusNotFound},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(c.url, "?")
		r.Header.Set("Accept", c.accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Equal(t, c.status, w.Code, c.url)
		require.Equal(t, c.location, w.Header().Get("Location"), c.url)
	}
}

// TestHoldsNoFile tests that a request uses only a small part of the file's size in memory while
// its client does not read.
func TestHoldsNoFile(t *testing.T) {
	const size, requests = 4 << 20, 20
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "app.wasm.bin"), make([]byte, size), 0o644))
	h := Handler(os.DirFS(folder), false, http.NotFoundHandler())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var all, begun sync.WaitGroup
	read := make(chan struct{})
	writers := make([]*unread, requests)
	begun.Add(requests)
	for i := range writers {
		writers[i] = &unread{ResponseWriter: httptest.NewRecorder(), begun: begun.Done, read: read}
		all.Go(func() { h.ServeHTTP(writers[i], httptest.NewRequest("GET", "/page/app.wasm", nil)) })
	}
	begun.Wait()
	runtime.ReadMemStats(&after)
	close(read)
	all.Wait()
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size))
	for _, w := range writers {
		require.Equal(t, size, w.n)
	}
}

// unread is the answer to a client that reads nothing until read is closed. No byte is retained.
type unread struct {
	http.ResponseWriter
	begun func() // called at the first byte
	read  chan struct{}
	n     int
}

func (w *unread) Write(p []byte) (int, error) {
	if w.n == 0 {
		w.begun()
		<-w.read
	}
	w.n += len(p)
	return len(p), nil
}

// put writes a packed file.
func put(t *testing.T, path, text string) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(text))
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o644))
}
