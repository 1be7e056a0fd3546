//go:build release

package built

import (
	"embed"
	"io/fs"
)

// release/host.sh lays the files of build/page here, by an overlay: no copy of them is in the tree.
//
//go:embed inside
var files embed.FS

var inside = folder()

func folder() fs.FS {
	f, err := fs.Sub(files, "inside")
	if err != nil {
		panic(err) // the name is valid
	}
	return f
}

const wayOut = "leave --wasm out: the module is inside this program"
