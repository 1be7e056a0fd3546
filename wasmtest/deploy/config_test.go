package deploy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoURLsOfVersions: with the project's wrangler.toml and the releases' template, no old version
// is served, with the secrets of its time.
func TestNoURLsOfVersions(t *testing.T) {
	for _, path := range []string{"../../wrangler.toml", "../../release/template/wrangler.toml"} {
		var file struct {
			Served *bool `toml:"preview_urls"`
		}
		_, err := toml.DecodeFile(path, &file)
		require.NoError(t, err)
		require.NotNil(t, file.Served, path)
		require.False(t, *file.Served, path)
	}
}

// TestNoURLsInLogs: Cloudflare logs no URLs with the project's wrangler.toml or a generated file.
// Both keep the worker's own lines.
func TestNoURLsInLogs(t *testing.T) {
	own, err := os.ReadFile("../../wrangler.toml")
	require.NoError(t, err)
	const head = "name = \"w\"\n"
	for name, test := range map[string]struct {
		text, environment string
		want              any    // of observability.logs.invocation_logs
		err               string // instead of want
	}{
		"the project's": {text: string(own), want: false},
		"an older one":  {text: head + "[observability]\nenabled = true\n", want: false},
		"an environment": {text: head + "[env.x.observability]\nenabled = true\n", environment: "x",
			want: false},
		"one that inherits": {text: head + "[observability]\nenabled = true\n[env.x]\n", environment: "x",
			want: false},
		"one that says so": {text: head +
			"[observability]\nenabled = true\nlogs = {invocation_logs = true}\n", want: true},
		"no logs": {text: head, want: nil},
		"logs, half set": {text: head + "[observability.logs]\nenabled = true\n",
			err: "add invocation_logs = false to its [observability.logs], or true if that is meant"},
		"in one line": {text: head + "observability = {enabled = true}\n",
			err: "add invocation_logs = false"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "wrangler.toml")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			c, err := readConfig(path, test.environment)
			require.NoError(t, err)
			text, err := c.generated(true, "")
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
			var made map[string]any
			_, err = toml.Decode(text, &made)
			require.NoError(t, err)
			at := made
			if environments, ok := made["env"].(map[string]any); ok {
				if env := environments[test.environment].(map[string]any); env["observability"] != nil {
					at = env
				}
			}
			observed, _ := at["observability"].(map[string]any)
			logs, _ := observed["logs"].(map[string]any)
			assert.Equal(t, test.want, logs["invocation_logs"])
			if test.want == false {
				assert.Equal(t, true, observed["enabled"])
			}
		})
	}
	var kept map[string]any
	_, err = toml.Decode(string(own), &kept)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"enabled": true, "logs": map[string]any{"invocation_logs": false}},
		kept["observability"])
}
