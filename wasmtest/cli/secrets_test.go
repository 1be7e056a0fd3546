package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/readme"
	"edgelingua/wasmtest/wrangler"
)

// write makes a file with a mode, regardless of the umask, and returns its path.
func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

// loaded parses a command line and returns its settings, or the error, which must not have a
// secret.
func loaded(t *testing.T, args string, demo map[string]string) (*wrangler.Settings, error) {
	t.Helper()
	o, err := parseServe(strings.Fields(args), io.Discard)
	if err != nil {
		return nil, err
	}
	return o.settings(demo)
}

// TestPrecedence has each setting in one more source than the one before. docs/settings.md lists
// the sources in this order.
func TestPrecedence(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"UPSTREAM_URL", "UPSTREAM_KEY", "CLIENT_KEY", "ADMIN_KEY", "SEAL_KEY"}
	write(t, "wrangler.toml", "[vars]\n"+strings.Join(names, "='toml'\n")+"='toml'\n", 0o600)
	write(t, ".dev.vars", strings.Join(names[1:], "=dev\n")+"=dev\n", 0o600)
	t.Setenv("CREDENTIALS_DIRECTORY", t.TempDir())
	for _, name := range names[2:] {
		write(t, filepath.Join(os.Getenv("CREDENTIALS_DIRECTORY"), name), "systemd\n", 0o400)
	}
	write(t, filepath.Join(os.Getenv("CREDENTIALS_DIRECTORY"), "TLS_KEY"), "", 0o400) // of another service
	t.Setenv("EDGELINGUA_SET_ADMIN_KEY", "environment")
	t.Setenv("EDGELINGUA_SET_SEAL_KEY_FILE", write(t, filepath.Join(t.TempDir(), "seal"), "docker\r\n",
		0o600))
	s, err := loaded(t, "--secret SEAL_KEY=@"+write(t, filepath.Join(t.TempDir(), "seal"), "flag", 0o600),
		nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"UPSTREAM_URL": "toml", "UPSTREAM_KEY": "dev", "CLIENT_KEY": "systemd",
		"ADMIN_KEY": "environment", "SEAL_KEY": "flag"}, s.Vars)
	assert.Equal(t, []string{"wrangler.toml", ".dev.vars", "$CREDENTIALS_DIRECTORY", "EDGELINGUA_SET_*"},
		s.Files)
	assert.Empty(t, s.Notes)
}

// TestTheEnvironmentIsDropped: no later process inherits the settings.
func TestTheEnvironmentIsDropped(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("EDGELINGUA_SET_UPSTREAM_KEY", "key")
	t.Setenv("EDGELINGUA_SET_MODELS_FILE", write(t, "models", "{\n}\n", 0o644))
	t.Setenv("EDGELINGUA_KEY", "a client's")
	s, err := loaded(t, "", nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"UPSTREAM_KEY": "key", "MODELS": "{\n}"}, s.Vars)
	assert.Empty(t, s.Notes, "MODELS are no secret")
	assert.NotContains(t, strings.Join(os.Environ(), "\n"), "EDGELINGUA_SET_")
	assert.Equal(t, "a client's", os.Getenv("EDGELINGUA_KEY"))
}

// TestTheDemoKeepsItsUpstream: the environment of a shell does not redirect the demo's requests.
func TestTheDemoKeepsItsUpstream(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"UPSTREAM_PROTOCOL", "UPSTREAM_URL", "UPSTREAM_KEY", "AUTH", "ADMIN_KEY"} {
		t.Setenv("EDGELINGUA_SET_"+name, "environment")
	}
	s, err := loaded(t, "--demo", map[string]string{"UPSTREAM_URL": "demo", "UPSTREAM_KEY": "demo",
		"CLIENT_KEY": "demo"})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"UPSTREAM_URL": "demo", "UPSTREAM_KEY": "demo", "CLIENT_KEY": "demo",
		"ADMIN_KEY": "environment", "USAGE": "true"}, s.Vars)
}

// TestOthersMayRead: a secret's file readable by other users gives a warning, but not if Docker or
// systemd made the file.
func TestOthersMayRead(t *testing.T) {
	t.Chdir(t.TempDir())
	path := write(t, filepath.Join(t.TempDir(), "key"), "a-secret-value", 0o644)
	s, err := loaded(t, "--secret UPSTREAM_KEY=@"+path, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"every user of this machine can read " + path +
		", which has UPSTREAM_KEY; this makes it yours alone: chmod 600 " + path}, s.Notes)
	t.Setenv("EDGELINGUA_SET_UPSTREAM_KEY_FILE", path)
	s, err = loaded(t, "", nil)
	require.NoError(t, err)
	assert.Len(t, s.Notes, 1)
	for path, want := range map[string]bool{"/run/secrets/key": false, "/run/secrets/../key": true,
		"/home/anna/key": true} {
		assert.Equal(t, want, !managed(path), path)
	}
	require.NoError(t, os.Chmod(path, 0o640))
	s, err = loaded(t, "--secret UPSTREAM_KEY=@"+path, nil)
	require.NoError(t, err)
	assert.Empty(t, s.Notes, "a group is given on purpose")
}

func TestWrongSecrets(t *testing.T) {
	t.Chdir(t.TempDir())
	empty, line := write(t, "empty", "", 0o600), write(t, "line", "\n", 0o600)
	two := write(t, "two", "a-secret-value\nanother\n", 0o600)
	long := write(t, "long", strings.Repeat("a-secret-value", 6000), 0o600)
	for _, test := range []struct{ args, name, value, want string }{
		{"--secret UPSTREAM_KEY=@no", "", "", "UPSTREAM_KEY of --secret: there is no file no"},
		{"--secret UPSTREAM_KEY=@", "", "", "UPSTREAM_KEY of --secret: no file is named"},
		{"--secret UPSTREAM_KEY=@" + empty, "", "", "UPSTREAM_KEY of --secret: the file empty is empty"},
		{"--secret UPSTREAM_KEY=@" + line, "", "", "UPSTREAM_KEY of --secret: the file line is empty"},
		{"--secret UPSTREAM_KEY=@" + two, "", "",
			"UPSTREAM_KEY of --secret: the file two has more than one line, or a control character"},
		{"--secret UPSTREAM_KEY=@" + long, "", "",
			"UPSTREAM_KEY of --secret: the file long has more than 65536 bytes"},
		{"--secret UPSTREAM_KEY=@.", "", "",
			"UPSTREAM_KEY of --secret: the file . can't be read (is a directory)"},
		{"--secret a-secret-value", "", "",
			"--secret NAME asks for one of CLIENT_KEY, UPSTREAM_KEY, UPSTREAM_GATEWAY_TOKEN, ADMIN_KEY, " +
				"SEAL_KEY, SEAL_KEY_PREVIOUS, CLOUDFLARE_API_TOKEN, OTLP_HEADERS, SEARCH_KEY, ALERT_URL, " +
				"ALERT_SECRET, and what it " +
				"names is none; --secret NAME=@FILE reads any other from a file"},
		{"", "EDGELINGUA_SET_UPSTREAM_KEY_FILE", "no",
			"UPSTREAM_KEY of EDGELINGUA_SET_UPSTREAM_KEY_FILE: there is no file no"},
		{"", "EDGELINGUA_SET_UPSTREAM_KEY_FILE", "",
			"UPSTREAM_KEY of EDGELINGUA_SET_UPSTREAM_KEY_FILE: no file is named"},
		{"", "EDGELINGUA_SET_CLIENT_KEY", "a-secret-value\r",
			"EDGELINGUA_SET_CLIENT_KEY has more than one line, or a control character"},
		{"", "EDGELINGUA_SET_", "a-secret-value",
			"the environment has EDGELINGUA_SET_ without the name of a setting behind it"},
		{"", "EDGELINGUA_SET_A-B", "a-secret-value",
			"the environment has EDGELINGUA_SET_A-B, which is no name of a setting: a name has letters, " +
				"digits and _"},
	} {
		t.Run(test.args+test.name, func(t *testing.T) {
			if test.name != "" {
				t.Setenv(test.name, test.value)
			}
			_, err := loaded(t, test.args, nil)
			require.EqualError(t, err, test.want)
			assert.ErrorAs(t, err, &usageError{})
			assert.NotContains(t, err.Error(), "a-secret-value")
		})
	}
	t.Setenv("EDGELINGUA_SET_CLIENT_KEY", "a-secret-value")
	t.Setenv("EDGELINGUA_SET_CLIENT_KEY_FILE", two)
	_, err := loaded(t, "", nil)
	require.EqualError(t, err,
		"the environment has both EDGELINGUA_SET_CLIENT_KEY and EDGELINGUA_SET_CLIENT_KEY_FILE; leave "+
			"one of them out")
	t.Setenv("CREDENTIALS_DIRECTORY", t.TempDir())
	path := write(t, filepath.Join(os.Getenv("CREDENTIALS_DIRECTORY"), "CLIENT_KEY"), "", 0o400)
	_, err = loaded(t, "", nil)
	require.EqualError(t, err, "CLIENT_KEY of $CREDENTIALS_DIRECTORY: the file "+path+" is empty")
}

// TestAskedFor: without a terminal nothing can be typed, and the error names the other ways.
func TestAskedFor(t *testing.T) {
	var stdout, stderr strings.Builder
	code := run([]string{"serve", "--addr", "127.0.0.1:0", "--secret", "UPSTREAM_KEY"}, nil,
		strings.NewReader("typed\n"), &stdout, &stderr)
	assert.Equal(t, 2, code)
	assert.Equal(t,
		"edgelingua: UPSTREAM_KEY can't be asked for, since stdin is no terminal; --secret "+
			"UPSTREAM_KEY=@FILE reads it from a file, "+
			"and EDGELINGUA_SET_UPSTREAM_KEY is read from the environment\n", stderr.String())
}

// TestNoTextHasAKeyInArgv: no output of the program puts a key into arguments, and no document does
// (wasmtest/readme).
func TestNoTextHasAKeyInArgv(t *testing.T) {
	texts := []string{examples("http://127.0.0.1:1", "own-key"), examples("http://127.0.0.1:1",
		demoClientKey)}
	for _, command := range []string{"help", "serve -h", "claude -h", "codex -h", "opencode -h", "smoke -h",
		"deploy -h", "replay -h"} {
		var stdout strings.Builder
		require.Equal(t, 0, run(strings.Fields(command), nil, nil, &stdout, io.Discard), command)
		texts = append(texts, strings.ReplaceAll(stdout.String(), "NAME=VALUE", ""))
	}
	for _, text := range texts {
		assert.Empty(t, readme.KeysInArgv(strings.ReplaceAll(text, "'x-api-key: wrong'", "")), text)
	}
	assert.Contains(t, texts[0], "-H @- ", "the key comes by stdin")
	assert.NotContains(t, texts[0], "own-key")
}

// TestWranglerInheritsNothing: deploy drops the settings of the local host too, before wrangler
// starts.
func TestWranglerInheritsNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("EDGELINGUA_SET_UPSTREAM_KEY", "key")
	require.Equal(t, 1, run([]string{"deploy", "--config", "no.toml"}, nil, nil, io.Discard, io.Discard))
	_, there := os.LookupEnv("EDGELINGUA_SET_UPSTREAM_KEY")
	assert.False(t, there)
}
