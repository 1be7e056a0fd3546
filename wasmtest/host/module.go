package host

import (
	"bytes"
	"encoding/binary"

	"edgelingua/wasmtest/host/js"
	"edgelingua/worker/bridge"
)

// module is an instance of the module, as the program of a request.
type module struct {
	*instance
	x *hostRequest
}

// begin starts the instance, and passes the request to the instance in a later tick.
func (m *module) begin() {
	m.start(map[string]js.Value{
		"env":  js.NewObject(),
		"ctx":  &js.Namespace{Name: "context.ctx"},
		"host": &hostObject{m.x},
	})
	m.loop.Later(m.handle)
}

func (m *module) handle() {
	set, _ := m.binding.Get("handleRequest")
	handler, ok := set.(*js.Function)
	if !ok {
		js.Stop("the program has not set handleRequest")
	}
	v, err := handler.Call(nil, []js.Value{newRequest(m.x.request)})
	answer := js.NewPromise(m.loop)
	answer.Follow(v, err)
	answer.React(func() {
		result, failed := answer.Outcome()
		if failed {
			js.Stop("handleRequest failed: %s", js.Describe(result))
		}
		m.x.answer(m.response(result))
	})
}

// response returns the Response of the program's handler.
func (m *module) response(v js.Value) *js.Response {
	r, ok := v.(*js.Response)
	if !ok && m.exit != nil {
		js.Stop("the program is over: %w", m.exit)
	}
	if !ok {
		js.Stop("handleRequest returned %s, not a Response", js.Describe(v))
	}
	return r
}

func (m *module) settle(code int, data []byte) {
	n := m.put(data)
	m.enter("settle", uint64(uint32(int32(code))), n)
	m.goOn()
}

func (m *module) goOn() { m.enter("go_scheduler") }

func (m *module) head(status int, lines string) (again bool) {
	n := m.put([]byte(lines))
	return m.enter("stream_head", uint64(uint32(status)), n) == 1
}

func (m *module) push(chunk []byte) (out []byte, next bridge.Next) {
	return m.streamed(m.enter("stream_push", m.put(chunk)))
}

func (m *module) complete() bool { return m.enter("stream_complete") != 0 }

func (m *module) closeStream(c cause) (out []byte, next bridge.Next) {
	return m.streamed(m.enter("stream_close", uint64(c)))
}

func (m *module) end() []byte { return m.out("stream_end") }

func (m *module) ended(reason string) []byte {
	code := int32(0)
	if reason != "" {
		code = failedCode
	}
	n := m.put([]byte(reason))
	return m.out("stream_ended", uint64(uint32(code)), n)
}

func (m *module) remember() []byte { return m.out("remember") }

func (m *module) accounts() []byte { return m.out("account") }

func (m *module) report() []byte { return m.out("report") }

func (m *module) over() error {
	if m.exit == nil {
		return nil
	}
	return m.exit
}

// Flags of an output: see worker/bridge/doc.go.
const (
	flagLast        = 1
	flagNextRequest = 2
	flagPieces      = 4
)

// streamed returns the output of a push or a close.
func (m *module) streamed(at uint64) (out []byte, next bridge.Next) {
	out, flags := m.output(at)
	switch {
	case flags&flagLast != 0:
		next = bridge.Nothing
	case flags&flagNextRequest != 0:
		next = bridge.NextCall
	}
	return out, next
}

// out calls an export and returns a copy of its output.
func (in *instance) out(export string, params ...uint64) []byte {
	out, _ := in.output(in.enter(export, params...))
	return out
}

// output returns a copy of the output described by the words at an address. out is nil for an empty
// output.
func (in *instance) output(at uint64) (out []byte, flags uint32) {
	address, length, flags := in.readUint32(at), in.readUint32(at+4), in.readUint32(at+8)
	switch {
	case flags&flagPieces != 0:
		return in.gather(uint64(address)), flags
	case length == 0:
		return nil, flags
	}
	return bytes.Clone(in.bytes(uint64(address), uint64(length))), flags
}

// gather returns the joined pieces of the program's list at an address.
func (in *instance) gather(at uint64) []byte {
	pieces := make([][]byte, binary.LittleEndian.Uint32(in.bytes(at, 4)))
	list := in.bytes(at+4, 8*uint64(len(pieces)))
	for i := range pieces {
		pieces[i] = in.bytes(uint64(binary.LittleEndian.Uint32(list[8*i:])),
			uint64(binary.LittleEndian.Uint32(list[8*i+4:])))
	}
	return bytes.Join(pieces, nil)
}

// bytes implements the bridge's bytes: it copies a part of the program's memory.
func (x *hostRequest) bytes(args arguments) js.Value {
	at, length := args.int(0), args.int(1)
	return &js.Uint8Array{Data: bytes.Clone(x.memory(args).bytes(uint64(at), uint64(length)))}
}

// pieces implements the bridge's pieces.
func (x *hostRequest) pieces(args arguments) js.Value {
	return &js.Uint8Array{Data: x.memory(args).gather(uint64(args.int(0)))}
}

// memory returns the calling instance. A program without a memory of its own is stopped.
func (x *hostRequest) memory(args arguments) *instance {
	m, ok := x.program.(*module)
	if !ok {
		js.Stop("%s is called by a program without a memory", args.name)
	}
	return m.instance
}
