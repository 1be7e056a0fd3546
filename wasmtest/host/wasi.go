package host

import (
	"crypto/rand"

	"github.com/tetratelabs/wazero/sys"
)

// wasi is the part of WASI preview 1 that TinyGo's runtime and wasi-libc use. As in wasm_exec.js,
// closing and seeking do nothing.
var wasi = []hostFunction{
	{name: "fd_write", params: "fd i32, iovs i32, iovs_len i32, written i32", result: "i32",
		call: func(in *instance, stack []uint64) {
			iovs, n := stack[1], uint32(0)
			for range uint32(stack[2]) {
				at, length := in.readUint32(iovs), in.readUint32(iovs+4)
				in.print(in.bytes(uint64(at), uint64(length)))
				n += length
				iovs += 8
			}
			in.writeUint32(stack[3], n)
			stack[0] = 0
		}},
	{name: "fd_close", params: "fd i32", result: "i32", call: succeed},
	{name: "fd_fdstat_get", params: "fd i32, stat i32", result: "i32", call: succeed},
	{name: "fd_seek", params: "fd i32, offset i64, whence i32, position i32", result: "i32", call: succeed},
	{name: "proc_exit", params: "code i32", call: func(_ *instance, stack []uint64) {
		panic(sys.NewExitError(uint32(stack[0])))
	}},
	{name: "random_get", params: "at i32, len i32", result: "i32", call: func(in *instance, stack []uint64) {
		rand.Read(in.bytes(stack[0], stack[1]))
		stack[0] = 0
	}},
}

func succeed(_ *instance, stack []uint64) { stack[0] = 0 }
