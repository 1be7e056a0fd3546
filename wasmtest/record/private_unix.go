//go:build unix

package record

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// private returns the reason why other users may read a folder or put files into it, or "".
func private(path string, info fs.FileInfo) error {
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user; name a folder of your own, or a new one", path)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%s can be read or changed by others (mode %#o); run chmod 700 on it, or name "+
			"a new folder", path, mode)
	}
	return nil
}

// Note warns about a promise of this package that does not hold on this system; "" if all hold.
const Note = ""
