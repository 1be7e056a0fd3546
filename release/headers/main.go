// Command headers checks the headers of programs for several platforms. Each program must be for
// the platform in its name, edgelingua-GOOS-GOARCH[.exe], and a program for Linux must need no
// library. Headers are checked because the build machine can't run programs for other systems.
package main

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	failed := false
	for _, path := range os.Args[1:] {
		if err := check(path); err != nil {
			fmt.Fprintf(os.Stderr, "headers: %s: %v\n", path, err)
			failed = true
		}
	}
	if failed || len(os.Args) == 1 {
		os.Exit(1)
	}
}

// check returns an error if the header of a program is for another platform than the name says.
func check(path string) error {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "edgelingua-"), ".exe")
	system, machine, _ := strings.Cut(name, "-")
	found, err := machineOf(path, system)
	if err != nil {
		return err
	}
	wanted := map[string]map[string]string{
		"linux":   {"amd64": "EM_X86_64", "arm64": "EM_AARCH64"},
		"darwin":  {"amd64": "CpuAmd64", "arm64": "CpuArm64"},
		"windows": {"amd64": "0x8664", "arm64": "0xaa64"}, // PE format, "Machine Types"
	}[system][machine]
	if found != wanted {
		return fmt.Errorf("its header says %s, not %s", found, wanted)
	}
	return nil
}

// machineOf returns the machine in the header of a program for a system.
func machineOf(path, system string) (string, error) {
	switch system {
	case "linux":
		f, err := elf.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
			return "", fmt.Errorf("it needs libraries: %v %v", libraries, err)
		}
		return f.Machine.String(), nil
	case "darwin":
		f, err := macho.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		return f.Cpu.String(), nil
	case "windows":
		f, err := pe.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		return fmt.Sprintf("%#x", f.Machine), nil
	}
	return "", fmt.Errorf("its name has no system that is released for: %q", system)
}
