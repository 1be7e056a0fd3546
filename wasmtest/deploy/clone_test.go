package deploy

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

// TestInAClone: messages name build.sh, which brings its own wrangler, if there is one, and npx
// otherwise.
func TestInAClone(t *testing.T) {
	builttest.Path(t)
	for file, want := range map[string]string{"package.json": "npx wrangler", "build.sh": "./build.sh"} {
		project(t, wranglerTOML)
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		c := newCloud(t)
		s := c.deploy(context.Background(), nil, nil)
		require.NoError(t, s.err, s.out)
		assert.Contains(t, s.out, "CLIENT_KEY is not set. "+want+" secret put CLIENT_KEY sets it (")
		c.whoami = ""
		assert.ErrorContains(t, c.deploy(context.Background(), nil, nil).err, "Run `"+want+" login`")
	}
}

// TestFind: the wrangler beside wrangler.toml is run, never one of a folder above.
func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the executable there is wrangler.cmd")
	}
	above, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	inside := filepath.Join(above, "project")
	install := func(folder string) string {
		bin := filepath.Join(folder, "node_modules", ".bin")
		require.NoError(t, os.MkdirAll(bin, 0o700))
		path := filepath.Join(bin, "wrangler")
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700))
		return path
	}
	install(above)
	require.NoError(t, os.Mkdir(inside, 0o700))
	t.Chdir(inside)
	assert.Equal(t, "wrangler", find("wrangler.toml"))
	own := install(inside)
	assert.Equal(t, own, find("wrangler.toml"))
	assert.Equal(t, own, find(filepath.Join(inside, "wrangler.toml")))
}
