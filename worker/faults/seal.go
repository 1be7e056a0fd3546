//go:build faults

package faults

import (
	"net/http"
	"strconv"

	"edgelingua/worker/bridge"
)

// secret runs the operation of State if the operation concerns a secret or a setting.
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
	case "env":
		// how many of two variables that are not settings the program finds
		n := 0
		for _, name := range []string{"CLIENT_KEY", "SEAL_KEY"} {
			if host.Env(name) {
				n++
			}
		}
		text = strconv.Itoa(n)
	case "memory":
		// everything in the program's memory after reading the settings and sealing and opening a
		// secret
		host.Settings()
		if text, err = host.Seal(context, body); err == nil {
			_, _, _, err = host.Open(context, text)
		}
		return host.Memory(), true, err
	}
	return []byte(text), found, err
}
