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
	each(func(key, v string) bool {
		if ok = key == name; ok {
			value = v
		}
		return !ok
	})
	return value, ok
}

// Names returns the names of all variables and secrets of the deployment.
func Names() (names []string) {
	each(func(key, _ string) bool {
		names = append(names, key)
		return true
	})
	return names
}

// each calls f with each variable and secret, until f returns false.
func each(f func(name, value string) bool) {
	if packed == "" {
		packed = bridge.Settings()
	}
	for rest := packed; rest != ""; {
		var name, value string
		name, rest, _ = strings.Cut(rest, "\x00")
		value, rest, _ = strings.Cut(rest, "\x00")
		if !f(name, value) {
			return
		}
	}
}
