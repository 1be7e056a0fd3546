// Package wasm reads the parts of a WebAssembly module (WebAssembly Core Specification 2.0, chapter
// 5) for package pausing.
package wasm

import (
	"encoding/binary"
	"fmt"
)

// Header has the first bytes of a module: magic number and version.
const Header = "\x00asm\x01\x00\x00\x00"

// Malformed is an error about a part of a module that can't be read.
type Malformed string

func (m Malformed) Error() string { return string(m) }

// Read runs read, and returns a Malformed panic of a Reader in it as an error. Other panics
// continue.
func Read(read func()) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case Malformed:
			err = e
		default:
			panic(e)
		}
	}()
	read()
	return nil
}

// Reader reads B from offset At on. Its methods panic with Malformed on bytes that they can't read;
// Read recovers.
type Reader struct {
	B  []byte
	At int
}

// Fail panics with a Malformed about an unknown part of the module.
func (r *Reader) Fail(format string, args ...any) {
	panic(Malformed("it has " + fmt.Sprintf(format, args...) + ", which is not known here"))
}

// Bytes returns the next n bytes. They are a view of B.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > len(r.B)-r.At {
		r.Fail("a part that is cut off")
	}
	r.At += n
	return r.B[r.At-n : r.At]
}

// Byte reads one byte.
func (r *Reader) Byte() byte { return r.Bytes(1)[0] }

// Uint reads an unsigned LEB128 number.
func (r *Reader) Uint() uint64 {
	v, n := binary.Uvarint(r.B[r.At:])
	if n <= 0 {
		r.Fail("a number that is cut off")
	}
	r.At += n
	return v
}

// Int reads a signed LEB128 number.
func (r *Reader) Int() (v int64) {
	for shift := 0; ; shift += 7 {
		b := r.Byte()
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

// Name reads a string after its length.
func (r *Reader) Name() string { return string(r.Bytes(int(r.Uint()))) }

// End fails if bytes are left: then the part was misread.
func (r *Reader) End() {
	if r.At != len(r.B) {
		r.Fail("bytes behind the end of a part")
	}
}
