package page

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHandler tests which paths are files, and that no path leads out of the folder. e2e/page.test.mjs tests the heads of their
// answers.
func TestHandler(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "page")
	require.NoError(t, os.Mkdir(folder, 0o755))
	put(t, filepath.Join(root, "outside.bin"), "outside")
	for _, name := range []string{"admin.html", "owner.html", "api.mjs"} {
		put(t, filepath.Join(folder, name+".bin"), "text of "+name)
	}
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	h := Handler(folder, next)
	for _, c := range []struct{ method, path, accept, file string }{
		{"GET", "/admin", "", "admin.html"},
		{"GET", "/admin/", "*/*", "admin.html"},
		{"GET", "/u/anna", "text/html,*/*", "owner.html"},
		{"GET", "/u/anna/", "text/html", "owner.html"},
		{"GET", "/page/api.mjs", "", "api.mjs"},
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

// put writes a packed file.
func put(t *testing.T, path, text string) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(text))
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o644))
}
