// Package host runs the deployed wasm module on wazero and serves it over HTTP.
//
// It is the second implementation of the contract in worker/bridge/doc.go; worker.mjs is the first.
// There is no JavaScript engine: package js has the values that the module sees through syscall/js.
//
// # One request
//
//   - ServeHTTP starts one instance of the module (instance.go) and runs its event loop (js.Loop)
//     on its own goroutine. All state of an exchange belongs to that goroutine. Reads and writes
//     run on goroutines of their own and post their results as turns of the loop, so no slow peer
//     stops it.
//   - The module calls in through its imports (imports.go, gojs.go, wasi.go). The loop calls the
//     module's exports only from a turn, except for callbacks that JavaScript would run inside a
//     call, such as the executor of a promise.
//   - The program's state is in the Store of the Config (state.go), whose operations also run
//     beside the loop.
//   - The request is over when its response is written. A loop with nothing left to wait for and no
//     response is a hang, which is an error at once.
//   - A trap, an unknown property or a hang ends the instance: see exchange.fail. So does a panic
//     of the host's own code.
//   - However a request ends, nothing of it is left: the memory goes back (memory.Pool), the
//     program's references are released (js.Table), the upstream's bodies are closed, and no
//     goroutine runs on but one that still stores the end of an answer.
//   - A request that the program makes a WebSocket of is over with its 101. The connection
//     (socket.go) then has goroutines of its own, and each frame of the client is a request as
//     above (socket_turn.go), whose answer becomes frames (socket_answer.go).
//   - A client that stops in the middle of its body, or reads nothing of its answer, is given up
//     (patience.go).
//
// With Config.Trace, each call between the two sides is a line in a log (trace.go).
package host
