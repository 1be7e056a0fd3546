package main

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"edgelingua/toolchain/wasm"
)

// module has the parts of a WebAssembly module that the search for pausing functions needs
// (WebAssembly Core Specification 2.0, chapter 5). Functions are identified by their index; imports
// come first.
type module struct {
	whole    []byte
	types    []string          // the signatures; equal signatures have equal texts
	imports  [][2]string       // module and name of each imported function
	typeOf   []uint64          // the index of each function's signature
	calls    [][]uint64        // the functions that each function calls directly
	indirect [][]uint64        // the type indexes of each function's indirect calls
	table    []uint64          // the functions in tables
	names    map[uint64]string // TinyGo's names of functions
	named    [2]int            // start and end of the section with the names
}

const (
	customSection   = 0
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	tableSection    = 4
	elementSection  = 9
	codeSection     = 10

	functionNames = 1 // the part of the custom section "name"
)

// read reads a module and retains b. An unknown part of the module is an error, so no call is
// overlooked.
func read(b []byte) (*module, error) {
	if !bytes.HasPrefix(b, []byte(wasm.Header)) {
		return nil, wasm.Malformed("it is no WebAssembly module")
	}
	m := &module{whole: b}
	return m, wasm.Read(func() { m.readSections(&wasm.Reader{B: b, At: len(wasm.Header)}) })
}

func (m *module) readSections(r *wasm.Reader) {
	for r.At < len(r.B) {
		start := r.At
		id := r.Byte()
		size := int(r.Uint())
		section := &wasm.Reader{B: r.Bytes(size)}
		switch id {
		case customSection:
			if section.Name() == "name" {
				m.named = [2]int{start, r.At}
				m.readNames(section)
			}
		case typeSection:
			m.readTypes(section)
		case importSection:
			m.readImports(section)
		case functionSection:
			for range section.Uint() {
				m.typeOf = append(m.typeOf, section.Uint())
			}
		case tableSection:
			m.readTables(section)
		case elementSection:
			m.readElements(section)
		case codeSection:
			m.calls, m.indirect = make([][]uint64, len(m.typeOf)), make([][]uint64, len(m.typeOf))
			first := len(m.imports)
			bodies := section.Uint()
			if bodies != uint64(len(m.typeOf)-first) {
				section.Fail("%d functions with %d bodies", len(m.typeOf)-first, bodies)
			}
			for i := range bodies {
				m.readCode(first+int(i), &wasm.Reader{B: section.Bytes(int(section.Uint()))})
			}
		default: // sections without functions
			continue
		}
		if id != customSection {
			section.End()
		}
	}
}

func (m *module) readNames(r *wasm.Reader) {
	m.names = map[uint64]string{}
	for r.At < len(r.B) {
		id := r.Byte()
		names := &wasm.Reader{B: r.Bytes(int(r.Uint()))}
		if id != functionNames {
			continue
		}
		for range names.Uint() {
			i := names.Uint()
			m.names[i] = names.Name()
		}
	}
}

func (m *module) readTypes(r *wasm.Reader) {
	for range r.Uint() {
		if form := r.Byte(); form != 0x60 {
			r.Fail("a type of form %#x", form)
		}
		var signature []byte
		for range 2 { // parameters and results
			for range r.Uint() {
				signature = append(signature, valueType(r))
			}
			signature = append(signature, ';')
		}
		m.types = append(m.types, string(signature))
	}
}

func (m *module) readImports(r *wasm.Reader) {
	for range r.Uint() {
		module, name := r.Name(), r.Name()
		switch kind := r.Byte(); kind {
		case 0: // a function
			m.imports = append(m.imports, [2]string{module, name})
			m.typeOf = append(m.typeOf, r.Uint())
		case 2: // a memory
			limits(r)
		case 3: // a global
			valueType(r)
			r.Byte()
		default:
			r.Fail("an import of kind %d", kind)
		}
	}
}

// readTables fails if a table has functions that do not come from element segments.
func (m *module) readTables(r *wasm.Reader) {
	for range r.Uint() {
		if kind := r.Byte(); kind != 0x70 { // funcref
			r.Fail("a table that begins with %#x", kind)
		}
		limits(r)
	}
}

func (m *module) readElements(r *wasm.Reader) {
	for range r.Uint() {
		if flags := r.Uint(); flags != 0 {
			r.Fail("an element segment with flags %d", flags)
		}
		code(r, func(byte, uint64) {}) // the offset in the table
		for range r.Uint() {
			m.table = append(m.table, r.Uint())
		}
	}
}

func (m *module) readCode(function int, r *wasm.Reader) {
	for range r.Uint() { // locals
		r.Uint()
		valueType(r)
	}
	code(r, func(call byte, what uint64) {
		if call == callOp {
			m.calls[function] = append(m.calls[function], what)
		} else {
			m.indirect[function] = append(m.indirect[function], what)
		}
	})
	r.End()
}

// renamed returns a copy of the module with the index of each function as its name.
func (m *module) renamed() []byte {
	var list []byte
	list = binary.AppendUvarint(list, uint64(len(m.typeOf)))
	for i := range m.typeOf {
		name := nameOf(i)
		list = binary.AppendUvarint(list, uint64(i))
		list = binary.AppendUvarint(list, uint64(len(name)))
		list = append(list, name...)
	}
	section := append([]byte{4}, "name"...)
	section = append(section, functionNames)
	section = binary.AppendUvarint(section, uint64(len(list)))
	section = append(section, list...)
	out := append([]byte(nil), m.whole[:m.named[0]]...)
	out = append(out, m.whole[m.named[1]:]...)
	out = append(out, customSection)
	out = binary.AppendUvarint(out, uint64(len(section)))
	return append(out, section...)
}

func nameOf(function int) string { return fmt.Sprintf("f%d", function) }
