package main

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// source is a Go file of the worker, without tests.
type source struct {
	path string // below worker/, with slashes
	*ast.File
	set *token.FileSet
}

// sources returns the Go files of the worker.
func sources(t *testing.T) (all []source) {
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		all = append(all, source{filepath.ToSlash(path), f, set})
		return err
	})
	require.NoError(t, err)
	require.Greater(t, len(all), 100)
	return all
}

// TestGoTestReachesAll checks that only worker/bridge has files for the module only.
func TestGoTestReachesAll(t *testing.T) {
	t.Parallel()
	natively := func(tag string) bool {
		return tag == "linux" || tag == "amd64" || tag == "unix" ||
			tag == "faults"
	}
	only := 0
	for _, s := range sources(t) {
		reached := !strings.HasSuffix(s.path, "_js.go") && !strings.HasSuffix(s.path, "_wasm.go")
		for _, group := range s.Comments {
			for _, line := range group.List {
				if line.Pos() < s.Package && constraint.IsGoBuild(line.Text) {
					expr, err := constraint.Parse(line.Text)
					require.NoError(t, err, s.path)
					without := func(tag string) bool { return tag != "faults" && natively(tag) }
					reached = reached && (expr.Eval(natively) || expr.Eval(without))
				}
			}
		}
		if !reached {
			only++
			assert.True(t, strings.HasPrefix(s.path, "bridge/"), "%s is not reached by go test", s.path)
		}
	}
	assert.NotZero(t, only, "the files of bridge for the module are not recognised")
}

// TestNoReflection checks that no file of the module prints or walks a struct by reflection: TinyGo
// is built so that most structs have no fields there (toolchain/bootstrap.sh).
func TestNoReflection(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, imported := range s.Imports {
			path := strings.Trim(imported.Path.Value, `"`)
			if s.path == "bridge/native.go" || strings.HasPrefix(s.path, "prices/") {
				continue
			}
			assert.NotContains(t, []string{"fmt", "reflect", "encoding/json"}, path, s.path)
		}
	}
}

// TestVariablesAreConstant checks that no request leaves state for a later request: outside the
// module's own files, no function assigns to a package variable or to a part of a package variable.
func TestVariablesAreConstant(t *testing.T) {
	t.Parallel()
	variables := map[string]map[string]bool{} // by folder: the package variables
	all := sources(t)
	for _, s := range all {
		folder := filepath.ToSlash(filepath.Dir(s.path))
		if variables[folder] == nil {
			variables[folder] = map[string]bool{}
		}
		for _, decl := range s.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.VAR && !strings.HasSuffix(s.path,
				"_js.go") {
				for _, spec := range d.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						variables[folder][name.Name] = true
					}
				}
			}
		}
	}
	assert.True(t, variables["serve"]["routes"], "package variables are not recognised")
	for _, s := range all {
		if strings.HasSuffix(s.path, "_js.go") {
			continue
		}
		own := variables[filepath.ToSlash(filepath.Dir(s.path))]
		for _, decl := range s.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				assigned(f, own, func(at token.Pos, name string) {
					assert.Fail(t, "a package variable changes", "%s: %s", s.set.Position(at), name)
				})
			}
		}
		imported := map[string]map[string]bool{}
		for _, i := range s.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			if folder, ok := strings.CutPrefix(path, "edgelingua/worker/"); ok {
				imported[folder[strings.LastIndexByte(folder, '/')+1:]] = variables[folder]
			}
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			for _, to := range targets(n) {
				if imported[to.name][to.field] {
					assert.Fail(t, "a variable of another package changes", "%s: %s.%s",
						s.set.Position(n.Pos()), to.name, to.field)
				}
			}
			return true
		})
	}
}

// TestNoGoroutines checks that a request runs in one goroutine: with the native engine of the local
// host a panic of another goroutine would end the process.
func TestNoGoroutines(t *testing.T) {
	t.Parallel()
	found := 0
	for _, s := range sources(t) {
		ast.Inspect(s.File, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				found++
				assert.Equal(t, "faults/trap.go", filepath.ToSlash(s.path), "a goroutine starts")
			}
			return true
		})
	}
	assert.NotZero(t, found, "go statements are not recognised")
}

// targets returns the variables that a statement assigns, wholly or in part. For a.b[i].c the
// target is a with the first field b.
func targets(n ast.Node) (to []target) {
	var operands []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			operands = n.Lhs
		}
	case *ast.IncDecStmt:
		operands = []ast.Expr{n.X}
	}
	for _, x := range operands {
		field := ""
		for x != nil {
			switch of := x.(type) {
			case *ast.IndexExpr:
				x = of.X
			case *ast.ParenExpr:
				x = of.X
			case *ast.StarExpr:
				x = of.X
			case *ast.SelectorExpr:
				field, x = of.Sel.Name, of.X
			case *ast.Ident:
				to = append(to, target{of.Name, field})
				x = nil
			default:
				x = nil
			}
		}
	}
	return to
}

type target struct{ name, field string }

// assigned calls found for each assignment in f to a name in variables, unless f declares the same
// name.
func assigned(f *ast.FuncDecl, variables map[string]bool, found func(at token.Pos, name string)) {
	hidden := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				hidden[name.Name] = true
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				hidden[name.Name] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, to := range n.Lhs {
					if name, ok := to.(*ast.Ident); ok {
						hidden[name.Name] = true
					}
				}
			}
		case *ast.RangeStmt:
			for _, to := range []ast.Expr{n.Key, n.Value} {
				if name, ok := to.(*ast.Ident); ok && n.Tok == token.DEFINE {
					hidden[name.Name] = true
				}
			}
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		for _, to := range targets(n) {
			if variables[to.name] && !hidden[to.name] {
				found(n.Pos(), to.name)
			}
		}
		return true
	})
}

// TestOnlyServeAnswers checks that only serve.go and the bridge write to the client, and that only
// serve.go and page.go turn an error into an answer.
func TestOnlyServeAnswers(t *testing.T) {
	t.Parallel()
	writes := []string{"WriteHeader", "WriteRawJSBody", "Answerer", "ResponseWriter"}
	var files, errors []string
	for _, s := range sources(t) {
		ast.Inspect(s.File, func(n ast.Node) bool {
			x, ok := n.(*ast.SelectorExpr)
			switch {
			case !ok:
			case slices.Contains(writes, x.Sel.Name):
				files = append(files, s.path)
			case x.Sel.Name == "AppendError":
				errors = append(errors, s.path)
			}
			return true
		})
	}
	slices.Sort(files)
	assert.Equal(t, []string{"bridge/exports_js.go", "bridge/program.go", "serve/serve.go"},
		slices.Compact(files))
	// page.go answers the browser's page, without a Response
	assert.Equal(t, []string{"serve/page.go", "serve/serve.go"}, errors)
}
