package main

import (
	"io"
	"os"

	"edgelingua/wasmtest/access"
)

// styleFor returns how requests are logged to out: for whoever reads there.
func styleFor(out io.Writer) access.Style {
	switch {
	case !attended(out):
		return access.JSON
	case os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb":
		return access.Plain
	}
	return access.Colour
}
