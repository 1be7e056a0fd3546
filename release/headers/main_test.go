package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCheck tests a small program, built for three platforms, under the name of each.
func TestCheck(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module x\n"), 0o600))
	// The package imports nothing. Therefore Go compiles only the runtime for each platform.
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"),
		[]byte("package main\n\nfunc main() {}\n"), 0o600))
	platforms := [][2]string{{"linux", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}
	for _, built := range platforms {
		for _, named := range platforms {
			path := filepath.Join(folder, "edgelingua-"+named[0]+"-"+named[1])
			if named == platforms[0] {
				build := exec.Command("go", "build", "-o", path, ".")
				build.Dir, build.Env = folder, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=",
					"GOOS="+built[0], "GOARCH="+built[1])
				out, err := build.CombinedOutput()
				require.NoError(t, err, string(out))
			} else {
				require.NoError(t, os.Link(filepath.Join(folder, "edgelingua-linux-amd64"), path))
			}
			assert.Equal(t, built == named, check(path) == nil, "%v named %v", built, named)
		}
		for _, named := range platforms {
			require.NoError(t, os.Remove(filepath.Join(folder, "edgelingua-"+named[0]+"-"+named[1])))
		}
	}
	text := filepath.Join(folder, "edgelingua-plan9-amd64")
	require.NoError(t, os.WriteFile(text, nil, 0o600))
	assert.ErrorContains(t, check(text), "no system that is released for")
}
