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

	"edgelingua/toolchain/wasm"
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
	if !bytes.HasPrefix(b, []byte(wasm.Header)) {
		return nil, wasm.Malformed("it is no WebAssembly module")
	}
	out = append(out, wasm.Header...)
	err = wasm.Read(func() {
		count := -1 // where out has the number of segments, in front of the code
		for r := (&wasm.Reader{B: b, At: len(wasm.Header)}); r.At < len(b); {
			id, section := r.Byte(), r.Bytes(int(r.Uint()))
			switch id {
			case dataSection:
				list := segments(&wasm.Reader{B: section})
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
	})
	return out, err
}

// segments reads a data section, and joins what lies close together.
func segments(r *wasm.Reader) (list []segment) {
	for range r.Uint() {
		if flags := r.Byte(); flags != active {
			r.Fail("a data segment with flags %d", flags)
		}
		if op := r.Byte(); op != i32Const {
			r.Fail("a data segment whose place is the instruction %#x", op)
		}
		s := segment{at: int(r.Int())}
		if op := r.Byte(); op != end {
			r.Fail("a data segment whose place goes on with %#x", op)
		}
		s.data = r.Bytes(int(r.Uint()))
		if s.at < 0 {
			r.Fail("a data segment at an address below 0")
		}
		last := len(list) - 1
		if last < 0 {
			list = append(list, s)
			continue
		}
		zeros := s.at - list[last].at - len(list[last].data)
		switch {
		case zeros < 0:
			r.Fail("data segments that overlap, or are not in order")
		case zeros <= gap:
			list[last].data = slices.Concat(list[last].data, make([]byte, zeros), s.data)
		default:
			list = append(list, s)
		}
	}
	r.End()
	if len(list) > 127 { // the count is written as one byte
		r.Fail("%d data segments that lie far apart", len(list))
	}
	return list
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
