package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

const (
	goodKey  = "3b1f0c9d5e7a42668890"
	goodSeal = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)

// TestWrongSettings: each wrong setting is one line and exit code 2, before the server listens;
// --check reports the same.
func TestWrongSettings(t *testing.T) {
	builttest.Path(t)
	t.Chdir(t.TempDir())
	const missing = "(missing)"
	good := map[string]string{"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": "http://127.0.0.1:1/v1",
		"CLIENT_KEY": goodKey}
	for _, c := range []struct{ name, value, want string }{
		{"MODELS", `{"a":`, "MODELS is not JSON"},
		{"MODELS", `["a"]`, "MODELS"},
		{"MODELS", `{"a":1}`, "MODELS"},
		{"OPTIONS", "nope", "OPTIONS is not JSON"},
		{"OPTIONS", `{"lossy":"maybe"}`, "OPTIONS.lossy"},
		{"OPTIONS", `{"unheard_of":true}`, "OPTIONS.unheard_of"},
		{"UPSTREAM_OPTIONS", "[", "UPSTREAM_OPTIONS is not JSON"},
		{"UPSTREAM_OPTIONS", `{"unheard_of":true}`, "UPSTREAM_OPTIONS.unheard_of"},
		{"UPSTREAM_PROTOCOL", missing, "UPSTREAM_PROTOCOL is not set"},
		{"UPSTREAM_PROTOCOL", "openai",
			"UPSTREAM_PROTOCOL must be anthropic, chat, responses, gemini or interactions."},
		{"UPSTREAM_URL", missing, "UPSTREAM_URL is not set"},
		{"UPSTREAM_URL", "api.openai.com/v1", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "ftp://api.example.com", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "http://", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https://user:pass@host/v1", "UPSTREAM_URL must hold no user and no password."},
		{"HEAD_WAIT", "abc", "HEAD_WAIT must be a number of seconds"},
		{"UPSTREAM_TIMEOUT", "-1", "UPSTREAM_TIMEOUT must be a number of seconds"},
		{"MAX_OUTPUT_BYTES", "many", "MAX_OUTPUT_BYTES must be a whole number of bytes"},
		{"AUTH", "none", "AUTH must be \"forward\""},
		{"ALLOW_HTTP_UPSTREAM", "yes", "ALLOW_HTTP_UPSTREAM must be true or false"},
		{"CLIENT_KEY", "", "This deployment has no CLIENT_KEY"},
		{"CLIENT_KEY", "a-key-of-yours",
			"CLIENT_KEY is an example of the documents, which everybody knows. Set another one: `openssl " +
				"rand -hex 24` makes one."},
		{"CLIENT_KEY", "demo", "CLIENT_KEY is an example"},
		{"CLIENT_KEY", goodKey + " ", "CLIENT_KEY begins or ends with white space"},
		{"ADMIN_KEY", "short", "no ADMIN_KEY of 16 characters or more"},
		{"ADMIN_KEY", "choose-another-long-random-key", "ADMIN_KEY is an example"},
		{"SEAL_KEY", "short",
			"The secret SEAL_KEY is not 32 bytes in base64. This makes one: openssl rand -base64 32"},
		{"SEAL_KEY_PREVIOUS", "short", "The secret SEAL_KEY_PREVIOUS is not 32 bytes"},
		{"UPSTREAM_UR", "https://api.example.com", "UPSTREAM_UR is none (did you mean UPSTREAM_URL?)"},
		{"COLOUR", "red", "COLOUR is none; docs/settings.md lists them"},
	} {
		for _, more := range [][]string{nil, {"--check"}} {
			args := append([]string{"serve", "--wasm", module, "--addr", "127.0.0.1:0", "--data", "state"},
				more...)
			for name, value := range good {
				if name != c.name || c.value != missing {
					args = append(args, "--var", name+"="+value)
				}
			}
			if c.value != missing {
				args = append(args, "--var", c.name+"="+c.value)
			}
			var stdout, stderr strings.Builder
			assert.Equal(t, exitUsage, run(args, nil, nil, &stdout, &stderr), "%s=%s", c.name, c.value)
			assert.Contains(t, stderr.String(), c.want)
			assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), "one line: %s", stderr.String())
			assert.NotContains(t, stderr.String(), goodKey)
			assert.Empty(t, stdout.String())
			assert.NoFileExists(t, "state")
		}
	}
}

// TestServeCheck: --check names the upstream and unknown settings of the files. It makes no files.
func TestServeCheck(t *testing.T) {
	builttest.Path(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("wrangler.toml",
		[]byte("[vars]\nUPSTREAM_PROTOCOL=\"chat\"\nUPSTREAM_URL=\"https://api.example.com/v1\"\nUPSTREAM_UR=\"x\"\nFOO=\"x\"\n"), 0o600))
	require.NoError(t, os.WriteFile(".dev.vars",
		[]byte("CLIENT_KEY="+goodKey+"\nUPSTREAM_KEY=sk-secret\nADMIN_KEY="+goodKey+"2\nSEAL_KEY="+goodSeal+
			"\n"), 0o600))
	t.Setenv("EDGELINGUA_SET_BAR", "x")
	var stdout, stderr strings.Builder
	assert.Equal(t, 0, run([]string{"serve", "--wasm", module, "--check", "--data", "state"}, nil, nil,
		&stdout, &stderr))
	assert.Equal(t, "settings of wrangler.toml, .dev.vars, EDGELINGUA_SET_*\n"+
		"note: no settings, and ignored: UPSTREAM_UR (did you mean UPSTREAM_URL?), BAR, FOO\n"+
		"upstream: chat https://api.example.com/v1 (key set), clients need a key, page at /admin\n",
		stderr.String())
	assert.Empty(t, stdout.String())
	entries, err := filepath.Glob("*")
	require.NoError(t, err)
	assert.Equal(t, []string{".dev.vars", "wrangler.toml"}, entries)

	stderr.Reset()
	assert.Equal(t, 0, run([]string{"serve", "--wasm", module, "--check", "--demo"}, nil, nil, &stdout,
		&stderr))
	assert.Equal(t, "upstream: chat the demo's own (key set), clients need a key\n", stderr.String())

	stderr.Reset()
	assert.Equal(t, 0, run([]string{"serve", "--wasm", module, "--check", "--demo", "--var",
		"ADMIN_KEY=" + goodKey}, nil, nil, &stdout, &stderr))
	assert.Contains(t, stderr.String(),
		"page at /admin; SEAL_KEY is not set, so no personal endpoint can have an upstream with a key: ")
}

// TestCheckAndServeAgree: --check refuses the same flags and settings as serve.
func TestCheckAndServeAgree(t *testing.T) {
	builttest.Path(t)
	t.Chdir(t.TempDir())
	const admin = "--secret=ADMIN_KEY=" + goodKey
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--demo", admin, "--record", "recordings"}, "--record is refused where ADMIN_KEY is set"},
		{[]string{"--demo", "--var", "UPSTREAM_URL=https://api.example.com/v1"},
			"everybody knows the key of --demo"},
		{[]string{"--config", "no.toml"}, "there is no no.toml"},
		{[]string{"--demo", "--metrics-addr", "0.0.0.0:9464"},
			"--metrics-addr takes localhost or a loopback address"},
		{[]string{"--demo", "--metrics-addr", ":9464"},
			"--metrics-addr takes localhost or a loopback address"},
		{[]string{"--demo", "--var", "TRUSTED_PROXIES=127.0.0.1,localhost"},
			`TRUSTED_PROXIES has "localhost": it must be a list of networks and addresses`},
		{[]string{"--demo", "--var", "OTLP_URL=http://user:private@127.0.0.1:4318"},
			"OTLP_URL must be an http or https URL without user and query"},
		{[]string{"--demo", "--var", "OTLP_URL=http://127.0.0.1:4318", "--secret",
			"OTLP_HEADERS=x-key private"}, "OTLP_HEADERS has a mistake in header 1"},
	} {
		for _, more := range [][]string{nil, {"--check"}} {
			var stderr strings.Builder
			args := slices.Concat([]string{"serve", "--addr", "127.0.0.1:0", "--wasm", module}, c.args, more)
			assert.Equal(t, exitUsage, run(args, nil, nil, io.Discard, &stderr), "%q", args)
			assert.Contains(t, stderr.String(), c.want)
			assert.NotContains(t, stderr.String(), "private")
			assert.NoFileExists(t, "recordings")
		}
	}
	var stderr strings.Builder
	for _, args := range []string{admin + " --record recordings --record-endpoint anna",
		"--var UPSTREAM_URL=http://[::1]:11434/v1",
		"--var UPSTREAM_URL=https://api.example.com/v1 --secret CLIENT_KEY=" + goodKey} {
		assert.Equal(t, 0, run(append([]string{"serve", "--check", "--demo", "--wasm", module},
			strings.Fields(args)...), nil, nil, io.Discard, &stderr), "%s: %s", args, stderr.String())
	}
}

// TestAKeyInPlaceOfAName: if the name of a secret is missing, or a space replaces the "=", no error
// shows the key.
func TestAKeyInPlaceOfAName(t *testing.T) {
	t.Chdir(t.TempDir())
	const key = "QWxhZGRpbjpvcGVuIHNlc2FtZTEyMzQ1Njc4OTAxMjM"
	for _, args := range [][]string{
		{"--secret", key + "="}, {"--var", key + "="}, {"--secret", key}, {"--var", key}, {"--secret",
			"UPSTREAM_KEY", key},
	} {
		var stderr strings.Builder
		assert.Equal(t, exitUsage, run(append([]string{"serve", "--check"}, args...), nil, nil, io.Discard,
			&stderr))
		assert.NotContains(t, stderr.String(), key)
		assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), "one line: %s", stderr.String())
	}
}

// TestManyUnknownNames: a file with many names for other programs makes one short note.
func TestManyUnknownNames(t *testing.T) {
	vars := map[string]string{"UPSTREAM_URL": "", "ENDPOINTS": ""}
	assert.Empty(t, unknown(vars))
	for _, name := range strings.Split("ABCDEFGHIJKL", "") {
		vars["OTHER_"+name] = ""
	}
	vars["OPTION"] = ""
	assert.Equal(t,
		"no settings, and ignored: OPTION (did you mean OPTIONS?), OTHER_A, OTHER_B, OTHER_C, OTHER_D, "+
			"OTHER_E, OTHER_F, OTHER_G, OTHER_H, OTHER_I and 3 more",
		unknown(vars))
}
