//go:build !unix

package record

import "io/fs"

// private checks nothing here: Go does not show access control lists, and on Windows a file has the
// rights of its folder.
func private(string, fs.FileInfo) error { return nil }

// Note warns about a promise of this package that does not hold on this system.
const Note = "Who may read them is not checked on this system: they have the rights of the folder above. "
