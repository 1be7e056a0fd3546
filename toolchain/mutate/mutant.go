package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one change of a file: text replaces the bytes from start to end.
type mutant struct {
	file, name, dir string // the file's path, its path from the root, and the folder of the tests to run
	line            int
	start, end      int
	text            string
	what            string // the change, in words
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.name, m.line, m.what) }

// apply returns the changed source.
func (m mutant) apply(source []byte) []byte {
	return []byte(string(source[:m.start]) + m.text + string(source[m.end:]))
}

// find returns all mutants of the Go files under root/dir. Left out are tests, testdata, packages
// that import "testing" (tests call them), and files with a build constraint for another build: no
// test notices a mutant there.
func find(root, dir string) (list []mutant, err error) {
	err = filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || helpsTests(path)):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		if built, err := build.Default.MatchFile(filepath.Dir(path), entry.Name()); err != nil || !built {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, err := mutantsOf(path, source)
		for _, m := range found {
			m.dir = dir
			if m.name, err = filepath.Rel(root, path); err != nil {
				return err
			}
			list = append(list, m)
		}
		return err
	})
	return list, err
}

// helpsTests tells whether the package in a folder imports "testing".
func helpsTests(folder string) bool {
	p, err := build.Default.ImportDir(folder, 0)
	return err == nil && slices.Contains(p.Imports, "testing")
}

// opposites maps each operator to its replacement.
var opposites = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.ADD: token.SUB, token.SUB: token.ADD,
}

// mutantsOf returns the mutants of one source file: another operator, the other boolean, break and
// continue swapped, or a call or an assignment left out.
func mutantsOf(file string, source []byte) (list []mutant, err error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	replace := func(from, to token.Pos, text, what string) {
		start := files.Position(from)
		list = append(list, mutant{
			file: file, line: start.Line, start: start.Offset, end: files.Position(to).Offset,
			text: text, what: what,
		})
	}
	swap := func(at token.Pos, old, new string) {
		replace(at, at+token.Pos(len(old)), new, old+" becomes "+new)
	}
	leaveOut := func(n ast.Node) {
		from, to := files.Position(n.Pos()).Offset, files.Position(n.End()).Offset
		first, _, _ := strings.Cut(string(source[from:to]), "\n")
		replace(n.Pos(), n.End(), "", "left out: "+first)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.BinaryExpr:
			if other, ok := opposites[n.Op]; ok {
				swap(n.OpPos, n.Op.String(), other.String())
			}
		case *ast.Ident:
			switch n.Name {
			case "true":
				swap(n.Pos(), "true", "false")
			case "false":
				swap(n.Pos(), "false", "true")
			}
		case *ast.BranchStmt:
			switch {
			case n.Label != nil:
			case n.Tok == token.BREAK:
				swap(n.Pos(), "break", "continue")
			case n.Tok == token.CONTINUE:
				swap(n.Pos(), "continue", "break")
			}
		case *ast.BlockStmt:
			for _, s := range n.List {
				leaveOutOf(s, leaveOut)
			}
		case *ast.CaseClause:
			for _, s := range n.Body {
				leaveOutOf(s, leaveOut)
			}
		}
		return true
	})
	return list, nil
}

// leaveOutOf calls leaveOut if s is a call, or an assignment to an existing variable. A call of a
// test's Helper stays: without the call a failure has another line, and no test notices.
func leaveOutOf(s ast.Stmt, leaveOut func(ast.Node)) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			if method, ok := call.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Helper" {
				return
			}
		}
		leaveOut(s)
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			leaveOut(s)
		}
	}
}
