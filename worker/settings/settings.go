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
	if packed == "" {
		packed = bridge.Settings()
	}
	for rest := packed; rest != ""; {
		key, tail, _ := strings.Cut(rest, "\x00")
		value, rest, _ = strings.Cut(tail, "\x00")
		if key == name {
			return value, true
		}
	}
	return "", false
}
