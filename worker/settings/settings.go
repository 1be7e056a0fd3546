//go:build js && wasm

// Package settings reads the variables and secrets of the deployment, which the host hands over as one string. Nothing here checks
// their values: worker/endpoint does.
package settings

import (
	"strings"

	"edgelingua/worker/bridge"
)

// packed is what bridge.Settings returns, once Get has asked for it; a deployment always has some.
var packed string

// Get returns a variable or a secret of the deployment; ok is false where it is missing.
func Get(name string) (value string, ok bool) {
	for rest := all(); rest != ""; {
		var key string
		if key, value, rest = cut(rest); key == name {
			return value, true
		}
	}
	return "", false
}

// Names returns the names of all variables and secrets of the deployment.
func Names() (names []string) {
	for rest := all(); rest != ""; {
		var name string
		name, _, rest = cut(rest)
		names = append(names, name)
	}
	return names
}

func all() string {
	if packed == "" {
		packed = bridge.Settings()
	}
	return packed
}

// cut takes the first setting off a text of packed ones.
func cut(text string) (name, value, rest string) {
	name, rest, _ = strings.Cut(text, "\x00")
	value, rest, _ = strings.Cut(rest, "\x00")
	return name, value, rest
}
