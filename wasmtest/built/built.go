// Package built finds the module and the page. A released program contains both and needs no file.
// A program built from a clone finds them beside itself, in build/.
package built

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// name is the module's file name, and inClone its path in a clone.
const (
	name    = "app.wasm"
	inClone = "build/" + name
)

// Module is the path of the module if no flag names another one: the file beside this program or,
// if there is none (as for go run), build/app.wasm below the current folder. "" is the module
// inside a released program.
var Module = modulePath()

func modulePath() string {
	path := Beside()
	if path == "" {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		return inClone
	}
	return path
}

// Beside returns the path of the module in the program's own folder, "" for a module inside the
// program. A symbolic link to the program is resolved: the module is not copied along with the link.
func Beside() string {
	if inside != nil {
		return ""
	}
	program, err := os.Executable()
	if err != nil {
		return inClone
	}
	return beside(program)
}

func beside(program string) string {
	if resolved, err := filepath.EvalSymlinks(program); err == nil {
		program = resolved
	}
	return filepath.Join(filepath.Dir(program), name)
}

// Name returns a name for the module at path in messages to the user.
func Name(path string) string {
	if path == "" {
		return "the module inside this program"
	}
	return path
}

// Read returns the bytes of the module at path, or of the module inside the program for "". The
// error is for the user and says what to do.
func Read(path string) ([]byte, error) {
	if path == "" {
		return unpack()
	}
	wasm, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && path == inClone:
		return nil, fmt.Errorf("there is no %s, neither beside this program nor here in build/; %s", name,
			wayOut)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s; %s", path, wayOut)
	case err != nil:
		return nil, fmt.Errorf("the module can't be read (%w); %s", err, wayOut)
	}
	return wasm, nil
}

// unpack returns the module inside the program.
func unpack() ([]byte, error) {
	file, err := inside.Open(name + ".bin")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	wasm, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(wasm)
}

// Damaged is the error for a module at path that can't be run. reason is the cause.
func Damaged(path, reason string) error {
	if path == "" {
		return fmt.Errorf("%s can't be run (%s); compare the program with SHA256SUMS, and download it again",
			Name(path), reason)
	}
	return fmt.Errorf("%s can't be run (%s); %s", path, reason, wayOut)
}

// Page returns the compressed files of the page for the module at path.
func Page(path string) fs.FS {
	if path == "" {
		return inside
	}
	return os.DirFS(filepath.Join(filepath.Dir(path), "page"))
}
