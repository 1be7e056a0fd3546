package cli

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

// settingsOf parses a command line and returns its settings, with the demo's unless demo is nil.
func settingsOf(t *testing.T, args string, demo map[string]string) map[string]string {
	t.Helper()
	o, err := parseServe(strings.Fields(args), io.Discard)
	require.NoError(t, err)
	s, err := o.settings(demo)
	require.NoError(t, err)
	return s.Vars
}

func TestSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"wrangler.toml": "[vars]\nUPSTREAM_URL=\"toml\"\nUPSTREAM_PROTOCOL=\"responses\"\nHEAD_WAIT=\"toml\"\nUPSTREAM_TIMEOUT=\"toml\"\n[env.x.vars]\nHEAD_WAIT=\"x\"",
		".dev.vars":     "UPSTREAM_KEY=dev\nUPSTREAM_TIMEOUT=dev\nMAX_OUTPUT_BYTES=dev",
		".dev.vars.x":   "UPSTREAM_TIMEOUT=x",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	demo := map[string]string{"UPSTREAM_URL": "demo", "UPSTREAM_KEY": "demo", "UPSTREAM_PROTOCOL": "chat",
		"CLIENT_KEY": "demo"}
	assert.Equal(t, map[string]string{
		"UPSTREAM_URL": "toml", "UPSTREAM_PROTOCOL": "responses", "UPSTREAM_KEY": "dev", "HEAD_WAIT": "flag",
		"UPSTREAM_TIMEOUT": "dev", "MAX_OUTPUT_BYTES": "flag",
	}, settingsOf(t, "--var HEAD_WAIT=flag --secret MAX_OUTPUT_BYTES=flag", nil))
	assert.Equal(t, map[string]string{"HEAD_WAIT": "x", "UPSTREAM_TIMEOUT": "x"}, settingsOf(t, "--env x",
		nil))
	counting := maps.Clone(demo)
	counting["USAGE"] = "true"
	assert.Equal(t, counting, settingsOf(t, "--demo", demo), "no file is read")
	assert.Equal(t, "false", settingsOf(t, "--demo --var USAGE=false", demo)["USAGE"])
	assert.NotContains(t, settingsOf(t, "--demo --var AUTH=forward", demo), "USAGE")
	assert.Equal(t, map[string]string{
		"UPSTREAM_URL": "demo", "UPSTREAM_KEY": "flag", "UPSTREAM_PROTOCOL": "responses",
		"CLIENT_KEY": "demo", "HEAD_WAIT": "toml", "UPSTREAM_TIMEOUT": "dev", "MAX_OUTPUT_BYTES": "dev",
		"USAGE": "true",
	}, settingsOf(t, "--config wrangler.toml --secret UPSTREAM_KEY=flag", demo))
	assert.Equal(t, "demo", settingsOf(t, "--config wrangler.toml", demo)["UPSTREAM_KEY"])
}

// TestWrongBoolean: a host does not start with an ALLOW_HTTP_UPSTREAM that only looks like a
// boolean.
func TestWrongBoolean(t *testing.T) {
	builttest.Path(t)
	t.Chdir(t.TempDir())
	for _, text := range []string{"False", "no", "off", "0.0", ""} {
		o, err := parseServe([]string{"--wasm", module, "--demo", "--var", "ALLOW_HTTP_UPSTREAM=" + text},
			io.Discard)
		require.NoError(t, err)
		err = serve(o, nil, io.Discard, io.Discard)
		require.EqualError(t, err,
			"This deployment is not set up: ALLOW_HTTP_UPSTREAM must be true or false, or not set at all.")
	}
}

// TestServeReadsTheFolder has all settings in files of the folder.
func TestServeReadsTheFolder(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer upstream-key", r.Header.Get("Authorization"))
		body, _ := io.ReadAll(r.Body)
		assert.Contains(t, string(body), `"first"`)
		w.WriteHeader(http.StatusTeapot)
	}))
	defer upstream.Close()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("wrangler.toml",
		[]byte("[vars]\nUPSTREAM_PROTOCOL=\"chat\"\nUPSTREAM_URL=\""+upstream.URL+
			"\"\n[vars.MODELS]\n\"z*\"=\"first\"\n\"*\"=\"second\"\n"), 0o600))
	require.NoError(t, os.WriteFile(".dev.vars", []byte("CLIENT_KEY=own-key\nUPSTREAM_KEY=upstream-key\n"),
		0o600))
	s := startServer(t)
	status, _ := post(t, s.url+"/v1/messages", "own-key",
		`{"model":"z1","max_tokens":1,"messages":[{"role":"user","content":"Hi"}]}`)
	assert.Equal(t, http.StatusTeapot, status)
	log := s.stop(t)
	assert.Contains(t, log, "settings of wrangler.toml, .dev.vars\n")
	assert.NotContains(t, log, "own-key")
}
