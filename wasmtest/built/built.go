// Package built finds the module and the page. A released program contains both and needs no other
// file; in a clone both are in build/.
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

// Module is the default path of the module: in a clone the path to which build.sh writes it, and ""
// for the module inside a released program.
var Module = modulePath()

func modulePath() string {
	if inside != nil {
		return ""
	}
	return "build/app.wasm"
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
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s; %s", path, wayOut)
	case err != nil:
		return nil, fmt.Errorf("the module can't be read (%w); %s", err, wayOut)
	}
	return wasm, nil
}

// unpack returns the module inside the program.
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
