package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// folder is the folder of the recordings.
type folder struct {
	root  *os.Root
	path  string
	files int
	bytes int64
}

// openFolder opens a folder that only this user may read, and creates a missing folder. Errors are
// written for the user and say what to do.
func openFolder(path string) (*folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("the folder for recordings can't be made (%w); name one whose parent is "+
			"there and can be written", err)
	}
	seen, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !seen.IsDir() {
		return nil, fmt.Errorf("%s is no folder, or a link to one; name the folder itself, or a new one",
			path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("the folder for recordings can't be opened (%w); name another one", err)
	}
	f := &folder{root: root, path: path}
	if err := f.check(seen); err != nil {
		root.Close()
		return nil, err
	}
	return f, nil
}

// check compares the opened folder with seen: another program may have replaced the folder after
// seen was read from the path.
func (f *folder) check(seen fs.FileInfo) error {
	opened, err := f.root.Stat(".")
	if err != nil {
		return err
	}
	if !os.SameFile(seen, opened) {
		return fmt.Errorf("%s changed while it was opened; name a folder that nobody else can change", f.path)
	}
	if err := private(f.path, opened); err != nil {
		return err
	}
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("the folder for recordings can't be read (%w); name another one", err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			f.files++
			f.bytes += info.Size()
		}
	}
	return nil
}

// write writes a new file, and fails if the file exists. If writing fails halfway, the file is
// removed.
func (f *folder) write(name string, text []byte) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		f.root.Remove(name)
		return err
	}
	f.files++
	f.bytes += int64(len(text))
	return nil
}
