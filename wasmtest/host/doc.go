// Package host runs the deployed wasm module on wazero and serves it over HTTP.
//
// It is the second implementation of the contract in worker/bridge/doc.go; worker.mjs is the first.
// There is no JavaScript engine: package js has the values that the module sees through syscall/js.
//
// # One request
//
//   - ServeHTTP starts an instance of the module (instance.go) and runs its event loop (js.Loop) on
//     its own goroutine. All state of a request belongs to this goroutine. Reads and writes run on
//     separate goroutines and post their results as ticks of the loop, so a slow peer never blocks
//     the loop.
//   - The module calls the host through imports (imports.go, gojs.go, wasi.go). The loop calls the
//     module's exports only in a tick, except for callbacks that JavaScript would run inside a call,
//     such as the executor of a promise.
//   - The program's state is in the Store of the Config (state.go). Its operations also run on
//     separate goroutines.
//   - The request ends when its response is written. A loop without a response and with nothing to
//     wait for is a hang, and fails immediately.
//   - A trap, an unknown property, a hang or a panic of the host's own code ends the instance: see
//     hostRequest.fail.
//   - However a request ends, it leaves nothing behind: its memory is returned (memory.Pool), the
//     program's references are released (js.Table), the upstream's bodies are closed, and no
//     goroutine remains, except one that still stores the end of an answer.
//   - A request that the program upgrades to a WebSocket ends with its 101. The connection
//     (socket.go) then has its own goroutines, and each frame of the client is a request as above
//     (socket_frame.go), with an answer in frames (socket_answer.go).
//   - The host gives up a client that stops in the middle of its body, or stops reading its answer
//     (patience.go).
//
// NewNative returns a host without a module: a goroutine of the process runs each request (native.go),
// and all of the above is the same code.
//
// With Config.Trace, each call between the two sides is a line in a log (trace.go).
package host
