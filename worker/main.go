//go:build js && wasm

// Command worker is the edge program: it takes a client's request, translates it for the endpoint's upstream, and answers with
// the translated response. Beside that it serves the administration of personal endpoints. TinyGo builds it; worker.mjs and
// wasmtest/host run it, one instance per request.
package main

import (
	"net/http"

	"github.com/syumai/workers"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/settings"
)

func main() {
	bridge.Preview, bridge.Setup = &preview{}, setup
	workers.Serve(http.HandlerFunc(serve))
}

// setup says where prompts go or, wrong, why the deployment can't serve.
func setup() (line string, wrong bool) {
	line, err := endpoint.Setup(settings.Get, settings.Names())
	if err != nil {
		return err.Message, true
	}
	return line, false
}
