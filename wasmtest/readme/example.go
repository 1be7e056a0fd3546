package readme

import (
	"bytes"
	"errors"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
)

// Example returns a package's example in Markdown: the example of a test file as a complete
// program, and the program's output. `go test` runs the example in the test file.
func Example(file string) (string, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	for _, e := range doc.Examples([]*ast.File{parsed}...) {
		if e.Name != "" {
			continue
		}
		var program bytes.Buffer
		if err := format.Node(&program, files, e.Play); err != nil {
			return "", err
		}
		return "```go\n" + program.String() + "```\n\nIt prints\n\n```text\n" + e.Output + "```\n", nil
	}
	return "", errors.New(file + " has no example of its package")
}
