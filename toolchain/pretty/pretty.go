// Package pretty replaces github.com/tidwall/pretty in the module. gjson's modifiers @pretty and
// @ugly call that package, which imports encoding/json. No path in this project has a modifier; a
// path with one would get its JSON unchanged.
package pretty

// Options has the fields of the real package.
type Options struct {
	Width          int
	Prefix, Indent string
	SortKeys       bool
}

// DefaultOptions has the values of the real package.
var DefaultOptions = &Options{Width: 80, Indent: "  "}

// Pretty returns json itself, without a copy.
func Pretty(json []byte) []byte { return json }

// PrettyOptions returns json itself, without a copy.
func PrettyOptions(json []byte, _ *Options) []byte { return json }

// Ugly returns json itself, without a copy.
func Ugly(json []byte) []byte { return json }
