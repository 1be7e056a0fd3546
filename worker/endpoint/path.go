package endpoint

import (
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// Address is the part of a path that addresses a personal endpoint: /u/NAME/..., or /k/KEY/... for
// clients that can't send a header.
type Address struct {
	Name string
	Key  string // "" if the path has no key
}

// Split splits the address of a personal endpoint from a path. rest is the remaining path,
// beginning with a slash. Without an address, ok is false and rest is the whole path.
func Split(path string) (a Address, rest string, ok bool) {
	switch {
	case strings.HasPrefix(path, "/u/"):
		a.Name, rest, _ = strings.Cut(path[len("/u/"):], "/")
	case strings.HasPrefix(path, "/k/"):
		a.Key, rest, _ = strings.Cut(path[len("/k/"):], "/")
		a.Name, _ = NameOf(a.Key)
	default:
		return a, path, false
	}
	return a, "/" + rest, true
}

// Client returns the protocol of a client, from the path of its request and its headers, like
// translator.APIOf. The path may be that of a personal endpoint. Client is for answers that the
// host gives without the program.
func Client(path string, header func(name string) string) *ir.API {
	_, rest, _ := Split(path)
	client, _ := translator.APIOf(rest, header)
	return client
}
