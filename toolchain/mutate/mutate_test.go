package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const source = `package p

func f(t *testing.T, list []int) (n int) {
	for i := range list {
		if i == 1 && n >= 2 {
			continue
		}
		n += i
		println(n)
	}
	t.Helper()
	return n
}
`

// TestMutants: mutantsOf finds every kind of mutant, and each mutant can be parsed.
func TestMutants(t *testing.T) {
	found, err := mutantsOf("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range found {
		said = append(said, m.what)
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", m.apply([]byte(source)), 0); err != nil {
			t.Errorf("%v: %v", m, err)
		}
	}
	slices.Sort(said)
	want := []string{
		"&& becomes ||", "== becomes !=", ">= becomes >", "continue becomes break", "left out: n += i",
		"left out: println(n)",
	}
	if !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// TestTry has one mutant with a test that fails, several mutants without a test, a file for another
// build, and a package for tests.
func TestTry(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module x\n\ngo 1.26\n",
		"p/p.go": "package p\n\nvar unread bool\n\nfunc f(n int) bool {\n\tunread = " +
			"true\n\treturn n == 1\n}\n",
		"p/help/help.go": "package help\n\nimport \"testing\"\n\nfunc Fail(t *testing.T, n int) {\n\tif n " +
			"!= 1 {\n\t\tt.Fail()\n\t}\n}\n",
		"p/other.go": "//go:build other\n\npackage p\n\nvar other = 1 > 2\n",
		"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif !f(1) " +
			"{\n\t\tt.Fail()\n\t}\n}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mutants, err := find(root, "p")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]result{}
	for _, m := range mutants {
		if got[m.what], err = try(root, m); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]result{
		"== becomes !=": noticed, "true becomes false": unnoticed, "left out: unread = true": unnoticed,
	}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for what, result := range want {
		if got[what] != result {
			t.Errorf("%s: %v, want %v", what, got[what], result)
		}
	}
}
