package endpoint

import (
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// Address is what a path says of a personal endpoint: /u/NAME/..., or /k/KEY/... for clients that
// can't send a header.
type Address struct {
	Name string
	Key  string // "" where the path holds none
}

// Split takes the address of a personal endpoint off a path. rest is what is left, from a slash on;
// ok is false, and rest the whole path, where it names none.
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

// Client returns the protocol of a client by the path of its request, personal endpoints included,
// and by its header, as translator.APIOf does: for answers that the program itself does not give.
func Client(path string, header func(name string) string) *ir.API {
	_, rest, _ := Split(path)
	client, _ := translator.APIOf(rest, header)
	return client
}
