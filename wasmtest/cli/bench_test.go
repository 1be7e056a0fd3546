package cli

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkFirstAnswer starts the server as a process and waits for its first answer, a whole
// translated stream of the demo upstream. The compiled module is in the cache.
func BenchmarkFirstAnswer(b *testing.B) {
	if _, err := os.Stat(module); err != nil {
		b.Fatal("the benchmark needs the module: run ./build.sh first")
	}
	binary := filepath.Join(b.TempDir(), "wasmtest")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(b, err, string(out))
	answer := func() {
		c := exec.Command(binary, "serve", "--demo", "--addr", "127.0.0.1:0", "--wasm", module)
		stderr, err := c.StderrPipe()
		require.NoError(b, err)
		require.NoError(b, c.Start())
		defer c.Wait()
		defer c.Process.Kill()
		line, err := bufio.NewReader(stderr).ReadString('\n')
		require.NoError(b, err)
		_, address, found := strings.Cut(strings.TrimSpace(line), "listening on ")
		require.True(b, found, line)
		r, err := http.NewRequest("POST", address+"/v1/messages", strings.NewReader(toolCall))
		require.NoError(b, err)
		r.Header.Set("X-Api-Key", "demo")
		response, err := http.DefaultTransport.RoundTrip(r)
		require.NoError(b, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(b, err)
		require.Contains(b, string(body), "message_stop")
	}
	answer()
	for b.Loop() {
		answer()
	}
}
