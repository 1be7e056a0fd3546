// Package builttest gives tests the deployed module, which ./build.sh writes to build/. Only tests
// import the package.
package builttest

import (
	"os"
	"path/filepath"
	"testing"
)

// Required is an environment variable, set by ./build.sh test. If it is set, a test without the
// module fails; otherwise such a test is skipped.
const Required = "MODULE_REQUIRED"

// path is absolute, since a test may change its working directory. Tests start in the folder of
// their package.
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

// Path returns the absolute path of the module. Without a module, the test ends as Required says.
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

// Module returns the bytes of the module. Without a module, the test ends as Required says.
func Module(t testing.TB) []byte {
	t.Helper()
	wasm, err := os.ReadFile(Path(t))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}
