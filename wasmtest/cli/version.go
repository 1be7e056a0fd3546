package cli

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"

	"edgelingua/wasmtest/built"
)

// releaseVersion and releaseCommit identify a release. release/host.sh sets them; a build of a
// clone has neither.
var releaseVersion, releaseCommit string

// printVersion prints the program's version and the hash of its module. A missing module is no
// failure: the version is still known.
func printVersion(stdout io.Writer) error {
	released := cmp.Or(releaseVersion, "not released")
	if releaseCommit != "" {
		released += ", commit " + releaseCommit
	}
	fmt.Fprintf(stdout, "edgelingua %s, %s/%s, %s\n", released, runtime.GOOS, runtime.GOARCH,
		runtime.Version())
	wasm, err := built.Read(built.Module)
	if err != nil {
		_, err = fmt.Fprintf(stdout, "no module: %v\n", err)
		return err
	}
	_, err = fmt.Fprintf(stdout, "module %x, %d bytes\n", sha256.Sum256(wasm), len(wasm))
	return err
}
