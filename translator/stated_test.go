package translator_test

import (
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// stated is the API according to the package comment, beside all of package translator. An entry is
// a type with its exported fields, methods and constants; a single field or method of a type with
// more; or a function.
var stated = map[string][]string{
	"ir": {
		"API.Name", "API.Title", "API.HasClients", "API.KeyHeader", "API.Headers", "API.ConversePath",
		"Request.Model", "Request.Stream", "Request.Received", "Request.Now",
		"AsError", "Converse", "Count", "Error", "ErrorKind", "Header", "Lost.Header", "Lost.Paths", "Usage",
		"Target", "Caching", "Prefill", "ReasoningEcho", "ResultImages", "Structured", "Thinking",
		"ThinkingSwitch",
	},
	"passing": {"Check", "HoldsForeign", "Model", "Redact", "ReplaceModel", "Single", "Streams"},
	"jsonw":   {"Escape", "Escaped", "Unescape"},
	"stages":  {"Hit", "Search"},
	"policy":  {"Cut", "Loop", "Param", "Policy", "Tool", "ToolCut"},
}

const statedList = "api.txt"

// setRoot sets GOROOT, which a test built with -trimpath does not know.
var setRoot = sync.OnceFunc(func() {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		panic(err)
	}
	build.Default.GOROOT = strings.TrimSpace(string(root))
})

// sourceImporter returns an importer that reads the sources of packages.
func sourceImporter(files *token.FileSet) types.Importer {
	setRoot()
	return importer.ForCompiler(files, "source", nil)
}

// TestStatedAPI compares the stated API with its list, so a change of the API shows in a diff;
// -update writes the list.
func TestStatedAPI(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	sources := sourceImporter(files)
	translator, err := sources.Import("edgelingua/translator")
	require.NoError(t, err)
	var lines []string
	for _, name := range translator.Scope().Names() {
		at := files.Position(translator.Scope().Lookup(name).Pos()).Filename
		if strings.HasPrefix(filepath.Base(at), "worker") {
			continue // of the worker: release/gomodule leaves the file out
		}
		lines = appendStated(lines, translator.Scope(), name)
	}
	for below, names := range stated {
		p, err := sources.Import("edgelingua/translator/" + below)
		require.NoError(t, err)
		for _, name := range names {
			before := len(lines)
			lines = appendStated(lines, p.Scope(), name)
			require.Greater(t, len(lines), before, "%s.%s is not there", below, name)
		}
	}
	sort.Strings(lines)
	got := "# The stated API: see doc.go. go test ./translator -run TestStatedAPI -update writes " +
		"this list.\n" + strings.Join(lines, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(statedList, []byte(got), 0o644))
	}
	want, err := os.ReadFile(statedList)
	require.NoError(t, err)
	require.Equal(t, string(want), got,
		"The stated API has changed: is that what its users are promised? go test ./translator -run "+
			"TestStatedAPI -update writes the list.")
}

// appendStated appends the lines for name in a package: an object or, after a dot, a member of a
// type.
func appendStated(lines []string, scope *types.Scope, name string) []string {
	name, only, single := strings.Cut(name, ".")
	o := scope.Lookup(name)
	if o == nil || !o.Exported() {
		return lines
	}
	of, isType := o.(*types.TypeName)
	if !isType {
		return append(lines, line(o, o.Pkg().Name()+"."+name))
	}
	lead := o.Pkg().Name() + "." + name
	member := func(m types.Object) {
		if m.Exported() && (!single || m.Name() == only) {
			lines = append(lines, line(m, lead+"."+m.Name()))
		}
	}
	switch u := of.Type().Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			member(u.Field(i))
		}
	case *types.Interface:
		for i := range u.NumMethods() {
			member(u.Method(i))
		}
	default:
		if !single {
			lines = append(lines, lead+" type "+types.TypeString(u, short))
		}
	}
	if named, ok := of.Type().(*types.Named); ok {
		for i := range named.NumMethods() {
			member(named.Method(i))
		}
	}
	for _, other := range scope.Names() {
		if c, ok := scope.Lookup(other).(*types.Const); ok && !single && c.Exported() &&
			types.Identical(c.Type(), of.Type()) {
			lines = append(lines, line(c, o.Pkg().Name()+"."+other))
		}
	}
	return lines
}

// line is an object's line: its name and type.
func line(o types.Object, name string) string {
	kind := ""
	if _, ok := o.(*types.Const); ok {
		kind = "const "
	}
	return name + " " + kind + types.TypeString(o.Type(), short)
}

// short is the name of a package in a type.
func short(p *types.Package) string { return p.Name() }
