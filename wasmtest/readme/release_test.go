package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/worker/endpoint"
)

// TestServiceFiles checks release/compose.yaml and the systemd unit without Docker and systemd: the
// settings exist, serve has the flags, and docs/self-hosting.md names both files.
func TestServiceFiles(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		return string(text)
	}
	code := allCode(t)
	guide := read("docs/self-hosting.md")
	for path, pattern := range map[string]string{
		"release/compose.yaml":       `(?m)^    command: \["serve", (.*)\]$`,
		"release/edgelingua.service": `(?m)^ExecStart=/usr/local/bin/edgelingua serve (.*)$`,
	} {
		text := read(path)
		assert.True(t, strings.Contains(guide, "(../"+path+")"), "docs/self-hosting.md names no %s", path)
		found := regexp.MustCompile(pattern).FindStringSubmatch(text)
		require.NotNil(t, found, path)
		for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(found[1], -1) {
			known := strings.Contains(code, `"`+flag[1]+`"`)
			assert.True(t, known, "%s: serve has no flag --%s", path, flag[1])
		}
		assert.Contains(t, found[1], "--data", "%s: without it all data are in memory", path)
		names := regexp.MustCompile(`EDGELINGUA_SET_([A-Z_]+)|LoadCredential=([A-Z_]+):`).
			FindAllStringSubmatch(text, -1)
		require.Greater(t, len(names), 4, path)
		for _, name := range names {
			setting := strings.TrimSuffix(name[1]+name[2], "_FILE")
			assert.True(t, endpoint.Known(setting), "%s: %s is no setting", path, setting)
		}
		assert.NotRegexp(t, `(?m)_KEY[=:] *[^/\s]`, text, "%s: a key in the file", path)
		assert.NotContains(t, text, "\t", path)
	}
}
