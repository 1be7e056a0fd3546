//go:build release

package built

import (
	"embed"
	"io/fs"
)

// release/host.sh adds the files of build/page to the folder inside with an overlay; the source
// tree has no copy of them.
//
//go:embed inside
var files embed.FS

// go:embed reads files of the package's own folder only. A copy in the tree would be a second
// truth, or an old ignored file in a new build. The module is among the packed files of the page,
// so the program contains the module once, compressed.
var inside = folder()

func folder() fs.FS {
	f, err := fs.Sub(files, "inside")
	if err != nil {
		panic(err) // the name is valid
	}
	return f
}

const wayOut = "leave --wasm out: the module is inside this program"
