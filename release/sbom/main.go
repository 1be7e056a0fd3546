// Command sbom writes the bill of materials of a release to standard output, as CycloneDX 1.6 JSON
// (cyclonedx.org/docs/1.6/json):
//
//	go run ./release/sbom -version 0.1.0
//
// Components with the scope "required" are in a released file: the Go modules that are linked into
// a program for any platform or into the worker, Go's and TinyGo's libraries, and the table of
// prices from npm. All others have the scope "excluded": modules and npm packages that only build or
// test. Versions and hashes come from go.mod, go.sum and package-lock.json, without the network.
// The output has no time and no random number, so the same commit gives the same bytes. Run the
// command in the root of the project.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// bom is a bill of materials.
type bom struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Scope    string    `json:"scope,omitempty"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licenses []license `json:"licenses,omitempty"`
	URL      string    `json:"purl,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"` // hex
}

type license struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// Scopes of components.
const (
	required = "required"
	excluded = "excluded"
)

// targets are the released files with Go modules: a program for each system, and the worker.
var targets = []struct{ system, processor, folder string }{
	{"linux", "amd64", "./wasmtest"}, {"darwin", "amd64", "./wasmtest"}, {"windows", "amd64", "./wasmtest"},
	{"js", "wasm", "./worker"},
}

// compiler is the module of toolchain/go.mod whose libraries are in the worker.
var compiler = map[string]bool{"github.com/tinygo-org/tinygo": true}

// locks are the npm packages' versions. None of the packages is in a release, except shipped.
var locks = []string{
	"e2e/package-lock.json", "e2e/clients/package-lock.json", "e2e/clients/full/package-lock.json",
	"e2e/sdks/package-lock.json", "e2e/sdks/full/package-lock.json",
}

// shipped is the npm package from which worker/prices/table.json is made.
const shipped = "@pydantic/genai-prices"

func main() {
	flags := flag.NewFlagSet("sbom", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	version := flags.String("version", "", "the release's version, as VERSION in release/owner.env")
	err := flags.Parse(os.Args[1:])
	if err == nil && (*version == "" || flags.NArg() > 0) {
		err = errors.New("only -version is needed")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "sbom: %v; usage: sbom -version VERSION\n", err)
		os.Exit(2)
	}
	text, err := generate(*version)
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// generate returns the bill of materials of a version.
func generate(version string) ([]byte, error) {
	linked, err := linkedModules()
	if err != nil {
		return nil, err
	}
	var all []component
	for folder, linked := range map[string]map[string]bool{".": linked, "toolchain": compiler,
		"toolchain/lint": nil} {
		found, err := modules(folder, linked)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	for _, path := range locks {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		found, err := packages(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, found...)
	}
	goVersion, err := run(nil, "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	goVersion = strings.TrimPrefix(strings.TrimSpace(goVersion), "go")
	all = append(all, library("golang", "std", goVersion, required))
	b := &bom{Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX",
		SpecVersion: "1.6", Version: 1}
	b.Metadata.Component = component{Type: "application", Ref: "edgelingua@" + version, Name: "edgelingua",
		Version: version, Licenses: make([]license, 1)}
	b.Metadata.Component.Licenses[0].License.ID = "MIT"
	b.Components = unique(all)
	own := dependency{Ref: b.Metadata.Component.Ref, On: []string{}}
	for _, c := range b.Components {
		if c.Scope == required {
			own.On = append(own.On, c.Ref)
		}
	}
	b.Dependencies = []dependency{own}
	text, err := json.MarshalIndent(b, "", " ")
	return append(text, '\n'), err
}

// unique sorts components by their refs. Of two with the same ref, the required one stays.
func unique(all []component) []component {
	slices.SortStableFunc(all, func(a, b component) int {
		if n := strings.Compare(a.Ref, b.Ref); n != 0 {
			return n
		}
		return -strings.Compare(a.Scope, b.Scope)
	})
	return slices.CompactFunc(all, func(a, b component) bool { return a.Ref == b.Ref })
}

// unknown begins the line of a package whose module go list can't read.
const unknown = "unknown: "

// linkedModules returns the paths of the modules that are in a released file.
func linkedModules() (map[string]bool, error) {
	linked := map[string]bool{}
	// -e: with the tag of release/host.sh the program embeds build/, which may be missing
	for _, to := range targets {
		env := []string{"GOOS=" + to.system, "GOARCH=" + to.processor, "CGO_ENABLED=0"}
		out, err := run(env, "list", "-e", "-deps", "-tags", "release", "-f",
			"{{if .Module}}{{.Module.Path}}{{else if not .Standard}}"+unknown+"{{.Error}}{{end}}", to.folder)
		if err != nil {
			return nil, err
		}
		for path := range strings.Lines(out) {
			path = strings.TrimSpace(path)
			if problem, found := strings.CutPrefix(path, unknown); found {
				return nil, fmt.Errorf("a module can't be read: %s", problem)
			}
			linked[path] = true
		}
	}
	return linked, nil
}

// modules returns the modules that a folder's go.mod requires.
func modules(folder string, linked map[string]bool) (all []component, err error) {
	text, err := os.ReadFile(folder + "/go.mod")
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(folder+"/go.mod", text, nil)
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(folder + "/go.sum")
	if err != nil {
		return nil, err
	}
	for _, require := range file.Require {
		path, version := require.Mod.Path, require.Mod.Version
		c := library("golang", path, version, excluded)
		if linked[path] {
			c.Scope = required
		}
		_, rest, found := strings.Cut("\n"+string(sums), "\n"+path+" "+version+" h1:")
		switch sum, _, _ := strings.Cut(rest, "\n"); {
		case found:
			if c.Hashes, err = hashes("SHA-256", sum); err != nil {
				return nil, fmt.Errorf("%s/go.sum: %s: %w", folder, path, err)
			}
		case linked[path] && !replaces(file, path):
			return nil, fmt.Errorf("%s/go.sum has no hash of %s %s", folder, path, version)
		}
		all = append(all, c)
	}
	return all, nil
}

// replaces reports whether a go.mod replaces a module.
func replaces(file *modfile.File, path string) bool {
	return slices.ContainsFunc(file.Replace, func(r *modfile.Replace) bool { return r.Old.Path == path })
}

// packages returns the packages of a package-lock.json.
func packages(lock []byte) (all []component, err error) {
	var file struct {
		Packages map[string]struct{ Name, Version, Integrity string }
	}
	if err := json.Unmarshal(lock, &file); err != nil {
		return nil, err
	}
	for path, p := range file.Packages {
		name := p.Name // of an alias, the package's own
		if path == "" {
			continue
		}
		if name == "" {
			name = path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		}
		c := library("npm", name, p.Version, excluded)
		if name == shipped {
			c.Scope = required
		}
		sum, ok := strings.CutPrefix(p.Integrity, "sha512-")
		if !ok || p.Version == "" {
			return nil, fmt.Errorf("%s has no version or no SHA-512", path)
		}
		if c.Hashes, err = hashes("SHA-512", sum); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// library returns a component of a package registry (github.com/package-url/purl-spec).
func library(kind, name, version, scope string) component {
	path := strings.ReplaceAll(name, "@", "%40")
	if kind == "golang" {
		path = strings.ToLower(path)
	}
	url := "pkg:" + kind + "/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: "library", Ref: url, Name: name, Version: version, Scope: scope, URL: url}
}

// hashes returns the hash with this base64.
func hashes(algorithm, text string) ([]hash, error) {
	sum, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return []hash{{algorithm, hex.EncodeToString(sum)}}, nil
}

// run runs the go command with additional environment variables, and returns its output.
func run(env []string, args ...string) (string, error) {
	command := exec.Command("go", args...)
	command.Env = append(os.Environ(), append(env, "GOFLAGS=-mod=readonly")...)
	var problem bytes.Buffer
	command.Stderr = &problem
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, problem.String())
	}
	return string(out), nil
}
