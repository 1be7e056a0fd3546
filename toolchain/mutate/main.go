// Command mutate measures the tests of packages with mutants: copies of a source file with one
// small fault. It runs the tests with each mutant, and prints the mutants that no test noticed,
// then the share of mutants that made a test fail.
//
//	go -C toolchain run ./mutate [-n 20] [-seed N] [DIR ...]
//
// DIR is a folder of the repository (default translator). The tests of all packages in and under
// DIR run with each of its mutants, first those of the mutant's own folder. The work tree does not
// change: the go command reads each mutant through -overlay. The same seed gives the same mutants of
// the same sources. A mutant that does not compile does not count.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	n := flag.Int("n", 20, "how many mutants are tested")
	seed := flag.Uint64("seed", uint64(time.Now().Unix()), "which mutants are chosen")
	flag.Parse()
	dirs := flag.Args()
	if len(dirs) == 0 {
		dirs = []string{"translator"}
	}
	if err := run("..", dirs, *n, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run tests n mutants of the Go files under dirs. dirs are relative to root.
func run(root string, dirs []string, n int, seed uint64) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	var mutants []mutant
	for _, dir := range dirs {
		if err := test(root, dir, ""); err != nil {
			return fmt.Errorf("the tests of %s fail without a mutant: %w", dir, err)
		}
		found, err := find(root, dir)
		if err != nil {
			return err
		}
		mutants = append(mutants, found...)
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(mutants), func(i, j int) {
		mutants[i], mutants[j] = mutants[j], mutants[i]
	})
	fmt.Printf("seed %d, %d possible mutants\n", seed, len(mutants))
	killed, survived, broken := 0, 0, 0
	for _, m := range mutants {
		if killed+survived == n {
			break
		}
		switch result, err := try(root, m); {
		case err != nil:
			return err
		case result == notBuilt:
			broken++
			continue
		case result == noticed:
			killed++
		default:
			survived++
			fmt.Println("survived:", m)
		}
		if tried := killed + survived; tried%10 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d mutants tested, %d made a test fail\n", tried, n, killed)
		}
	}
	fmt.Printf("%d of %d mutants made a test fail; %d more did not compile\n",
		killed, killed+survived, broken)
	return nil
}

type result int

const (
	unnoticed result = iota
	noticed
	notBuilt
)

// try tests one mutant.
func try(root string, m mutant) (result, error) {
	folder, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	source, err := os.ReadFile(m.file)
	if err != nil {
		return 0, err
	}
	file, overlay := filepath.Join(folder, "mutant.go"), filepath.Join(folder, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{m.file: file}})
	if err == nil {
		err = errors.Join(os.WriteFile(file, m.apply(source), 0o600), os.WriteFile(overlay, list, 0o600))
	}
	if err != nil {
		return 0, err
	}
	build := exec.Command("go", "build", "-overlay", overlay, "./"+filepath.Dir(m.name))
	build.Dir = root
	if build.Run() != nil {
		return notBuilt, nil
	}
	// Most mutants fail the tests of their own folder, which take a second.
	for _, dir := range slices.Compact([]string{filepath.Dir(m.name), m.dir}) {
		if test(root, dir, overlay) != nil {
			return noticed, nil
		}
	}
	return unnoticed, nil
}

// test runs the tests in and under a folder. A mutant may loop and allocate forever, so a process gets
// four minutes of CPU time and 8 GB of memory.
func test(root, dir, overlay string) error {
	command := exec.Command("sh", "-c",
		`ulimit -t 240; ulimit -v 8388608; exec go test -vet=off -failfast -overlay "$1" "./$2/..."`,
		"sh", overlay, dir)
	command.Dir = root
	return command.Run()
}
