package translator_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoTypedNil holds that no *ir.Error becomes an error unless it can't be nil: an error that
// holds a nil *ir.Error is not nil. Wherever the translator converts one, it must be the address of
// a value, the result of a function that always returns an error, or be compared with nil by the
// if or the case around it. (*ir.Error).Err converts all others.
func TestNoTypedNil(t *testing.T) {
	t.Parallel()
	c := &nilChecker{set: token.NewFileSet(), packages: map[string]*types.Package{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}},
		never: map[types.Object]bool{}}
	c.standard = sourceImporter(c.set)
	for name := range translatorImports(t) {
		_, err := c.Import(path.Join("edgelingua/translator", name))
		require.NoError(t, err)
	}
	for found := true; found; { // until only functions are left that return no nil
		found = false
		for _, f := range c.functions {
			object := c.info.Defs[f.Name]
			if c.never[object] && len(c.conversions(f, true)) > 0 {
				c.never[object], found = false, true
			}
		}
	}
	assert.NotEmpty(t, c.never)
	for _, f := range c.functions {
		if f.Name.Name == "Err" { // it returns early if it is nil
			continue
		}
		for _, x := range c.conversions(f, false) {
			assert.Fail(t, "this *ir.Error may be nil, and then is an error that is not",
				"%s: %s", c.set.Position(x.Pos()), types.ExprString(x))
		}
	}
}

// translatorImports returns the packages of the translator without tests, below its folder.
func translatorImports(t *testing.T) map[string]bool {
	folders := map[string]bool{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	deeper, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	for _, file := range append(files, deeper...) {
		if !strings.HasSuffix(file, "_test.go") {
			folders[filepath.ToSlash(filepath.Dir(file))] = true
		}
	}
	require.Greater(t, len(folders), 20)
	return folders
}

// nilChecker loads packages from source.
type nilChecker struct {
	set       *token.FileSet
	standard  types.Importer
	packages  map[string]*types.Package
	info      *types.Info
	functions []*ast.FuncDecl
	never     map[types.Object]bool // functions with one *ir.Error as result, which is never nil
}

// Import implements types.Importer.
func (c *nilChecker) Import(name string) (*types.Package, error) {
	below, own := strings.CutPrefix(name, "edgelingua/translator")
	if !own {
		return c.standard.Import(name)
	}
	if p := c.packages[name]; p != nil {
		return p, nil
	}
	folder, err := build.ImportDir("."+below, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, file := range folder.GoFiles {
		f, err := parser.ParseFile(c.set, filepath.Join(folder.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := types.Config{Importer: c}
	p, err := config.Check(name, c.set, files, c.info)
	if err != nil {
		return nil, err
	}
	c.packages[name] = p
	for _, f := range files {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				c.functions = append(c.functions, f)
				results := c.info.Defs[f.Name].Type().(*types.Signature).Results()
				c.never[c.info.Defs[f.Name]] = results.Len() == 1 && isIRError(results.At(0).Type())
			}
		}
	}
	return p, nil
}

func isIRError(t types.Type) bool {
	return t != nil && t.String() == "*edgelingua/translator/ir.Error"
}

func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// conversions returns the values of f of the type *ir.Error that may be nil and become an error. own:
// it returns those instead that f returns as *ir.Error.
func (c *nilChecker) conversions(f *ast.FuncDecl, own bool) (all []ast.Expr) {
	var around []ast.Node
	var results []*types.Tuple
	check := func(x ast.Expr, to types.Type) {
		from := c.info.Types[x].Type
		if isIRError(from) && (own && isIRError(to) || !own && isError(to)) && !c.isSet(f, x, around, own) {
			all = append(all, x)
		}
	}
	// each checks values, or the results of one call, that become variables of these types.
	each := func(values []ast.Expr, to func(i int) types.Type) {
		if len(values) != 1 {
			for i, x := range values {
				check(x, to(i))
			}
			return
		}
		several, ok := c.info.Types[values[0]].Type.(*types.Tuple)
		if !ok {
			check(values[0], to(0))
			return
		}
		for i := range several.Len() {
			if isIRError(several.At(i).Type()) && !own && isError(to(i)) {
				all = append(all, values[0])
			}
		}
	}
	results = append(results, c.info.Defs[f.Name].Type().(*types.Signature).Results())
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if n == nil {
			if _, ok := around[len(around)-1].(*ast.FuncLit); ok {
				results = results[:len(results)-1]
			}
			around = around[:len(around)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			results = append(results, c.info.Types[n].Type.(*types.Signature).Results())
		case *ast.ReturnStmt:
			if !own || len(results) == 1 {
				r := results[len(results)-1]
				each(n.Results, func(i int) types.Type { return r.At(i).Type() })
			}
			if own && len(results) == 1 && len(n.Results) == 0 {
				all = append(all, f.Name) // a named result, which may be nil
			}
		case *ast.AssignStmt:
			if !own {
				each(n.Rhs, func(i int) types.Type { return c.typeOf(n.Lhs[i]) })
			}
		case *ast.ValueSpec:
			if !own && n.Type != nil {
				each(n.Values, func(int) types.Type { return c.info.Types[n.Type].Type })
			}
		case *ast.CallExpr:
			s, ok := c.info.Types[n.Fun].Type.(*types.Signature)
			if own {
				break
			}
			if !ok { // a conversion, or a function of the language
				if c.info.Types[n.Fun].IsType() {
					check(n.Args[0], c.info.Types[n.Fun].Type)
				}
				break
			}
			each(n.Args, func(i int) types.Type {
				if i >= s.Params().Len() {
					return nil
				}
				return s.Params().At(i).Type()
			})
		}
		around = append(around, n)
		return true
	})
	return all
}

// isDefinedSet reports whether a variable of f is defined as a value that is never nil, and not
// assigned to later.
func (c *nilChecker) isDefinedSet(f *ast.FuncDecl, variable types.Object, own bool) bool {
	defined, others := false, false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for i, to := range a.Lhs {
				name, ok := to.(*ast.Ident)
				switch {
				case !ok:
				case c.info.Defs[name] == variable && len(a.Lhs) == len(a.Rhs):
					defined = c.isSet(f, a.Rhs[i], nil, own)
				case c.info.Uses[name] == variable:
					others = true
				}
			}
		}
		return true
	})
	return defined && !others
}

// typeOf returns the type of a variable, nil for the blank one.
func (c *nilChecker) typeOf(x ast.Expr) types.Type {
	if name, ok := x.(*ast.Ident); ok {
		o := c.info.Defs[name]
		if o == nil {
			o = c.info.Uses[name]
		}
		if o == nil {
			return nil
		}
		return o.Type()
	}
	return c.info.Types[x].Type
}

// isSet reports whether a value of f is never nil inside of these nodes. own: f's parameters are
// never nil.
func (c *nilChecker) isSet(f *ast.FuncDecl, x ast.Expr, around []ast.Node, own bool) bool {
	switch x := x.(type) {
	case *ast.UnaryExpr:
		return x.Op == token.AND
	case *ast.CallExpr:
		for _, argument := range x.Args {
			if isIRError(c.info.Types[argument].Type) && !c.isSet(f, argument, around, own) {
				return false
			}
		}
		switch callee := x.Fun.(type) {
		case *ast.Ident:
			return c.never[c.info.Uses[callee]]
		case *ast.SelectorExpr:
			return c.never[c.info.Uses[callee.Sel]]
		}
		return false
	case *ast.Ident:
		if own && slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
			return slices.ContainsFunc(p.Names, func(name *ast.Ident) bool {
				return c.info.Defs[name] == c.info.Uses[x]
			})
		}) || c.isDefinedSet(f, c.info.Uses[x], own) {
			return true
		}
	}
	isSet := types.ExprString(x) + " != nil"
	for i, n := range around {
		var conditions []ast.Expr
		switch n := n.(type) {
		case *ast.IfStmt:
			if i+1 < len(around) && around[i+1] == n.Body {
				conditions = []ast.Expr{n.Cond}
			}
		case *ast.CaseClause:
			conditions = n.List
		}
		for _, condition := range conditions {
			if types.ExprString(condition) == isSet || len(conditions) == 1 &&
				strings.Contains(types.ExprString(condition), isSet) &&
				!strings.Contains(types.ExprString(condition), "||") {
				return true
			}
		}
	}
	return false
}
