package upstream

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
)

// Unread returns an error if the body of an answer is compressed in a way that the host does not
// decompress, else nil. lines is the head of the answer. Every request has accept-encoding:
// identity, so an upstream should never compress. For an error of the upstream, the returned error
// has the upstream's status.
func Unread(status int, lines string) error {
	coding := bridge.HeaderOf(lines, "content-encoding")
	if coding == "gzip" || coding == "br" { // workerd decompresses these, in lower case only
		return nil
	}
	coding = strings.ToLower(coding)
	for _, name := range [...]string{"gzip", "br", "deflate", "zstd", "compress"} {
		switch {
		case !strings.Contains(coding, name):
		case status < 300:
			return &ir.Error{Kind: ir.Unavailable,
				Message: "The upstream's answer can't be read: it is compressed (" + name +
					"), though the request said accept-encoding: identity."}
		case status >= 400:
			return Unreadable(status)
		}
	}
	return nil
}

// Unreadable returns the error for an upstream's error with an unreadable body. It has the
// upstream's status.
func Unreadable(status int) *ir.Error {
	return &ir.Error{Kind: ir.KindOfStatus(status), Status: status,
		Message: "The upstream answered " + strconv.Itoa(status) +
			", with a body that can't be read."}
}
