package readme

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// Settings returns Markdown tables of all settings, by the names of the sections of docs/. folder
// is the folder of package endpoint; the rows are the names that the package reads, with the
// comments there. The error names a setting without a comment.
func Settings(folder string) (map[string]string, error) {
	vars, err := parse(filepath.Join(folder, "vars.go"))
	if err != nil {
		return nil, err
	}
	options, err := parse(filepath.Join(folder, "options.go"))
	if err != nil {
		return nil, err
	}
	tables := map[string]string{}
	for _, section := range []struct {
		name, head string
		rows       func() ([]row, error)
	}{
		{"variables", "variable | what it is", func() ([]row,
			error) {
			return vars.constants("Variables of the deployment.")
		}},
		{"secrets", "secret | what it is", func() ([]row,
			error) {
			return vars.constants("Secrets of the deployment.")
		}},
		{"upstreamOptions", "upstream option | what it says", func() ([]row,
			error) {
			return options.literals("upstreamOptions")
		}},
		{"options", "option | what it does", func() ([]row, error) { return options.literals("options") }},
	} {
		rows, err := section.rows()
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		fmt.Fprintf(&b, "| %s |\n|---|---|\n", section.head)
		for _, r := range rows {
			if r.text == "" {
				return nil, fmt.Errorf("%s has no comment", r.name)
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", r.name, r.text)
		}
		tables[section.name] = b.String()
	}
	return tables, nil
}

// row is a setting and the text of its comment.
type row struct{ name, text string }

type source struct {
	set  *token.FileSet
	file *ast.File
}

func parse(path string) (*source, error) {
	s := &source{set: token.NewFileSet()}
	var err error
	s.file, err = parser.ParseFile(s.set, path, nil, parser.ParseComments)
	return s, err
}

// constants returns the constants of the block whose comment begins with about.
func (s *source) constants(about string) (rows []row, err error) {
	for _, d := range s.file.Decls {
		block, ok := d.(*ast.GenDecl)
		if !ok || !strings.HasPrefix(block.Doc.Text(), about) {
			continue
		}
		for _, spec := range block.Specs {
			c := spec.(*ast.ValueSpec)
			rows = append(rows, row{literal(c.Values[0]), oneLine(c.Doc.Text())})
		}
		return rows, nil
	}
	return nil, fmt.Errorf("there is no block of constants: %s", about)
}

// literals returns the elements of a function's list, each by its field name.
func (s *source) literals(function string) (rows []row, err error) {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != function {
			continue
		}
		list := f.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.CompositeLit)
		for _, element := range list.Elts {
			for _, field := range element.(*ast.CompositeLit).Elts {
				if pair := field.(*ast.KeyValueExpr); pair.Key.(*ast.Ident).Name == "name" {
					rows = append(rows, row{literal(pair.Value), s.above(element)})
				}
			}
		}
		return rows, nil
	}
	return nil, fmt.Errorf("there is no function %s", function)
}

// above returns the comment that ends on the line above a node.
func (s *source) above(n ast.Node) string {
	line := s.set.Position(n.Pos()).Line
	for _, c := range s.file.Comments {
		if s.set.Position(c.End()).Line == line-1 {
			return oneLine(c.Text())
		}
	}
	return ""
}

func literal(e ast.Expr) string {
	text, err := strconv.Unquote(e.(*ast.BasicLit).Value)
	if err != nil {
		panic(err)
	}
	return text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
