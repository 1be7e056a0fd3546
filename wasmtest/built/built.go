// Package built finds the module and the page. A released program has both inside, and needs no
// file; in a clone they are in build/.
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

// Module is where the module is, if no flag names another file: in a clone the path that build.sh
// gives it, "" for the one inside.
var Module = modulePath()

func modulePath() string {
	if inside != nil {
		return ""
	}
	return "build/app.wasm"
}

// Name is what the user is told that a module at path is.
func Name(path string) string {
	if path == "" {
		return "the module inside this program"
	}
	return path
}

// Read returns the bytes of the module at path, as Module gives it. The error says the way out.
func Read(path string) ([]byte, error) {
	if path == "" {
		return unpack()
	}
	wasm, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s; %s", path, wayOut)
	case err != nil:
		return nil, fmt.Errorf("the module can't be read (%w); %s", err, wayOut)
	}
	return wasm, nil
}

// unpack returns the module inside.
func unpack() ([]byte, error) {
	file, err := inside.Open("app.wasm.bin")
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

// Damaged is the error for a module at path that can't be run for a reason.
func Damaged(path, reason string) error {
	if path == "" {
		return fmt.Errorf("%s can't be run (%s); compare the program with SHA256SUMS, and download it again",
			Name(path), reason)
	}
	return fmt.Errorf("%s can't be run (%s); %s", path, reason, wayOut)
}

// Page returns the packed files of the page that belongs to the module at path.
func Page(path string) fs.FS {
	if path == "" {
		return inside
	}
	return os.DirFS(filepath.Join(filepath.Dir(path), "page"))
}
