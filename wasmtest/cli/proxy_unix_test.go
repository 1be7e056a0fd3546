//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

// TestProxy: requests to the deployment's own upstream go through the proxy of the environment,
// unless NO_PROXY names the upstream. Requests of personal endpoints never do, even to the same
// server.
func TestProxy(t *testing.T) {
	t.Parallel()
	builttest.Path(t)
	for _, exempt := range []bool{false, true} {
		seen := make(chan string, 9)
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen <- r.URL.String()
			w.WriteHeader(http.StatusTeapot)
		}))
		defer proxy.Close()
		env := []string{"HTTP_PROXY=" + proxy.URL}
		if exempt {
			env = append(env, "NO_PROXY=upstream.invalid")
		}
		url := startProcess(t, env, "--var", "UPSTREAM_PROTOCOL=chat", "--var",
			"UPSTREAM_URL=http://upstream.invalid/v1", "--var", "ALLOW_HTTP_UPSTREAM=true",
			"--secret", "CLIENT_KEY="+goodKey, "--secret", "ADMIN_KEY="+goodKey+"2", "--secret",
			"SEAL_KEY="+goodSeal)
		status, body := post(t, url+"/v1/messages", goodKey, toolCall)
		if exempt {
			assert.NotEqual(t, http.StatusTeapot, status)
			assert.Empty(t, seen)
		} else {
			assert.Equal(t, http.StatusTeapot, status, body)
			require.NotEmpty(t, seen)
			assert.Equal(t, "http://upstream.invalid/v1/chat/completions", <-seen)
		}

		r, err := http.NewRequest("POST", url+"/admin/api/endpoints", strings.NewReader(`{"name":"anna",`+
			`"upstreams":[{"name":"u","protocol":"chat","url":"http://upstream.invalid/v1"}]}`))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+goodKey+"2")
		r.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		var made struct{ Key string }
		require.NoError(t, json.NewDecoder(response.Body).Decode(&made))
		response.Body.Close()
		require.NotEmpty(t, made.Key)
		status, body = post(t, url+"/u/anna/v1/messages", made.Key, toolCall)
		assert.GreaterOrEqual(t, status, 500, body)
		status, _ = post(t, url+"/k/"+made.Key+"/v1/messages", "", toolCall)
		assert.GreaterOrEqual(t, status, 500)
		assert.Empty(t, seen)
	}
}

// startProcess runs serve as a process with these variables until the end of the test. It returns
// the server's address.
func startProcess(t *testing.T, env []string, args ...string) (url string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "edgelingua")
	require.NoError(t, os.Symlink(self, link))
	cmd := exec.Command(
		link,
		append([]string{"serve", "--addr", "127.0.0.1:0", "--wasm", module}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"HOME=" + cmd.Dir}, env...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	first, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, first, "listening on ")
	return strings.TrimSpace(strings.TrimPrefix(first, "listening on "))
}
