//go:build faults

package faults

import (
	"net/http"
	"strconv"

	"edgelingua/worker/bridge"
)

// secret does one operation with a secret or a setting, as State says.
func secret(host bridge.Host, operation, context, body string, h http.Header) (out []byte, found bool,
	err error) {
	var text string
	found = true
	switch operation {
	case "digest":
		text, err = host.Digest(body)
	case "seal":
		text, err = host.Seal(context, body)
	case "open":
		var stale bool
		text, found, stale, err = host.Open(context, body)
		if stale {
			h.Set("x-stale", "1")
		}
	case "settings":
		text = host.Settings()
	case "env": // how many of two variables the program finds beside its settings
		n := 0
		for _, name := range []string{"CLIENT_KEY", "SEAL_KEY"} {
			if host.Env(name) {
				n++
			}
		}
		text = strconv.Itoa(n)
	case "memory": // all that the program holds once it has read its settings, and sealed and opened a secret
		host.Settings()
		if text, err = host.Seal(context, body); err == nil {
			_, _, _, err = host.Open(context, text)
		}
		return host.Memory(), true, err
	}
	return []byte(text), found, err
}
