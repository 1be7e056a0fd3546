package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const published = "example.org/somebody/edgelingua"

// written returns the folder of the module of a package under the path published.
func written(t *testing.T, root string) string {
	out := filepath.Join(t.TempDir(), "dist", "go")
	t.Chdir("../..")
	require.NoError(t, write(root, published, out))
	return out
}

// offline runs the go command in a folder, without a module proxy.
func offline(t *testing.T, folder string, args ...string) string {
	command := exec.Command("go", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=readonly",
		"GOWORK=off")
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// TestModuleStandsAlone builds the module and runs its examples without a module proxy. Another
// module then imports the module.
func TestModuleStandsAlone(t *testing.T) {
	out := written(t, "translator")
	offline(t, out, "vet", "./...")
	ran := offline(t, out, "test", "-v", "./translator")
	require.Contains(t, ran, "--- PASS: ExampleExchange_AppendBody")
	require.Equal(t, "module "+published+"\n\ngo 1.26.0\n", read(t, filepath.Join(out, "go.mod")))

	user := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(user, "go.mod"),
		[]byte("module user\n\ngo 1.26.0\n\nrequire "+published+" v0.0.0\n\nreplace "+published+" => "+out+
			"\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(user, "main.go"), []byte(`package main

import (
	"fmt"

	"`+published+`/translator"
	"`+published+`/translator/ir"
)

func main() {
	pair, _ := translator.Lookup("anthropic", "chat")
	x, _ := pair.Decode("/v1/messages",
		[]byte("{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"))
	body, _ := x.AppendRequest(nil, &ir.Target{})
	fmt.Printf("%s", body)
}
`), 0o644))
	require.Equal(t, `{"model":"m","messages":[{"role":"user","content":"Hi"}],"max_tokens":9}`,
		offline(t, user, "run", "."))
}

// TestModuleHoldsNoMore checks that the module has files of the translator only, and no import of
// the clone's path.
func TestModuleHoldsNoMore(t *testing.T) {
	out := written(t, "translator")
	var files []string
	require.NoError(t, filepath.WalkDir(out, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(out, file)
		files = append(files, filepath.ToSlash(name))
		require.NotContains(t, read(t, file), `"edgelingua/`, name)
		return err
	}))
	for _, file := range files {
		switch {
		case file == "go.mod" || file == "LICENSE" || file == "translator/api.txt" ||
			file == "translator/example_test.go":
		default:
			require.Regexp(t, `^translator/.*\.go$`, file)
			require.NotRegexp(t, `_test\.go$|^translator/toy/|^translator/worker|apis_faults`, file)
		}
	}
	require.Greater(t, len(files), 150)
	err := write("translator", published, out)
	require.ErrorContains(t, err, "remove it, or name another folder")
}

// TestConformStandsAlone builds the module of the conformance suite, and runs some of the suite's own tests
// there, without a module proxy: the suite needs no other module.
func TestConformStandsAlone(t *testing.T) {
	out := written(t, "wasmtest/conform")
	const some = "TestCasesAreComplete|TestEveryCase/messages/stream"
	ran := offline(t, out, "test", "-v", "-run", some, "./...")
	require.Contains(t, ran, "--- PASS: TestEveryCase/messages/stream/1.1")
	require.Equal(t, "module "+published+"\n\ngo 1.26.0\n", read(t, filepath.Join(out, "go.mod")))
	require.NoError(t, filepath.WalkDir(out, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(out, file)
		require.Regexp(t, `^(go\.mod|LICENSE|wasmtest/(conform|vendors)/.*\.go)$`, filepath.ToSlash(name))
		require.NotContains(t, read(t, file), `"edgelingua/`, name)
		return err
	}))
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct{ path, version, want string }{
		{"example.org/edgelingua", "0.1.0", ""},
		{"example.org/edgelingua/v2", "2.0.0", ""},
		{"example.org/edgelingua", "2.0.0", "should be v0 or v1"},
		{"edgelingua", "0.1.0", "dot"},
		{"example.org/edge lingua", "0.1.0", "invalid char"},
		{"example.org/edgelingua", "one", "version"},
		{"", "0.1.0", "needed"},
	} {
		err := check("translator", c.path, c.version, nil)
		if c.want == "" {
			require.NoError(t, err, c.path)
			continue
		}
		require.ErrorContains(t, err, c.want, c.path)
		require.False(t, strings.Contains(err.Error(), "\n"))
	}
	require.ErrorContains(t, check("translator", published, "0.1.0", []string{"more"}), "more")
	require.ErrorContains(t, check("worker", published, "0.1.0", nil),
		"-root is translator or wasmtest/conform")
}

func read(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}
