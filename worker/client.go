//go:build js && wasm

package main

import (
	"net/http"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
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

// credential is the key that the client presents, or "", and whether it came as a bearer token: as the header that a protocol has for
// it, as a bearer token, or in the query where the client's own protocol has a place for it there. client is nil where the request is
// none of a protocol's.
func credential(r *http.Request, client *ir.API) (key string, bearer bool) {
	for _, api := range translator.APIs {
		if api.KeyHeader == "" {
			continue
		}
		if key := r.Header.Get(api.KeyHeader); key != "" {
			return key, false
		}
	}
	if scheme, key, _ := strings.Cut(r.Header.Get("authorization"), " "); strings.EqualFold(scheme, "bearer") {
		return strings.TrimSpace(key), true
	}
	if client != nil && client.KeyQuery != "" {
		return r.URL.Query().Get(client.KeyQuery), false
	}
	return "", false
}
