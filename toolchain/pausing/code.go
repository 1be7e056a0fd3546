package main

import "edgelingua/toolchain/wasm"

func limits(r *wasm.Reader) {
	flags := r.Byte()
	if flags > 1 {
		r.Fail("a memory with flags %d", flags)
	}
	for range 1 + int(flags) {
		r.Uint()
	}
}

// valueType reads a numeric value type.
func valueType(r *wasm.Reader) byte {
	t := r.Byte()
	if t < 0x7c || t > 0x7f {
		r.Fail("the value type %#x", t)
	}
	return t
}

const (
	callOp         = 0x10
	callIndirectOp = 0x11
)

// code reads an expression to its end, and calls call for each call instruction in it. The argument
// what is the function index of callOp, or the type index of callIndirectOp.
func code(r *wasm.Reader, call func(op byte, what uint64)) {
	for depth := 1; depth > 0; {
		switch op := r.Byte(); {
		case op == 0x0b: // end
			depth--
		case op >= 0x02 && op <= 0x04: // block, loop, if
			depth++
			r.Int()
		case op == callOp:
			call(op, r.Uint())
		case op == callIndirectOp:
			call(op, r.Uint())
			r.Uint()
		case op == 0x0e: // br_table
			for range r.Uint() {
				r.Uint()
			}
			r.Uint()
		// branches, variables, memory.size and memory.grow
		case op == 0x0c, op == 0x0d, op >= 0x20 && op <= 0x24, op == 0x3f, op == 0x40:
			r.Uint()
		case op >= 0x28 && op <= 0x3e: // loads and stores
			if align := r.Uint(); align > 3 {
				r.Fail("an alignment of %d", align)
			}
			r.Uint()
		case op == 0x41, op == 0x42: // i32.const, i64.const
			r.Int()
		case op == 0x43: // f32.const
			r.Bytes(4)
		case op == 0x44: // f64.const
			r.Bytes(8)
		case op == 0xfc:
			switch op := r.Uint(); {
			case op <= 7: // saturating truncations
			case op == 10: // memory.copy
				r.Bytes(2)
			case op == 11: // memory.fill
				r.Bytes(1)
			default:
				r.Fail("the instruction 0xfc %d", op)
			}
		// no immediate
		case op <= 0x01, op == 0x05, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4:
		default:
			r.Fail("the instruction %#x", op)
		}
	}
}
