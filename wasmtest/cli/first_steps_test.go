package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"edgelingua/wasmtest/built/builttest"
)

// TestFirstSteps: serve names the deployment's page. It prints commands only if the deployment's
// own endpoint accepts a key for them.
func TestFirstSteps(t *testing.T) {
	const address = "http://127.0.0.1:1"
	team := map[string]string{"ADMIN_KEY": goodKey, "SEAL_KEY": goodSeal}
	assert.Equal(t, "open http://127.0.0.1:1/admin in a browser, sign in with ADMIN_KEY, and make an "+
		"endpoint for each user", firstSteps(address, team))

	team["UPSTREAM_URL"] = "https://api.example.com/v1" // personal endpoints only: no CLIENT_KEY
	assert.NotContains(t, firstSteps(address, team), "curl")

	team["CLIENT_KEY"] = goodKey
	both := firstSteps(address, team)
	assert.Regexp(
		t,
		`^open \S+/admin in a browser, .*\nopen \S+/ in a browser to try it\n\nA tool call`,
		both,
	)
	assert.NotContains(t, both, goodKey)

	demo := firstSteps(address, varsOfDemo("127.0.0.1:2"))
	assert.NotContains(t, demo, "/admin")
	assert.Contains(t, demo, "'x-api-key: demo'")
	assert.Contains(t, demo, `in a browser to try it; the key of any client is "demo"`)
	assert.NotContains(t, both, "the key of any client")
}

// TestNothingSet: in an empty folder, serve names three ways to begin, and no file of a clone.
func TestNothingSet(t *testing.T) {
	builttest.Path(t)
	t.Chdir(t.TempDir())
	for _, more := range []string{"", " --check", " --secret UPSTREAM_KEY=" + goodKey} {
		var stderr strings.Builder
		assert.Equal(
			t,
			exitUsage,
			run(strings.Fields("serve --addr 127.0.0.1:0 --wasm "+module+more), nil, nil,
				io.Discard, &stderr),
		)
		assert.Contains(t, stderr.String(), "To try edgelingua without a key: `edgelingua serve --demo`. ")
		assert.Contains(
			t,
			stderr.String(),
			"`edgelingua serve --secret ADMIN_KEY --secret SEAL_KEY --data data`",
		)
		assert.NotContains(t, stderr.String(), "build.sh")
		assert.Equal(t, 1, strings.Count(stderr.String(), "\n"))
	}
}

// TestPlaceholders: an unchanged example file is refused.
func TestPlaceholders(t *testing.T) {
	builttest.Path(t)
	t.Chdir(t.TempDir())
	var stderr strings.Builder
	assert.Equal(t, exitUsage, run([]string{"serve", "--check", "--wasm", module, "--var",
		"UPSTREAM_PROTOCOL=chat", "--var", "UPSTREAM_URL=https://api.example.com/v1", "--secret",
		"UPSTREAM_KEY=sk-...", "--secret", "CLIENT_KEY=" + goodKey}, nil, nil, io.Discard, &stderr))
	assert.Contains(t, stderr.String(), "UPSTREAM_KEY is a placeholder of the documents. Set your own key")
}
