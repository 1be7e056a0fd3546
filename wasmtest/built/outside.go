//go:build !release

package built

import "io/fs"

var inside fs.FS

const wayOut = "run ./build.sh in the clone, which builds it, or name another with --wasm"
