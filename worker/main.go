// Command worker is the edge program: it takes a client's request, translates it for the endpoint's
// upstream, and answers with the translated response. Beside that it serves the administration of
// personal endpoints. TinyGo builds it; worker.mjs and wasmtest/host run it, one instance per
// request.
package main

import (
	"edgelingua/worker/bridge"
	"edgelingua/worker/serve"
)

func main() { bridge.Run(serve.Program{}) }
