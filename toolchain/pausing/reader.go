package main

import (
	"encoding/binary"
	"fmt"
)

// malformed says what of a module can't be read.
type malformed string

func (m malformed) Error() string { return string(m) }

// reader reads the parts of a module. It panics with malformed where it can't.
type reader struct {
	b  []byte
	at int
}

func (r *reader) fail(format string, args ...any) {
	panic(malformed("it has " + fmt.Sprintf(format, args...) + ", which pausing does not know"))
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b)-r.at {
		r.fail("a part that is cut off")
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *reader) byte() byte { return r.bytes(1)[0] }

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.fail("a number that is cut off")
	}
	r.at += n
	return v
}

// int skips a signed number.
func (r *reader) int() {
	for r.byte() >= 0x80 {
	}
}

func (r *reader) name() string { return string(r.bytes(int(r.uint()))) }

// end fails where something is left: then a part was not what it was taken for.
func (r *reader) end() {
	if r.at != len(r.b) {
		r.fail("bytes behind the end of a part")
	}
}

func (r *reader) limits() {
	flags := r.byte()
	if flags > 1 {
		r.fail("a memory with flags %d", flags)
	}
	for range 1 + int(flags) {
		r.uint()
	}
}

// valueType reads a type of numbers.
func (r *reader) valueType() byte {
	t := r.byte()
	if t < 0x7c || t > 0x7f {
		r.fail("the value type %#x", t)
	}
	return t
}

const (
	callOp         = 0x10
	callIndirectOp = 0x11
)

// code reads an expression to its end, and calls call for each call in it: what is the function of callOp, and the signature of callIndirectOp.
func (r *reader) code(call func(op byte, what uint64)) {
	for depth := 1; depth > 0; {
		switch op := r.byte(); {
		case op == 0x0b: // end
			depth--
		case op >= 0x02 && op <= 0x04: // block, loop, if
			depth++
			r.int()
		case op == callOp:
			call(op, r.uint())
		case op == callIndirectOp:
			call(op, r.uint())
			r.uint()
		case op == 0x0e: // br_table
			for range r.uint() {
				r.uint()
			}
			r.uint()
		case op == 0x0c, op == 0x0d, op >= 0x20 && op <= 0x24, op == 0x3f, op == 0x40: // branches, variables, memory.size and memory.grow
			r.uint()
		case op >= 0x28 && op <= 0x3e: // loads and stores
			if align := r.uint(); align > 3 {
				r.fail("an alignment of %d", align)
			}
			r.uint()
		case op == 0x41, op == 0x42: // i32.const, i64.const
			r.int()
		case op == 0x43: // f32.const
			r.bytes(4)
		case op == 0x44: // f64.const
			r.bytes(8)
		case op == 0xfc:
			switch op := r.uint(); {
			case op <= 7: // saturating truncations
			case op == 10: // memory.copy
				r.bytes(2)
			case op == 11: // memory.fill
				r.bytes(1)
			default:
				r.fail("the instruction 0xfc %d", op)
			}
		case op <= 0x01, op == 0x05, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4: // those without an immediate
		default:
			r.fail("the instruction %#x", op)
		}
	}
}
