//go:build js && wasm

package main

import (
	"strings"

	"edgelingua/worker/bridge"
)

// settings are the variables and secrets of the deployment, once setting has read them.
var settings string

// setting returns a variable or a secret of the deployment; ok is false where it is missing.
func setting(name string) (value string, ok bool) {
	if settings == "" {
		settings = bridge.Settings()
	}
	for rest := settings; rest != ""; {
		key, tail, _ := strings.Cut(rest, "\x00")
		value, rest, _ = strings.Cut(tail, "\x00")
		if key == name {
			return value, true
		}
	}
	return "", false
}
