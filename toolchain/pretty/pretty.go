// Package pretty stands in the module for github.com/tidwall/pretty, which gjson's modifiers @pretty and @ugly call, and which imports
// encoding/json. No path of this project's has a modifier; one that had would get its JSON as it is.
package pretty

// Options are those of the real package.
type Options struct {
	Width          int
	Prefix, Indent string
	SortKeys       bool
}

// DefaultOptions are the real package's.
var DefaultOptions = &Options{Width: 80, Indent: "  "}

// Pretty returns json.
func Pretty(json []byte) []byte { return json }

// PrettyOptions returns json.
func PrettyOptions(json []byte, _ *Options) []byte { return json }

// Ugly returns json.
func Ugly(json []byte) []byte { return json }
