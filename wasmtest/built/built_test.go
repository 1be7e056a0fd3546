package built

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBeside: the module of a program is beside it, also if the program is started by a symbolic
// link in a folder of PATH.
func TestBeside(t *testing.T) {
	clone, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	program, want := filepath.Join(clone, "edgelingua"), filepath.Join(clone, "app.wasm")
	require.NoError(t, os.WriteFile(program, nil, 0o700))
	assert.Equal(t, want, beside(program))
	link := filepath.Join(t.TempDir(), "edgelingua")
	if os.Symlink(program, link) == nil { // Windows may refuse
		assert.Equal(t, want, beside(link))
	}
}

// TestMissing: the error names both folders that were searched, and the way out.
func TestMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := Read(Module)
	assert.EqualError(t, err, "there is no app.wasm, neither beside this program nor here in build/; "+
		"run ./build.sh in the clone, which builds it, or name another with --wasm")
	_, err = Read("no.wasm")
	assert.ErrorContains(t, err, "there is no no.wasm; run ./build.sh in the clone")
}
