// Pausing finds the functions of a module in which a goroutine may pause, which are those that asyncify has to rewrite.
//
//	pausing MODULE OUT LIST
//
// MODULE is what TinyGo has linked. OUT, which may be MODULE, becomes the same module, in which each function is called by its index, and LIST the
// names of these functions, as wasm-opt takes them by asyncify-onlylist.
//
// A goroutine pauses in asyncify.start_unwind. So a function may pause that calls it, or calls a function that may pause, or makes an indirect call
// with the signature of a function that may pause and lies in a table. wasm-opt itself takes every indirect call for a pause. Where a function calls
// asyncify.stop_unwind, as TinyGo's tinygo_launch and tinygo_rewind do, the goroutine's stack ends. These two alone call the function that TinyGo
// makes for a go statement.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: pausing MODULE OUT LIST")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintf(os.Stderr, "pausing: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

func run(in, out, list string) error {
	b, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	m, err := read(b)
	if err != nil {
		return err
	}
	var names []string
	for i, pauses := range m.pausing() {
		if pauses {
			names = append(names, nameOf(i))
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("no function of it pauses")
	}
	if err := os.WriteFile(list, []byte(strings.Join(names, ",")), 0o644); err != nil {
		return err
	}
	return os.WriteFile(out, m.renamed(), 0o644)
}

// pausing reports for each function, by its index, whether a goroutine may pause in it.
func (m *module) pausing() []bool {
	pauses := make([]bool, len(m.typeOf))
	ends := make([]bool, len(m.typeOf)) // it starts or resumes a goroutine, and is where the goroutine's stack ends
	for i := range m.calls {
		for _, called := range m.calls[i] {
			if called >= uint64(len(m.imports)) {
				continue
			}
			switch m.imports[called] {
			case [2]string{"asyncify", "start_unwind"}:
				pauses[i] = true
			case [2]string{"asyncify", "stop_unwind"}:
				ends[i] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		signatures := map[string]bool{}
		for _, i := range m.table {
			if pauses[i] && !m.begins(i) {
				signatures[m.types[m.typeOf[i]]] = true
			}
		}
		for i := range m.calls {
			if !pauses[i] && !ends[i] && m.calling(i, pauses, signatures) {
				pauses[i], changed = true, true
			}
		}
	}
	return pauses
}

// calling reports whether a function calls one that may pause.
func (m *module) calling(function int, pauses []bool, signatures map[string]bool) bool {
	for _, called := range m.calls[function] {
		if pauses[called] {
			return true
		}
	}
	for _, signature := range m.indirect[function] {
		if signatures[m.types[signature]] {
			return true
		}
	}
	return false
}

// begins reports whether TinyGo has made a function for a go statement. It calls such a function NAME$gowrapper or .gowrapper, gives it one
// parameter, and has it call exitGoroutine at its end (compiler/goroutine.go of TinyGo 0.42.0), which no function of that name in a program does.
func (m *module) begins(function uint64) bool {
	name := m.names[function]
	if !strings.HasSuffix(name, "$gowrapper") && !strings.HasSuffix(name, ".gowrapper") || m.types[m.typeOf[function]] != "\x7f;;" {
		return false
	}
	return slices.ContainsFunc(m.calls[function], func(called uint64) bool { return m.names[called] == "runtime.exitGoroutine" })
}
