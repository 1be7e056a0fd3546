package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	long := strings.Repeat("x", columns)
	for name, c := range map[string]struct {
		path, text      string
		words, pronouns int
		long            []int
	}{
		"Go, with a trailing comment": {"a.go",
			"// Add is what adds.\npackage a // not that\n//go:noinline\n", 6, 2, nil},
		"a string is no comment": {"a.go", "package a\n\nconst s = \"// which that\"\n", 0, 0, nil},
		"JavaScript":             {"a.mjs", "// It adds.\nadd(1); // twice\n", 3, 1, nil},
		"a shell script":         {"a.sh", "#!/bin/sh\n# It runs\necho '# no comment'\n", 2, 1, nil},
		"a style sheet":          {"a.css", "/* Two\n   three four */\na { color: red }\n", 3, 0, nil},
		"a document without its code": {"a.md", "It is\n```sh\nit\n```\n| it | it |\n" + long + long, 3, 1,
			nil},
		"a long line":            {"a.go", "package a\n\n//" + long + "\n", 1, 0, []int{3}},
		"a tab has four columns": {"a.go", "package a\n\n\t\t//" + long[8:] + "\n", 1, 0, []int{3}},
		"110 columns":            {"a.go", "package a\n\n//" + long[2:] + "\n", 1, 0, nil},
		"a long string in a test": {"a_test.go", "package a\n\nconst s = `" + long + "\n" + long +
			"x`\n", 0, 0, nil},
		"long code of a test":     {"a_test.go", "package a\n\nvar s = " + long + "\n", 0, 0, []int{3}},
		"output of an example":    {"a_test.go", "package a\n\n// {\"a\":" + long + "\n", 2, 0, nil},
		"a long string elsewhere": {"a.go", "package a\n\nconst s = `" + long + "`\n", 0, 0, []int{3}},
		"a long string of e2e":    {"e2e/a.mjs", "f('" + long + "')\n", 0, 0, nil},
		"a long comment of e2e":   {"e2e/a.mjs", "// '" + long + "\n", 1, 0, []int{1}},
	} {
		got := read(c.path, c.text)
		if want := (file{tally{c.words, c.pronouns}, c.long}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestCheck writes a repository with a good folder, a bad folder, and a bad folder with too few
// words to count.
func TestCheck(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	good := "package a\n\n" + strings.Repeat("// nineteen nouns and verbs\n", 100)
	write("good/a.go", good+"// "+strings.Repeat("x", columns)+"\n")
	write("bad/a.go", good+strings.Repeat("// it that which\n", 10))
	write("good/small/a.go", "package a // which it\n")
	write("good/testdata/a.go", strings.Repeat("// it that which\n", 200))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		if out, err := exec.Command("git", append([]string{"-C", root},
			args...)...).CombinedOutput(); err != nil {
			t.Fatal(string(out))
		}
	}
	complaints, summary, err := check(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"good/a.go:103 has more than 110 columns",
		"bad/ has 7.0 % pronouns and relatives, more than 6 %"}
	if !reflect.DeepEqual(complaints, want) ||
		summary != "833 words of comments and documents, 3.8 % pronouns and relatives" {
		t.Errorf("%q\n%s", complaints, summary)
	}
}
