package host

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"edgelingua/wasmtest/host/js"
)

// A testModule is a small wasm module, written instruction by instruction, that acts as a Go
// program: it sets handleRequest, and its callbacks get, call and construct values through the
// imports of syscall/js. So a test determines exactly what a program does and where the program
// traps.
type testModule struct {
	types     [][]byte
	imported  []string // "MODULE NAME" of each imported function
	functions []testFunction
	strings   []byte // the data segment
	globals   []int64
	resolve   slot        // resolve of the promise returned by a handler of later
	callbacks []*testCode // by id; the first id is 1

	// of the WebSockets that the handler accepts, in milliseconds, two at most; 0: it accepts none
	lifetime    float64
	contentType string   // of the responses; "": none
	pages       int      // of the memory
	without     []string // missing exports; other exports without code do nothing and return 0
}

type testFunction struct {
	name            string // of the export
	params, results []api.ValueType
	code            *testCode
}

// nanHead is the upper half of a ref that is not a number: a NaN.
const nanHead = 0x7FF80000

// slot is a global variable with a ref.
type slot int

// Slots with a fixed value, and slots for the arguments.
const (
	undefinedSlot slot = iota
	nullSlot
	falseSlot
	globalSlot
	goSlot
	arg0 // the arguments of the running callback
	arg1
	fixedSlots
)

// Addresses in the memory of a test module.
const (
	retAt     = 0
	argsAt    = 64
	stringsAt = 1024
	inputAt   = 1 << 16
)

// newTestModule returns a module whose stream echoes: stream_push outputs its input, stream_close
// its cause.
func newTestModule() *testModule {
	m := &testModule{pages: 4, globals: []int64{0, nanHead<<32 | 2, nanHead<<32 | 4, (nanHead|1)<<32 | 5,
		(nanHead|1)<<32 | 6, 0, 0}}
	for _, module := range []string{"gojs", "wasi_snapshot_preview1", "workers"} {
		for _, f := range imports[module] {
			_, params := parseParams(f.params)
			var results []api.ValueType
			if f.result != "" {
				results = append(results, valueTypes[f.result])
			}
			m.imported = append(m.imported, module+" "+f.name)
			m.types = append(m.types, functionType(params, results))
		}
	}
	m.export("stream_reserve", []api.ValueType{api.ValueTypeI32}, i32Result, m.code().i32(inputAt))
	headLength := m.slot()
	m.export("stream_head", []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}, i32Result,
		m.code().localGet(0).op(0x45, 0x04, 0x40). // i32.eqz, if
			// i64.extend_i32_u, end
			localGet(1).op(0xAD).globalSet(headLength).op(0x0B).i32(0))
	m.export("stream_push", []api.ValueType{api.ValueTypeI32}, i32Result,
		m.code().i32(inputAt).outIs().localGet(0).words(0))
	m.export("stream_complete", nil, i32Result, m.code().i32(0))
	m.export("stream_close", []api.ValueType{api.ValueTypeI32}, i32Result, m.code().close(headLength))
	m.export("go_scheduler", nil, nil, m.code())
	return m
}

var i32Result = []api.ValueType{api.ValueTypeI32}

// outIs stores the address on the stack as the place of the output.
func (c *testCode) outIs() *testCode {
	address := c.m.slot()
	c.op(0xAD).globalSet(address)
	c.i32(retAt).globalGet(address).op(0xA7) // i32.wrap_i64
	return c.op(0x36, 2, 32)                 // i32.store offset=32
}

// words stores the number on the stack as the length of the output, and pushes the address of the
// output's words. outIs has stored the address of the output.
func (c *testCode) words(flags int32) *testCode {
	length := c.m.slot()
	c.op(0xAD).globalSet(length)
	c.i32(retAt).globalGet(length).op(0xA7).op(0x36, 2, 36) // i32.wrap_i64, i32.store offset=36
	c.i32(retAt).i32(flags).op(0x36, 2, 40)                 // i32.store offset=40
	return c.i32(retAt + 32)
}

// close outputs the reason for a missing late head, or else the cause.
func (c *testCode) close(headLength slot) *testCode {
	causes, _ := c.m.text("[end 0]\n[end 1]\n[end 2]\n")
	c.globalGet(headLength).op(0x50, 0x45, 0x04, 0x40) // i64.eqz, i32.eqz, if
	c.i32(inputAt).outIs()
	c.globalGet(headLength).op(0xA7).words(flagLast).op(0x0F) // i32.wrap_i64, return
	c.op(0x0B)
	c.i32(causes).localGet(0).i32(8).op(0x6C, 0x6A).outIs() // causes + 8*cause
	return c.i32(8).words(flagLast)
}

// replace replaces the code of an export.
func (m *testModule) replace(name string, code *testCode) {
	i := slices.IndexFunc(m.functions, func(f testFunction) bool { return f.name == name })
	m.functions[i].code = code
}

func (m *testModule) export(name string, params, results []api.ValueType, code *testCode) {
	m.functions = append(m.functions, testFunction{name, params, results, code})
}

func (m *testModule) code() *testCode { return &testCode{m: m} }

func (m *testModule) slot() slot {
	m.globals = append(m.globals, 0)
	return slot(len(m.globals) - 1)
}

// text puts a string into the data segment.
func (m *testModule) text(s string) (at, length int32) {
	at = int32(stringsAt + len(m.strings))
	m.strings = append(m.strings, s...)
	for len(m.strings)%8 != 0 {
		m.strings = append(m.strings, 0)
	}
	return at, int32(len(s))
}

// callback adds a js.Func with the code that write writes. The code may use arg0 and arg1.
func (m *testModule) callback(write func(c *testCode)) (id int) {
	c := m.code()
	m.callbacks = append(m.callbacks, c)
	id = len(m.callbacks)
	write(c)
	return id
}

// handler makes a callback handleRequest, and adds the start code of a program.
func (m *testModule) handler(write func(c *testCode)) {
	id := m.callback(func(c *testCode) {
		if m.lifetime > 0 {
			c.acceptSocket()
		}
		write(c)
	})
	start := m.code()
	start.set(start.get(start.get(globalSlot, "context"), "binding"), "handleRequest", start.function(id))
	m.export("_start", nil, nil, start.call("workers ready"))
}

// acceptSocket answers a request that is not a frame of a WebSocket, and returns: with 204 for an
// accepted upgrade, else with 429.
func (c *testCode) acceptSocket() {
	socket := c.get(c.host(), "socket")
	c.globalGet(socket).globalGet(falseSlot).op(0x51, 0x04, 0x40) // i64.eq, if
	accepted := c.method(c.host(), "accept", c.string("anna"), c.number(2), c.number(c.m.lifetime))
	c.globalGet(accepted).globalGet(falseSlot).op(0x51, 0x04, 0x40) // i64.eq, if
	c.returns(c.respond(nullSlot, 429))
	c.op(0x0F, 0x0B) // return, end
	c.returns(c.respond(nullSlot, 204))
	c.op(0x0F, 0x0B) // return, end
}

// later makes a handler that answers later: begin calls the host, and each call of settle runs the
// next of steps.
func (m *testModule) later(begin func(c *testCode), steps ...func(c *testCode)) {
	m.resolve = m.slot()
	executor := m.callback(func(c *testCode) { c.globalGet(arg0).globalSet(m.resolve) })
	m.handler(func(c *testCode) {
		p := c.construct("Promise", c.function(executor))
		begin(c)
		c.returns(p)
	})
	settle, call := m.code(), m.slot()
	for i, step := range steps {
		settle.globalGet(call).i64(int64(i)).op(0x51, 0x04, 0x40) // i64.eq, if
		settle.i64(int64(i + 1)).globalSet(call)
		step(settle)
		settle.op(0x0F, 0x0B) // return, end
	}
	m.export("settle", []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}, nil, settle)
}

// trapsInTimer makes the second call of go_scheduler trap; the first call follows settle.
func (m *testModule) trapsInTimer() {
	calls := m.slot()
	m.replace("go_scheduler", m.code().
		globalGet(calls).i64(1).op(0x51, 0x04, 0x40).trap().op(0x0B). // i64.eq, if, end
		i64(1).globalSet(calls))
}

// bytes returns the module in the binary format.
func (m *testModule) bytes() []byte {
	m.export("resume", nil, nil, m.resume())
	for _, name := range slices.Sorted(maps.Keys(exports)) {
		if slices.ContainsFunc(m.functions, func(f testFunction) bool { return f.name == name }) ||
			slices.Contains(m.without, name) {
			continue
		}
		params := slices.Repeat([]api.ValueType{api.ValueTypeI32}, len(exports[name]))
		if name == "settle" {
			m.export(name, params, nil, m.code())
		} else {
			m.export(name, params, i32Result, m.code().i32(0))
		}
	}
	var types, imported, declared, exported, bodies [][]byte
	types = append(types, m.types...)
	for i, name := range m.imported {
		module, field, _ := bytes.Cut([]byte(name), []byte(" "))
		imported = append(imported, join(sized(module), sized(field), []byte{0}, uleb(i)))
	}
	for i, f := range m.functions {
		types = append(types, functionType(f.params, f.results))
		declared = append(declared, uleb(len(types)-1))
		exported = append(exported, join(sized([]byte(f.name)), []byte{0}, uleb(len(m.imported)+i)))
		locals := []byte{1, 1, byte(api.ValueTypeI64)} // a local variable, for the event
		bodies = append(bodies, sized(join(locals, f.code.b, []byte{0x0B})))
	}
	exported = append(exported, join(sized([]byte("memory")), []byte{2, 0}))
	var globals [][]byte
	for _, v := range m.globals {
		globals = append(globals, join([]byte{byte(api.ValueTypeI64), 1, 0x42}, sleb(v), []byte{0x0B}))
	}
	data := join([]byte{0, 0x41}, sleb(stringsAt), []byte{0x0B}, sized(m.strings))
	return join([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, types), section(2, imported), section(3, declared), section(5, [][]byte{append([]byte{0},
			uleb(m.pages)...)}),
		section(6, globals), section(7, exported), section(10, bodies), section(11, [][]byte{data}))
}

// resume handles the pending event, as handleEvent of syscall/js does.
func (m *testModule) resume() *testCode {
	c := m.code()
	event := c.get(goSlot, "_pendingEvent")
	c.globalGet(event).op(0x21, 0) // local.set
	c.set(goSlot, "_pendingEvent", nullSlot)
	id, args := c.get(event, "id"), c.get(event, "args")
	for i, to := range []slot{arg0, arg1} {
		c.globalGet(args).i32(int32(i)).call("gojs syscall/js.valueIndex").globalSet(to)
	}
	for i, callback := range m.callbacks {
		c.globalGet(id).i64(int64(math.Float64bits(float64(i+1)))).op(0x51, 0x04, 0x40) // i64.eq, if
		c.b = append(c.b, callback.b...)
		c.op(0x0F, 0x0B) // return, end
	}
	return c
}

// testCode is the code of a function.
type testCode struct {
	m *testModule
	b []byte
}

func (c *testCode) op(b ...byte) *testCode     { c.b = append(c.b, b...); return c }
func (c *testCode) i32(v int32) *testCode      { return c.op(0x41).op(sleb(int64(v))...) }
func (c *testCode) i64(v int64) *testCode      { return c.op(0x42).op(sleb(v)...) }
func (c *testCode) localGet(i int) *testCode   { return c.op(0x20).op(uleb(i)...) }
func (c *testCode) globalGet(s slot) *testCode { return c.op(0x23).op(uleb(int(s))...) }
func (c *testCode) globalSet(s slot) *testCode { return c.op(0x24).op(uleb(int(s))...) }
func (c *testCode) trap() *testCode            { return c.op(0x00) }
func (c *testCode) call(imported string) *testCode {
	return c.op(0x10).op(uleb(slices.Index(c.m.imported, imported))...)
}

func (c *testCode) text(s string) *testCode {
	at, length := c.m.text(s)
	return c.i32(at).i32(length)
}

// store puts the value on the stack into a new slot.
func (c *testCode) store() slot {
	s := c.m.slot()
	c.globalSet(s)
	return s
}

func (c *testCode) number(f float64) slot {
	ref := js.NewTable(nil, nil).Box(f)
	return c.i64(int64(ref)).store()
}

func (c *testCode) string(s string) slot { return c.text(s).call("gojs syscall/js.stringVal").store() }

func (c *testCode) get(v slot, key string) slot {
	return c.globalGet(v).text(key).call("gojs syscall/js.valueGet").store()
}

func (c *testCode) set(v slot, key string, x slot) {
	c.globalGet(v).text(key).globalGet(x).call("gojs syscall/js.valueSet")
}

// args stores the arguments of a call in memory and pushes their address and count.
func (c *testCode) args(args []slot) *testCode {
	for i, arg := range args {
		c.i32(argsAt).globalGet(arg).op(0x37, 3).op(uleb(8 * i)...) // i64.store
	}
	return c.i32(argsAt).i32(int32(len(args))).i32(int32(len(args)))
}

func (c *testCode) result() slot { return c.i32(retAt).op(0x29, 3, 0).store() } // i64.load

func (c *testCode) method(v slot, name string, args ...slot) slot {
	c.i32(retAt).globalGet(v).text(name).args(args).call("gojs syscall/js.valueCall")
	return c.result()
}

func (c *testCode) invoke(f slot, args ...slot) slot {
	c.i32(retAt).globalGet(f).args(args).call("gojs syscall/js.valueInvoke")
	return c.result()
}

func (c *testCode) construct(class string, args ...slot) slot {
	of := c.get(globalSlot, class)
	c.i32(retAt).globalGet(of).args(args).call("gojs syscall/js.valueNew")
	return c.result()
}

func (c *testCode) function(id int) slot {
	return c.method(goSlot, "_makeFuncWrapper", c.number(float64(id)))
}

func (c *testCode) host() slot { return c.get(c.get(globalSlot, "context"), "host") }

// respond constructs a Response with a status and a header.
func (c *testCode) respond(body slot, status float64) slot {
	headers := c.construct("Headers")
	c.method(headers, "append", c.string("X-Test"), c.string("yes"))
	if c.m.contentType != "" {
		c.method(headers, "append", c.string("Content-Type"), c.string(c.m.contentType))
	}
	init := c.construct("Object")
	c.set(init, "status", c.number(status))
	c.set(init, "headers", headers)
	return c.construct("Response", body, init)
}

// returns makes v the result of the callback. It must be the callback's last step.
func (c *testCode) returns(v slot) {
	c.localGet(0).text("result").globalGet(v).call("gojs syscall/js.valueSet")
}

// answers resolves the promise of later with a response.
func (c *testCode) answers(response slot) { c.invoke(c.m.resolve, response) }

// data returns the bytes of settle, as a string.
func (c *testCode) data() slot {
	return c.i32(inputAt).localGet(1).call("gojs syscall/js.stringVal").store()
}

// answersWhere answers with the bytes of settle and returns, if settle has this code.
func (c *testCode) answersWhere(code int32, status float64) {
	c.localGet(0).i32(code).op(0x46, 0x04, 0x40) // i32.eq, if
	c.answers(c.respond(c.data(), status))
	c.op(0x0F, 0x0B) // return, end
}

func functionType(params, results []api.ValueType) []byte {
	return join([]byte{0x60}, sized(params), sized(results))
}

func section(id byte, items [][]byte) []byte {
	return join([]byte{id}, sized(join(uleb(len(items)), join(items...))))
}

func sized(b []byte) []byte { return join(uleb(len(b)), b) }

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

func uleb(v int) []byte { return binary.AppendUvarint(nil, uint64(v)) }

func sleb(v int64) []byte {
	var b []byte
	for {
		low := byte(v & 0x7F)
		v >>= 7
		if v == 0 && low&0x40 == 0 || v == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}
