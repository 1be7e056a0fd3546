// Command worker is the edge program. For each client request it sends a translated request to the
// endpoint's upstream, and answers with the translated response. It also serves the administration
// of personal endpoints. TinyGo builds the program; worker.mjs and wasmtest/host run an instance
// per request.
package main

import (
	"edgelingua/worker/bridge"
	"edgelingua/worker/serve"
)

func main() { bridge.Run(serve.Program{}) }
