package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProgram runs the Go program of docs/libraries.md, which prints what stands behind it there and then a stream.
func TestProgram(t *testing.T) {
	page := documents(t)["docs/libraries.md"]
	blocks := regexp.MustCompile("(?ms)^```(go|text)\n(.*?)^```$").FindAllStringSubmatch(page, -1)
	require.Len(t, blocks, 2)
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(blocks[0][2]), 0o644))
	run := exec.Command("go", "run", file)
	run.Dir = root
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	require.True(t, strings.HasPrefix(string(out), blocks[1][2]), string(out))
	require.Equal(t, 6, strings.Count(string(out), "event: "))
	require.True(t, strings.HasSuffix(string(out), "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"), string(out))
}
