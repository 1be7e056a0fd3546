//go:build !unix

package record

import "io/fs"

// private is not known here: Go shows no access control lists, and on Windows a file's rights are
// those of the folder that it is in.
func private(string, fs.FileInfo) error { return nil }

// Note says what the system does not hold of what this package promises.
const Note = "Who may read them is not checked on this system: they have the rights of the folder above. "
