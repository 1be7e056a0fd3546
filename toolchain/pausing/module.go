package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// module is what the search for pausing functions reads of a WebAssembly module (WebAssembly Core Specification 2.0, chapter 5). Functions go
// by their index, in which imports come first.
type module struct {
	whole    []byte
	types    []string          // each signature, the same text for the same one
	imports  [][2]string       // module and name of each imported function
	typeOf   []uint64          // the index of each function's signature
	calls    [][]uint64        // the functions that each function calls directly
	indirect [][]uint64        // the signatures by which each function calls what a table holds
	table    []uint64          // the functions that tables hold
	names    map[uint64]string // of functions, as TinyGo calls them
	named    [2]int            // where the section with the names begins and ends
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

// read reads a module. What it does not know is an error, so that no call is overlooked.
func read(b []byte) (m *module, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case malformed:
			err = e
		default:
			panic(e)
		}
	}()
	if !bytes.HasPrefix(b, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, malformed("it is no WebAssembly module")
	}
	m = &module{whole: b}
	r := &reader{b: b, at: 8}
	for r.at < len(b) {
		start := r.at
		id := r.byte()
		size := int(r.uint())
		section := &reader{b: r.bytes(size)}
		switch id {
		case customSection:
			if section.name() == "name" {
				m.named = [2]int{start, r.at}
				m.readNames(section)
			}
		case typeSection:
			m.readTypes(section)
		case importSection:
			m.readImports(section)
		case functionSection:
			for range section.uint() {
				m.typeOf = append(m.typeOf, section.uint())
			}
		case tableSection:
			m.readTables(section)
		case elementSection:
			m.readElements(section)
		case codeSection:
			m.calls, m.indirect = make([][]uint64, len(m.typeOf)), make([][]uint64, len(m.typeOf))
			first := len(m.imports)
			bodies := section.uint()
			if bodies != uint64(len(m.typeOf)-first) {
				section.fail("%d functions with %d bodies", len(m.typeOf)-first, bodies)
			}
			for i := range bodies {
				m.readCode(first+int(i), &reader{b: section.bytes(int(section.uint()))})
			}
		default: // it says nothing of functions
			continue
		}
		if id != customSection {
			section.end()
		}
	}
	return m, nil
}

func (m *module) readNames(r *reader) {
	m.names = map[uint64]string{}
	for r.at < len(r.b) {
		id := r.byte()
		names := &reader{b: r.bytes(int(r.uint()))}
		if id != functionNames {
			continue
		}
		for range names.uint() {
			i := names.uint()
			m.names[i] = names.name()
		}
	}
}

func (m *module) readTypes(r *reader) {
	for range r.uint() {
		if form := r.byte(); form != 0x60 {
			r.fail("a type of form %#x", form)
		}
		var signature []byte
		for range 2 { // parameters and results
			for range r.uint() {
				signature = append(signature, r.valueType())
			}
			signature = append(signature, ';')
		}
		m.types = append(m.types, string(signature))
	}
}

func (m *module) readImports(r *reader) {
	for range r.uint() {
		module, name := r.name(), r.name()
		switch kind := r.byte(); kind {
		case 0: // a function
			m.imports = append(m.imports, [2]string{module, name})
			m.typeOf = append(m.typeOf, r.uint())
		case 2: // a memory
			r.limits()
		case 3: // a global
			r.valueType()
			r.byte()
		default:
			r.fail("an import of kind %d", kind)
		}
	}
}

// readTables sees that tables hold nothing but what element segments put into them.
func (m *module) readTables(r *reader) {
	for range r.uint() {
		if kind := r.byte(); kind != 0x70 { // funcref
			r.fail("a table that begins with %#x", kind)
		}
		r.limits()
	}
}

func (m *module) readElements(r *reader) {
	for range r.uint() {
		if flags := r.uint(); flags != 0 {
			r.fail("an element segment with flags %d", flags)
		}
		r.code(func(byte, uint64) {}) // where in the table it begins
		for range r.uint() {
			m.table = append(m.table, r.uint())
		}
	}
}

func (m *module) readCode(function int, r *reader) {
	for range r.uint() { // locals
		r.uint()
		r.valueType()
	}
	r.code(func(call byte, what uint64) {
		if call == callOp {
			m.calls[function] = append(m.calls[function], what)
		} else {
			m.indirect[function] = append(m.indirect[function], what)
		}
	})
	r.end()
}

// renamed returns the module with each function called by its index.
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
