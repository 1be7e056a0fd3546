//go:build js && wasm

package main

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
)

// encoded is the error of an answer whose body is compressed in a way that the host does not undo, nil for any other. Nobody
// asked for that. Where the answer is an error itself, its status counts.
func encoded(status int, lines string) *ir.Error {
	coding := bridge.HeaderOf(lines, "content-encoding")
	if coding == "gzip" || coding == "br" { // in this spelling, since workerd knows no other
		return nil
	}
	coding = strings.ToLower(coding)
	for _, name := range [...]string{"gzip", "br", "deflate", "zstd", "compress"} {
		switch {
		case !strings.Contains(coding, name):
		case status < 300:
			return &ir.Error{Kind: ir.Unavailable, Message: "The upstream's answer can't be read: it is compressed (" + name +
				"), though the request said accept-encoding: identity."}
		case status >= 400:
			return unreadable(status)
		}
	}
	return nil
}

// unreadable is an upstream's error of which only the status is known.
func unreadable(status int) *ir.Error {
	return &ir.Error{Kind: ir.KindOfStatus(status), Status: status, Message: "The upstream answered " + strconv.Itoa(status) +
		", with a body that can't be read."}
}
