package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"edgelingua/worker/endpoint"
)

// checkNames returns the error for --var and --secret with a name that is no setting: with a
// mistyped UPSTREAM_URL prompts would go elsewhere. A name with a small letter is not repeated
// unless a setting is near: it may be a key in base64, which may end in "=".
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

// mostNamed is the maximum of names in a note: a file may have many for other programs.
const mostNamed = 10

// unknown returns a note on names in files and the environment that are no settings, mistyped ones
// first; "" for none.
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

// meant returns a hint with the nearest setting, "" for none.
func meant(name string) string {
	if setting := endpoint.Meant(name); setting != "" {
		return " (did you mean " + setting + "?)"
	}
	return ""
}
