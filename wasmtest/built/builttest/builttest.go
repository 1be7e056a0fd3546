// Package builttest has the deployed module for tests, which is in build/ after ./build.sh. Only
// tests import it.
package builttest

import (
	"os"
	"path/filepath"
	"testing"
)

// Required is an environment variable. If it is set, as ./build.sh test does, a test that needs the
// module fails where there is none; otherwise such a test is skipped.
const Required = "MODULE_REQUIRED"

// path is absolute, since a test may change the folder. Tests begin in the folder of their package.
var path = func() string {
	folder, err := os.Getwd()
	for err == nil && filepath.Dir(folder) != folder {
		if _, missing := os.Stat(filepath.Join(folder, "go.mod")); missing == nil {
			break
		}
		folder = filepath.Dir(folder)
	}
	return filepath.Join(folder, "build", "app.wasm")
}()

// Path returns the absolute path of the module. It skips the test if there is none.
func Path(t testing.TB) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		const words = "the test needs the module, run ./build.sh first:"
		if os.Getenv(Required) != "" {
			t.Fatal(words, err)
		}
		t.Skip(words, err)
	}
	return path
}

// Module returns the bytes of the module. It skips the test if there is none.
func Module(t testing.TB) []byte {
	t.Helper()
	wasm, err := os.ReadFile(Path(t))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}
