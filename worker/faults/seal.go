//go:build js && wasm && faults

package faults

import (
	"net/http"
	"strconv"
	"syscall/js"

	"edgelingua/worker/bridge"
	"edgelingua/worker/settings"
)

// secret does one operation with a secret or a setting, as State says.
func secret(operation, context, body string, h http.Header) (out []byte, found bool, err error) {
	var text string
	found = true
	switch operation {
	case "digest":
		text, err = bridge.Digest(body)
	case "seal":
		text, err = bridge.Seal(context, body)
	case "open":
		var stale bool
		text, found, stale, err = bridge.Open(context, body)
		if stale {
			h.Set("x-stale", "1")
		}
	case "settings":
		text = bridge.Settings()
	case "env": // how many of two variables the program finds beside its settings
		n := 0
		for _, name := range []string{"CLIENT_KEY", "SEAL_KEY"} {
			if !js.Global().Get("context").Get("env").Get(name).IsUndefined() {
				n++
			}
		}
		text = strconv.Itoa(n)
	case "memory": // all that the program holds once it has read its settings, and sealed and opened a secret
		settings.Get("")
		if text, err = bridge.Seal(context, body); err == nil {
			_, _, _, err = bridge.Open(context, text)
		}
		return bridge.Memory(), true, err
	}
	return []byte(text), found, err
}
