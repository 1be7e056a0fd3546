// Pausing finds the functions of a module in which a goroutine may pause. asyncify must rewrite
// exactly these functions.
//
//	pausing MODULE OUT LIST
//
// MODULE is a module that TinyGo has linked. Pausing writes the same module to OUT, with the index
// of each function as its name, and the names of the pausing functions to LIST, in the format of
// wasm-opt's asyncify-onlylist. OUT may be MODULE.
//
// A goroutine pauses in asyncify.start_unwind. Therefore a function may pause if it calls
// start_unwind or another pausing function, or if it makes an indirect call with the signature of a
// pausing function in a table. (wasm-opt by itself assumes that every indirect call may pause.) The
// stack of a goroutine ends at a function that calls asyncify.stop_unwind: TinyGo's tinygo_launch
// and tinygo_rewind. Only tinygo_launch and tinygo_rewind call the functions that TinyGo makes for
// go statements.
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

// pausing reports for each function index whether a goroutine may pause in the function.
func (m *module) pausing() []bool {
	pauses := make([]bool, len(m.typeOf))
	// a function that starts or resumes a goroutine, and ends the goroutine's stack
	ends := make([]bool, len(m.typeOf))
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

// calling reports whether a function calls a function that may pause. signatures has the signatures
// of the pausing functions in tables.
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

// begins reports whether TinyGo made the function for a go statement. TinyGo names such a function
// NAME$gowrapper or .gowrapper, gives it one parameter, and makes it call exitGoroutine at its end
// (compiler/goroutine.go of TinyGo 0.42.0). A function of the program with such a name does not
// call exitGoroutine.
func (m *module) begins(function uint64) bool {
	name := m.names[function]
	if !strings.HasSuffix(name, "$gowrapper") && !strings.HasSuffix(name, ".gowrapper") ||
		m.types[m.typeOf[function]] != "\x7f;;" {
		return false
	}
	return slices.ContainsFunc(m.calls[function], func(called uint64) bool {
		return m.names[called] == "runtime.exitGoroutine"
	})
}
