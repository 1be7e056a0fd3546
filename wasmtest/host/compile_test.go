package host

import (
	"context"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBrokenCache breaks the folder of compiled modules in several ways: the module still runs, and
// the log says why the start was slow.
func TestBrokenCache(t *testing.T) {
	m := newTestModule()
	m.handler(func(c *testCode) { c.returns(c.respond(c.string("fine"), 200)) })
	wasm := m.bytes()
	entries := func(t *testing.T, dir string) []string {
		files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		return files
	}
	for name, test := range map[string]struct {
		breakIt func(t *testing.T, dir string)
		notice  bool
	}{
		"whole": {func(*testing.T, string) {}, false},
		"a file in place of the folder": {func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, os.WriteFile(dir, nil, 0o600))
		}, true},
		"an entry cut short": {func(t *testing.T, dir string) {
			for _, file := range entries(t, dir) {
				require.NoError(t, os.Truncate(file, 30))
			}
		}, true},
		"an entry with other bytes": {func(t *testing.T, dir string) {
			for _, file := range entries(t, dir) {
				b, err := os.ReadFile(file)
				require.NoError(t, err)
				b[len(b)/2] ^= 0xFF
				require.NoError(t, os.WriteFile(file, b, 0o600))
			}
		}, true},
		"a folder in place of an entry": {func(t *testing.T, dir string) {
			for _, file := range entries(t, dir) {
				require.NoError(t, os.Remove(file))
				require.NoError(t, os.Mkdir(file, 0o700))
			}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			l := &testLog{}
			start := func() *Host {
				h, err := New(context.Background(), wasm, Config{CacheDir: dir, Log: log.New(l, "", 0)})
				require.NoError(t, err)
				return h
			}
			require.NoError(t, start().Close(context.Background()))
			require.Empty(t, l.String())
			test.breakIt(t, dir)
			h := start()
			defer h.Close(context.Background())
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			assert.Equal(t, "fine", w.Body.String())
			if test.notice {
				assert.Contains(t, l.String(),
					"compiled modules can't be kept, so each start compiles anew: ")
			} else {
				assert.Empty(t, l.String())
			}
		})
	}
}
