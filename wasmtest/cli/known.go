package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"edgelingua/worker/endpoint"
)

// checkNames returns the error for --var and --secret that name no setting: whoever mistypes
// UPSTREAM_URL would send prompts elsewhere. It repeats no name with a small letter that is not
// close to a setting's: a key in base64 without a name may end in "=", and looks like one.
func checkNames(vars map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		switch {
		case endpoint.Known(name):
		case endpoint.Meant(name) == "" && name != strings.ToUpper(name):
			return usageError{errors.New("--var and --secret take settings, and one that is given is " +
				"none; docs/settings.md lists them")}
		default:
			return usageError{fmt.Errorf("--var and --secret take settings, and %s is none%s; "+
				"docs/settings.md lists them", name, meant(name))}
		}
	}
	return nil
}

// mostNamed bounds how many names a note has: a file for other programs, too, may have many.
const mostNamed = 10

// unknown returns a note on the names among those of files and the environment that are no
// settings, mistyped ones first; "": there are none.
func unknown(vars map[string]string) string {
	var near, far []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		switch {
		case endpoint.Known(name):
		case endpoint.Meant(name) != "":
			near = append(near, name+meant(name))
		default:
			far = append(far, name)
		}
	}
	names := append(near, far...)
	if len(names) == 0 {
		return ""
	}
	more := ""
	if n := len(names) - mostNamed; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
		names = names[:mostNamed]
	}
	return "no settings, and ignored: " + strings.Join(names, ", ") + more
}

// meant says which setting a name is taken for that is none, "" for none.
func meant(name string) string {
	if setting := endpoint.Meant(name); setting != "" {
		return " (did you mean " + setting + "?)"
	}
	return ""
}
