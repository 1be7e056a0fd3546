package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
)

// clientHeader returns the header of the client's request with each value as the client sent it.
// syumai/workers would split values at commas.
func clientHeader(host bridge.Host) http.Header {
	h := http.Header{}
	for lines := host.ClientHead(); lines != ""; {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		name, value, _ := strings.Cut(line, ": ")
		h.Set(name, value)
	}
	return h
}

// credential returns the client's key, "" for none, and whether it came as a bearer token. It reads
// the key header of every protocol (such as x-api-key, on every path), then Authorization, then the
// query if the client's protocol allows a key there. client is nil for requests to the Admin API
// and the owner API.
func credential(r *http.Request, client *ir.API) (key string, bearer bool) {
	for _, api := range translator.APIs {
		if api.KeyHeader == "" {
			continue
		}
		if key := r.Header.Get(api.KeyHeader); key != "" {
			return key, false
		}
	}
	if scheme, key, _ := strings.Cut(r.Header.Get("authorization"), " "); strings.EqualFold(scheme,
		"bearer") {
		return strings.TrimSpace(key), true
	}
	if client != nil && client.KeyQuery != "" {
		return r.URL.Query().Get(client.KeyQuery), false
	}
	return "", false
}
