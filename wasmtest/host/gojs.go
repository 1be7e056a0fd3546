package host

import (
	"time"

	"edgelingua/wasmtest/host/js"
)

// gojs is the import module of TinyGo's runtime and syscall/js. The other side is in
// runtime_wasm_js.go and syscall/js/js.go, and the semantics are those of wasm_exec.js. ret is the
// address for a result of two words; at and len locate a string or slice.
var gojs = []hostFunction{
	{name: "runtime.ticks", result: "i64", call: func(in *instance, stack []uint64) {
		stack[0] = uint64(in.now().UnixNano())
	}},
	{name: "runtime.sleepTicks", params: "nanoseconds i64", call: func(in *instance, stack []uint64) {
		in.loop.After(time.Duration(stack[0]), func() { in.enter("go_scheduler") })
	}},
	{name: "syscall/js.finalizeRef", params: "v i64", call: func(in *instance, stack []uint64) {
		in.table.Release(stack[0])
	}},
	{name: "syscall/js.stringVal", params: "at i32, len i32", result: "i64", call: func(in *instance,
		stack []uint64) {
		stack[0] = in.table.Box(in.string(stack[0], stack[1]))
	}},
	{name: "syscall/js.valueGet", params: "v i64, key_at i32, key_len i32", result: "i64",
		call: func(in *instance, stack []uint64) {
			v, key := in.table.Unbox(stack[0]), in.string(stack[1], stack[2])
			stack[0] = in.table.Box(js.Property(v, key))
		}},
	{name: "syscall/js.valueSet", params: "v i64, key_at i32, key_len i32, x i64", call: func(in *instance,
		stack []uint64) {
		v, key := in.table.Unbox(stack[0]), in.string(stack[1], stack[2])
		if to, ok := v.(js.Assignable); !ok || !to.Set(key, in.table.Unbox(stack[3])) {
			js.Stop("%s has no property %q to set", js.Describe(v), key)
		}
	}},
	{name: "syscall/js.valueIndex", params: "v i64, i i32", result: "i64", call: func(in *instance,
		stack []uint64) {
		stack[0] = in.table.Box(js.Elements(in.table.Unbox(stack[0])).Index(int(int32(stack[1]))))
	}},
	{name: "syscall/js.valueSetIndex", params: "v i64, i i32, x i64", call: func(in *instance,
		stack []uint64) {
		v, i := in.table.Unbox(stack[0]), int(int32(stack[1]))
		a, ok := v.(*js.Array)
		if !ok || i < 0 || i >= len(a.Items) {
			js.Stop("%s has no element %d to set", js.Describe(v), i)
		}
		a.Items[i] = in.table.Unbox(stack[2])
	}},
	{name: "syscall/js.valueCall",
		params: "ret i32, v i64, key_at i32, key_len i32, args_at i32, args_len i32, args_cap i32",
		call: func(in *instance, stack []uint64) {
			v, key := in.table.Unbox(stack[1]), in.string(stack[2], stack[3])
			args := in.values(stack[4], stack[5])
			f, ok := js.Property(v, key).(*js.Function)
			if !ok {
				js.Stop("%s has no method %q", js.Describe(v), key)
			}
			result, err := f.Call(v, args)
			in.outcome(stack[0], result, err)
		}},
	{name: "syscall/js.valueInvoke", params: "ret i32, v i64, args_at i32, args_len i32, args_cap i32",
		call: func(in *instance, stack []uint64) {
			v, args := in.table.Unbox(stack[1]), in.values(stack[2], stack[3])
			f, ok := v.(*js.Function)
			if !ok {
				js.Stop("%s is not a function", js.Describe(v))
			}
			result, err := f.Call(nil, args)
			in.outcome(stack[0], result, err)
		}},
	{name: "syscall/js.valueNew", params: "ret i32, v i64, args_at i32, args_len i32, args_cap i32",
		call: func(in *instance, stack []uint64) {
			v, args := in.table.Unbox(stack[1]), in.values(stack[2], stack[3])
			c, ok := v.(*js.Class)
			if !ok || c.Construct == nil {
				js.Stop("this host has no constructor for %s", js.Describe(v))
			}
			result, err := c.Construct(args)
			in.outcome(stack[0], result, err)
		}},
	{name: "syscall/js.valueLength", params: "v i64", result: "i32", call: func(in *instance,
		stack []uint64) {
		stack[0] = uint64(js.Elements(in.table.Unbox(stack[0])).Length())
	}},
	{name: "syscall/js.valuePrepareString", params: "ret i32, v i64", call: func(in *instance,
		stack []uint64) {
		encoded := &js.Uint8Array{Data: []byte(js.Text(in.table.Unbox(stack[1])))}
		in.writeUint64(stack[0], in.table.Box(encoded))
		in.writeUint32(stack[0]+8, uint32(len(encoded.Data)))
	}},
	{name: "syscall/js.valueLoadString", params: "v i64, at i32, len i32, cap i32", call: func(in *instance,
		stack []uint64) {
		copy(in.bytes(stack[1], stack[2]), in.uint8Array(stack[0]).Data)
	}},
	{name: "syscall/js.valueInstanceOf", params: "v i64, class i64", result: "i32", call: func(in *instance,
		stack []uint64) {
		v, of := in.table.Unbox(stack[0]), in.table.Unbox(stack[1])
		c, ok := of.(*js.Class)
		if !ok || c.Has == nil {
			js.Stop("this host can't tell whether a value is an instance of %s", js.Describe(of))
		}
		stack[0] = flag(c.Has(v))
	}},
	{name: "syscall/js.copyBytesToGo", params: "ret i32, to_at i32, to_len i32, to_cap i32, from i64",
		call: func(in *instance, stack []uint64) {
			n := copy(in.bytes(stack[1], stack[2]), in.uint8Array(stack[4]).Data)
			in.writeUint32(stack[0], uint32(n))
			in.writeByte(stack[0]+4, 1)
		}},
	{name: "syscall/js.copyBytesToJS", params: "ret i32, to i64, from_at i32, from_len i32, from_cap i32",
		call: func(in *instance, stack []uint64) {
			n := copy(in.uint8Array(stack[1]).Data, in.bytes(stack[2], stack[3]))
			in.writeUint32(stack[0], uint32(n))
			in.writeByte(stack[0]+4, 1)
		}},
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// values returns the values of a slice of refs.
func (in *instance) values(at, length uint64) []js.Value {
	values := make([]js.Value, uint32(length))
	for i := range values {
		values[i] = in.table.Unbox(in.readUint64(at + uint64(i)*8))
	}
	return values
}

// outcome stores the result or the exception of a call at ret, and a flag.
func (in *instance) outcome(ret uint64, result js.Value, err error) {
	if err != nil {
		result = js.ThrownValue(err)
	}
	in.writeUint64(ret, in.table.Box(result))
	in.writeByte(ret+8, byte(flag(err == nil)))
}

func (in *instance) uint8Array(ref uint64) *js.Uint8Array {
	v := in.table.Unbox(ref)
	a, ok := v.(*js.Uint8Array)
	if !ok {
		js.Stop("the program takes %s for a Uint8Array", js.Describe(v))
	}
	return a
}
