package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheClientCantLookBack: the client can't read edgelingua's initial environment. Root could, so
// as root the test runs both programs as nobody.
func TestTheClientCantLookBack(t *testing.T) {
	t.Parallel()
	cmd := launched(t, []string{"claude"}, map[string]string{"EDGELINGUA_SET_UPSTREAM_KEY": "upstream-key"},
		"claude", "--upstream", "ollama", "--secret", "UPSTREAM_KEY=of-a-script", "--model", "qwen",
		"--connect", ollama(t, "qwen:latest"), "--",
		"look back")
	if os.Getuid() == 0 {
		asNobody(t, cmd)
	}
	stdout, err := cmd.Output()
	require.NoError(t, err, "%s", stdout)
	var s seen
	require.NoError(t, json.Unmarshal(stdout, &s))
	assert.Regexp(t, `^open /proc/\d+/environ: permission denied$`, s.Back)
}

// asNobody runs a command of launched as the user nobody, with readable copies of its files.
func asNobody(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	const nobody = 65534
	folder, err := os.MkdirTemp("", "nobody-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	require.NoError(t, os.Chmod(folder, 0o755))
	self, err := os.Executable()
	require.NoError(t, err)
	for from, to := range map[string]string{self: "edgelingua", module: "app.wasm"} {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		write(t, filepath.Join(folder, to), string(text), 0o755)
	}
	require.NoError(t, os.Symlink("edgelingua", filepath.Join(folder, "claude")))
	cmd.Path, cmd.Dir, cmd.Env = filepath.Join(folder, "edgelingua"), folder, append(cmd.Env, "PATH="+folder)
	cmd.Args[0] = cmd.Path
	for i, arg := range cmd.Args {
		if arg == module {
			cmd.Args[i] = filepath.Join(folder, "app.wasm")
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
