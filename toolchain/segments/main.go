// Segments joins the data segments of a module, and writes the module over the one that it has read.
//
//	segments MODULE
//
// wasm-opt cuts data at each run of zeros, into some hundreds of segments. wazero evaluates where each of them begins for each instance anew.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: segments MODULE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "segments: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

func run(module string) error {
	b, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	if b, err = joined(b); err != nil {
		return err
	}
	return os.WriteFile(module, b, 0o644)
}

// From the WebAssembly Core Specification 2.0, chapter 5.
const (
	header           = "\x00asm\x01\x00\x00\x00"
	dataSection      = 11
	dataCountSection = 12

	active   = 0 // a segment that is copied to its place in memory 0 when an instance starts
	i32Const = 0x41
	end      = 0x0b
)

// gap is how many zeros between two segments are written out to join them. The memory of TinyGo's modules is their own, so it begins as zeros.
const gap = 1 << 10

// segment is data that begins at an address.
type segment struct {
	at   int
	data []byte
}

// joined returns module b with its data segments joined.
func joined(b []byte) (out []byte, err error) {
	if !bytes.HasPrefix(b, []byte(header)) {
		return nil, fmt.Errorf("it is no WebAssembly module")
	}
	r := &reader{b: b[len(header):]}
	out = append(out, header...)
	count := -1 // where out has the number of segments, in front of the code
	for len(r.b) > 0 {
		id, section := r.byte(), r.bytes(r.uint())
		if r.err != nil {
			return nil, r.err
		}
		switch id {
		case dataSection:
			list, err := segments(section)
			if err != nil {
				return nil, err
			}
			section = appended(list)
			if count >= 0 {
				out[count] = byte(len(list))
			}
		case dataCountSection:
			section, count = []byte{0}, len(out)+2 // how many there are is known behind the code
		}
		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(section)))
		out = append(out, section...)
	}
	return out, nil
}

// segments reads a data section, and joins what lies close together.
func segments(section []byte) (list []segment, err error) {
	r := &reader{b: section}
	for range r.uint() {
		if flags := r.byte(); flags != active {
			r.fail("a data segment with flags %d", flags)
		}
		if op := r.byte(); op != i32Const {
			r.fail("a data segment whose place is the instruction %#x", op)
		}
		s := segment{at: r.int()}
		if op := r.byte(); op != end {
			r.fail("a data segment whose place goes on with %#x", op)
		}
		s.data = r.bytes(r.uint())
		last := len(list) - 1
		if r.err != nil {
			return nil, r.err
		}
		if last < 0 {
			list = append(list, s)
			continue
		}
		zeros := s.at - list[last].at - len(list[last].data)
		switch {
		case zeros < 0:
			r.fail("data segments that overlap, or are not in order")
		case zeros <= gap:
			list[last].data = slices.Concat(list[last].data, make([]byte, zeros), s.data)
		default:
			list = append(list, s)
		}
	}
	if len(r.b) > 0 {
		r.fail("bytes behind the last data segment")
	}
	if len(list) > 127 { // the count is written as one byte
		r.fail("%d data segments that lie far apart", len(list))
	}
	return list, r.err
}

func appended(list []segment) (section []byte) {
	section = binary.AppendUvarint(section, uint64(len(list)))
	for _, s := range list {
		section = append(section, active, i32Const)
		section = appendInt(section, s.at)
		section = append(section, end)
		section = binary.AppendUvarint(section, uint64(len(s.data)))
		section = append(section, s.data...)
	}
	return section
}

// appendInt appends a number of 0 or more as a signed one, whose last byte has a bit for the sign.
func appendInt(b []byte, n int) []byte {
	for ; n > 63; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// reader reads the parts of a module. Behind its first error it reads zeros.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("it has "+format+", which segments does not know", args...)
	}
	r.b = nil
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail("a part that is cut off")
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint() int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > 1<<31 {
		r.fail("a number that is cut off, or too large")
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

// int reads a signed number, which has to be 0 or more.
func (r *reader) int() int {
	b := r.b
	n := r.uint()
	if size := len(b) - len(r.b); r.err == nil && b[size-1]&0x40 != 0 { // the sign
		r.fail("a data segment at an address below 0")
	}
	return n
}
