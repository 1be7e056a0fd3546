// Package passing reads and changes bodies without decoding them. It serves requests whose client and
// upstream speak the same protocol, and any request before its decoding. Every function accepts any
// bytes, searches them or reads top-level members, and leaves all other bytes unchanged.
package passing

import "edgelingua/translator/jsonw"

// view returns b as a string without a copy. It is valid until b changes.
func view(b []byte) string { return string(jsonw.View(b)) }
