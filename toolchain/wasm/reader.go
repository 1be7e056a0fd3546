// Package wasm reads the parts of a WebAssembly module (WebAssembly Core Specification 2.0, chapter 5), for pausing.
package wasm

import (
	"encoding/binary"
	"fmt"
)

// Header is how a module begins.
const Header = "\x00asm\x01\x00\x00\x00"

// Malformed says what of a module can't be read.
type Malformed string

func (m Malformed) Error() string { return string(m) }

// Read runs read, and returns as an error what a Reader in it could not read.
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

// Reader reads B from At on. It panics with Malformed where it can't, which Read takes.
type Reader struct {
	B  []byte
	At int
}

// Fail says that what stands in the module is not known.
func (r *Reader) Fail(format string, args ...any) {
	panic(Malformed("it has " + fmt.Sprintf(format, args...) + ", which is not known here"))
}

// Bytes returns the next n bytes, which are the module's.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > len(r.B)-r.At {
		r.Fail("a part that is cut off")
	}
	r.At += n
	return r.B[r.At-n : r.At]
}

func (r *Reader) Byte() byte { return r.Bytes(1)[0] }

// Uint reads an unsigned number.
func (r *Reader) Uint() uint64 {
	v, n := binary.Uvarint(r.B[r.At:])
	if n <= 0 {
		r.Fail("a number that is cut off")
	}
	r.At += n
	return v
}

// Int reads a signed number.
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

func (r *Reader) Name() string { return string(r.Bytes(int(r.Uint()))) }

// End fails where something is left: then a part was not what it was taken for.
func (r *Reader) End() {
	if r.At != len(r.B) {
		r.Fail("bytes behind the end of a part")
	}
}
