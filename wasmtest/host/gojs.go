package host

import "time"

// gojs is the import module that TinyGo's runtime and syscall/js call: their side is in
// runtime_wasm_js.go and syscall/js/js.go, and the semantics are those of wasm_exec.js. ret is the
// address for a result of two words; at and len are the place of a string or slice.
var gojs = []hostFunction{
	{name: "runtime.ticks", result: "i64", call: func(in *instance, stack []uint64) {
		stack[0] = uint64(in.now().UnixNano())
	}},
	{name: "runtime.sleepTicks", params: "nanoseconds i64", call: func(in *instance, stack []uint64) {
		in.loop.after(time.Duration(stack[0]), func() { in.enter("go_scheduler") })
	}},
	{name: "syscall/js.finalizeRef", params: "v i64", call: func(in *instance, stack []uint64) {
		in.table.release(stack[0])
	}},
	{name: "syscall/js.stringVal", params: "at i32, len i32", result: "i64", call: func(in *instance,
		stack []uint64) {
		stack[0] = in.table.box(in.string(stack[0], stack[1]))
	}},
	{name: "syscall/js.valueGet", params: "v i64, key_at i32, key_len i32", result: "i64",
		call: func(in *instance, stack []uint64) {
			v, key := in.table.unbox(stack[0]), in.string(stack[1], stack[2])
			stack[0] = in.table.box(property(v, key))
		}},
	{name: "syscall/js.valueSet", params: "v i64, key_at i32, key_len i32, x i64", call: func(in *instance,
		stack []uint64) {
		v, key := in.table.unbox(stack[0]), in.string(stack[1], stack[2])
		if to, ok := v.(assignable); !ok || !to.set(key, in.table.unbox(stack[3])) {
			stop("%s has no property %q to set", describe(v), key)
		}
	}},
	{name: "syscall/js.valueIndex", params: "v i64, i i32", result: "i64", call: func(in *instance,
		stack []uint64) {
		stack[0] = in.table.box(elements(in.table.unbox(stack[0])).index(int(int32(stack[1]))))
	}},
	{name: "syscall/js.valueSetIndex", params: "v i64, i i32, x i64", call: func(in *instance,
		stack []uint64) {
		v, i := in.table.unbox(stack[0]), int(int32(stack[1]))
		a, ok := v.(*array)
		if !ok || i < 0 || i >= len(a.items) {
			stop("%s has no element %d to set", describe(v), i)
		}
		a.items[i] = in.table.unbox(stack[2])
	}},
	{name: "syscall/js.valueCall",
		params: "ret i32, v i64, key_at i32, key_len i32, args_at i32, args_len i32, args_cap i32",
		call: func(in *instance, stack []uint64) {
			v, key := in.table.unbox(stack[1]), in.string(stack[2], stack[3])
			args := in.values(stack[4], stack[5])
			f, ok := property(v, key).(*function)
			if !ok {
				stop("%s has no method %q", describe(v), key)
			}
			result, err := f.call(v, args)
			in.outcome(stack[0], result, err)
		}},
	{name: "syscall/js.valueInvoke", params: "ret i32, v i64, args_at i32, args_len i32, args_cap i32",
		call: func(in *instance, stack []uint64) {
			v, args := in.table.unbox(stack[1]), in.values(stack[2], stack[3])
			f, ok := v.(*function)
			if !ok {
				stop("%s is not a function", describe(v))
			}
			result, err := f.call(nil, args)
			in.outcome(stack[0], result, err)
		}},
	{name: "syscall/js.valueNew", params: "ret i32, v i64, args_at i32, args_len i32, args_cap i32",
		call: func(in *instance, stack []uint64) {
			v, args := in.table.unbox(stack[1]), in.values(stack[2], stack[3])
			c, ok := v.(*class)
			if !ok || c.construct == nil {
				stop("this host has no constructor for %s", describe(v))
			}
			result, err := c.construct(args)
			in.outcome(stack[0], result, err)
		}},
	{name: "syscall/js.valueLength", params: "v i64", result: "i32", call: func(in *instance,
		stack []uint64) {
		stack[0] = uint64(elements(in.table.unbox(stack[0])).length())
	}},
	{name: "syscall/js.valuePrepareString", params: "ret i32, v i64", call: func(in *instance,
		stack []uint64) {
		encoded := &uint8Array{data: []byte(text(in.table.unbox(stack[1])))}
		in.writeUint64(stack[0], in.table.box(encoded))
		in.writeUint32(stack[0]+8, uint32(len(encoded.data)))
	}},
	{name: "syscall/js.valueLoadString", params: "v i64, at i32, len i32, cap i32", call: func(in *instance,
		stack []uint64) {
		copy(in.bytes(stack[1], stack[2]), in.uint8Array(stack[0]).data)
	}},
	{name: "syscall/js.valueInstanceOf", params: "v i64, class i64", result: "i32", call: func(in *instance,
		stack []uint64) {
		v, of := in.table.unbox(stack[0]), in.table.unbox(stack[1])
		c, ok := of.(*class)
		if !ok || c.has == nil {
			stop("this host can't tell whether a value is an instance of %s", describe(of))
		}
		stack[0] = flag(c.has(v))
	}},
	{name: "syscall/js.copyBytesToGo", params: "ret i32, to_at i32, to_len i32, to_cap i32, from i64",
		call: func(in *instance, stack []uint64) {
			n := copy(in.bytes(stack[1], stack[2]), in.uint8Array(stack[4]).data)
			in.writeUint32(stack[0], uint32(n))
			in.writeByte(stack[0]+4, 1)
		}},
	{name: "syscall/js.copyBytesToJS", params: "ret i32, to i64, from_at i32, from_len i32, from_cap i32",
		call: func(in *instance, stack []uint64) {
			n := copy(in.uint8Array(stack[1]).data, in.bytes(stack[2], stack[3]))
			in.writeUint32(stack[0], uint32(n))
			in.writeByte(stack[0]+4, 1)
		}},
}

// property returns a property of v, and ends the instance where v has none of that name.
func property(v value, key string) value {
	if r, ok := v.(receiver); ok {
		if p, known := r.get(key); known {
			return p
		}
	}
	stop("%s has no property %q in this host", describe(v), key)
	return nil
}

func elements(v value) indexed {
	e, ok := v.(indexed)
	if !ok {
		stop("%s has no elements in this host", describe(v))
	}
	return e
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// values returns the values of a slice of refs.
func (in *instance) values(at, length uint64) []value {
	values := make([]value, uint32(length))
	for i := range values {
		values[i] = in.table.unbox(in.readUint64(at + uint64(i)*8))
	}
	return values
}

// outcome stores at ret what a call returned or threw, and which of the two it was.
func (in *instance) outcome(ret uint64, result value, err error) {
	if err != nil {
		result = err.(*thrown).value
	}
	in.writeUint64(ret, in.table.box(result))
	in.writeByte(ret+8, byte(flag(err == nil)))
}

func (in *instance) uint8Array(ref uint64) *uint8Array {
	v := in.table.unbox(ref)
	a, ok := v.(*uint8Array)
	if !ok {
		stop("the program takes %s for a Uint8Array", describe(v))
	}
	return a
}
