//go:build js && wasm

package main

import (
	"net/http"
	"strings"

	"edgelingua/worker/bridge"
)

// clientHeader returns the header of the client's request, each value as it was sent: syumai/workers splits values at commas.
func clientHeader() http.Header {
	h := http.Header{}
	for lines := bridge.ClientHead(); lines != ""; {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		name, value, _ := strings.Cut(line, ": ")
		h.Set(name, value)
	}
	return h
}

// credential is the key that the client presents, or "", and whether it came as a bearer token.
func credential(r *http.Request) (key string, bearer bool) {
	if key := r.Header.Get("x-api-key"); key != "" {
		return key, false
	}
	scheme, key, _ := strings.Cut(r.Header.Get("authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return "", false
	}
	return strings.TrimSpace(key), true
}
