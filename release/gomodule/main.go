// Command gomodule writes a package of the project as a separate Go module, under the path at which an
// owner publishes the module: the translator, or with -root the conformance suite.
//
//	go run ./release/gomodule -module example.org/edgelingua -version 0.1.0 -out dist/go
//	go run ./release/gomodule -root wasmtest/conform -module example.org/conform -version 0.1.0 -out out
//
// The folder out gets the package, every package of the project that it imports, the examples or the
// tests of the package, the stated API of the translator (api.txt) and the license. The content of out
// is the root of the repository at the module path, and the version is a tag there (go.dev/ref/mod,
// "Mapping versions to commits"). Run the command in the root of the project.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// roots has the packages that are modules, each with the files that its module has in addition to the
// sources of packages.
var roots = map[string][]string{
	"translator":       {"LICENSE", "translator/api.txt", "translator/example_test.go"},
	"wasmtest/conform": {"LICENSE", "wasmtest/conform/selftest_test.go"},
}

// inner begins the names of the translator's files for the programs of this project. The module leaves
// them out.
const inner = "worker"

func main() {
	flags := flag.NewFlagSet("gomodule", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	path := flags.String("module", "", "the module's path, as GO_MODULE in release/owner.env")
	root := flags.String("root", "translator", "the package: translator or wasmtest/conform")
	version := flags.String("version", "", "its version, as VERSION there")
	out := flags.String("out", "",
		"the folder to write, which must not be there yet; without it path and version are only checked")
	err := flags.Parse(os.Args[1:])
	if err == nil {
		err = check(*root, *path, *version, flags.Args())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr,
			"gomodule: %v; usage: gomodule [-root PACKAGE] -module PATH -version VERSION [-out "+
				"FOLDER]\n", err)
		os.Exit(2)
	}
	if *out == "" {
		return
	}
	if err := write(*root, *path, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gomodule:", err)
		os.Exit(1)
	}
}

// check returns an error for a wrong command line.
func check(root, path, version string, rest []string) error {
	switch {
	case roots[root] == nil:
		return fmt.Errorf("-root is translator or wasmtest/conform, not %q", root)
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case path == "" || version == "":
		return errors.New("-module and -version are needed")
	}
	return module.Check(path, "v"+strings.TrimPrefix(version, "v"))
}

// pack is a package in the output of `go list -json`.
type pack struct {
	Dir, ImportPath string
	GoFiles         []string
	Standard        bool
	Module          *struct{ Path, GoVersion string }
}

// write writes the module called path, with the package root, into the folder out.
func write(root, path, out string) error {
	packages, err := list("./" + root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return fmt.Errorf("%w: remove it, or name another folder", err)
	}
	own := packages[len(packages)-1].Module // -deps lists a package after its imports
	files := slices.Clone(roots[root])
	for _, p := range packages {
		switch {
		case p.Standard:
			continue
		case p.Module == nil || p.Module.Path != own.Path:
			return fmt.Errorf("%s imports %s, which is no part of it", root, p.ImportPath)
		}
		for _, name := range p.GoFiles {
			if p.ImportPath == own.Path+"/"+root && strings.HasPrefix(name, inner) {
				continue
			}
			files = append(files, filepath.Join(strings.TrimPrefix(p.ImportPath, own.Path+"/"), name))
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && filepath.Ext(file) == ".go" {
			text, err = renamed(text, own.Path, path)
		}
		if err == nil {
			err = save(filepath.Join(out, file), text)
		}
		if err != nil {
			return err
		}
	}
	mod := &modfile.File{}
	if err := errors.Join(mod.AddModuleStmt(path), mod.AddGoStmt(own.GoVersion)); err != nil {
		return err
	}
	text, err := mod.Format()
	if err != nil {
		return err
	}
	return save(filepath.Join(out, "go.mod"), text)
}

// list returns the package called of after all packages of its imports, direct and indirect.
func list(of string) (packages []pack, err error) {
	command := exec.Command("go", "list", "-deps", "-json", of)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pack
		switch err := d.Decode(&p); err {
		case nil:
			packages = append(packages, p)
		case io.EOF:
			return packages, nil
		default:
			return nil, err
		}
	}
}

// renamed returns a Go file in which imports of the module from are imports of the module to. Every
// other byte is unchanged.
func renamed(text []byte, from, to string) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range slices.Backward(file.Imports) {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if rest, ok := strings.CutPrefix(path, from+"/"); ok {
			begin, end := files.Position(spec.Path.Pos()).Offset, files.Position(spec.Path.End()).Offset
			text = slices.Replace(text, begin, end, []byte(strconv.Quote(to+"/"+rest))...)
		}
	}
	return text, nil
}

// save writes a file, and makes the missing folders of its path.
func save(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
