package irtest

import (
	"fmt"
	"slices"

	"edgelingua/translator/ir"
)

// Client is a client of a protocol of its own, which has a form for each kind of block except the
// hidden ones. It has no other methods than these two, unless the embedded ir.Client is set.
type Client struct {
	ir.Client
	Hidden []ir.BlockKind
}

// Shows reports whether b is not hidden.
func (c Client) Shows(b ir.BlockKind) bool { return !slices.Contains(c.Hidden, b) }

// FieldPath returns "field" and the number of f, in two digits.
func (Client) FieldPath(_ *ir.Request, f ir.Field) string { return fmt.Sprintf("field%02d", f) }

// API returns the API of a Client under a name.
func API(name string, hidden ...ir.BlockKind) *ir.API {
	return &ir.API{Name: name, Client: Client{Hidden: hidden}}
}

// Request returns a request of a Client, with nothing else in it.
func Request(hidden ...ir.BlockKind) *ir.Request { return &ir.Request{API: API("", hidden...)} }
