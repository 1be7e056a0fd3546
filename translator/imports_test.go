package translator_test

import (
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImports: imports only go from the translator down, and none is too large or too slow for the
// edge.
func TestImports(t *testing.T) {
	const module = "edgelingua/"
	// our packages that each package may import; "" is package translator itself
	allowed := map[string][]string{
		"jsonw":      {},
		"scan":       {},
		"grow":       {},
		"sse":        {"scan"},
		"jsonr":      {"jsonw", "scan"},
		"ir":         {"jsonw", "jsonr"},
		"ir/irtext":  {"ir"},
		"ir/irtest":  {"ir", "ir/irtext"},
		"schema":     {"jsonw", "jsonr", "ir"},
		"openai":     {"jsonw", "jsonr", "ir", "schema", "target", "models"},
		"failure":    {"jsonw", "jsonr", "ir"},
		"events":     {"jsonw", "jsonr", "ir", "failure"},
		"target":     {"ir"},
		"policy":     {"jsonw", "jsonr", "ir", "schema", "failure"},
		"count":      {"jsonw", "ir"},
		"compact":    {"jsonw", "jsonr", "ir", "count", "passing"},
		"passing":    {"jsonw", "jsonr", "ir"},
		"stages":     {"jsonw", "jsonr", "ir", "failure", "policy", "count", "schema", "toolsearch"},
		"toolsearch": {"jsonw", "jsonr", "ir"},
		"models":     {"jsonw", "jsonr", "ir", "target"},
		"textcalls":  {"jsonw", "jsonr", "ir", "events"},
		"anthropic":  {"jsonw", "jsonr", "ir", "sse", "schema", "failure", "events", "target", "models"},
		"chat": {"jsonw", "jsonr", "ir", "sse", "schema", "failure", "events", "target", "openai",
			"google"},
		"responses": {"grow", "jsonw", "jsonr", "ir", "sse", "schema", "failure", "events", "target",
			"openai"},
		"google":       {"jsonw", "jsonr", "ir", "schema", "failure", "target"},
		"gemini":       {"jsonw", "jsonr", "ir", "schema", "failure", "events", "google"},
		"interactions": {"jsonw", "jsonr", "ir", "sse", "schema", "failure", "events", "google"},
		"toy":          {"jsonw", "jsonr", "ir", "sse", "failure"},
		"": {"toy", "compact", "passing", "stages", "gemini", "interactions", "count", "failure",
			"jsonw", "jsonr", "sse", "ir", "policy", "textcalls", "anthropic", "chat", "responses"},
	}
	// io is only for Copy, which the worker does not call
	standard := []string{"errors", "io", "math", "math/bits", "strconv", "strings", "unicode/utf8", "unsafe"}
	elsewhere := map[string][]string{ // further imports of packages that never run at the edge
		"ir/irtext": {"fmt"},
		"ir/irtest": {"encoding/json", "fmt", "os", "reflect", "slices", "testing"},
	}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		if usual, err := build.Default.MatchFile(filepath.Dir(file), filepath.Base(file)); err != nil ||
			!usual {
			return err // a build tag that the module is never built with
		}
		pkg := strings.TrimPrefix(path.Dir(filepath.ToSlash(file)), ".")
		require.Contains(t, allowed, pkg, "a package without a place")
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if own, ok := strings.CutPrefix(name, module+"translator/"); ok {
				require.Contains(t, allowed[pkg], own, "%s imports %s", file, name)
			} else {
				require.Contains(t, append(elsewhere[pkg], standard...), name, "%s imports %s", file, name)
			}
		}
		return nil
	})
	require.NoError(t, err)
}
