package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// function is a function of a module in a test.
type function struct {
	name      string
	signature byte   // an index of signatures
	code      string // its instructions, without the end
}

// signatures has the signatures of the modules in tests. The last signature equals the first.
var signatures = []string{"\x60\x00\x00", "\x60\x01\x7f\x00", "\x60\x00\x01\x7f", "\x60\x00\x00"}

// The imports of these modules.
const (
	startUnwind = iota
	stopUnwind
	log
	imported // the number of imports
)

func call(f int) string                 { return "\x10" + string(rune(f)) }
func callIndirect(signature int) string { return "\x41\x00\x11" + string(rune(signature)) + "\x00" }

// made returns a module with the functions. table has the indexes of the functions in the table.
func made(table []byte, functions ...function) []byte {
	sized := func(s string) string { return string(binary.AppendUvarint(nil, uint64(len(s)))) + s }
	section := func(id byte, items ...string) string {
		return string(rune(id)) + sized(string(rune(len(items)))+strings.Join(items, ""))
	}
	var types, bodies, names []string
	for i, f := range functions {
		types = append(types, string(rune(f.signature)))
		bodies = append(bodies, sized("\x00"+f.code+"\x0b"))
		names = append(names, string(rune(imported+i))+sized(f.name))
	}
	return []byte("\x00asm\x01\x00\x00\x00" +
		section(typeSection, signatures...) +
		section(importSection, sized("asyncify")+sized("start_unwind")+"\x00\x01",
			sized("asyncify")+sized("stop_unwind")+"\x00\x00", sized("host")+sized("log")+"\x00\x00") +
		section(functionSection, types...) +
		section(elementSection, "\x00\x41\x00\x0b"+sized(string(table))) +
		section(codeSection, bodies...) +
		"\x00" + sized(sized("name")+"\x01"+sized(string(rune(len(names)))+strings.Join(names, ""))))
}

// pausingOf returns the names of the functions in a module that may pause.
func pausingOf(t *testing.T, b []byte) []string {
	t.Helper()
	m, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, pauses := range m.pausing() {
		if pauses {
			names = append(names, m.names[uint64(i)])
		}
	}
	return names
}

func TestPausing(t *testing.T) {
	first := imported
	for _, test := range []struct {
		name      string
		table     []byte
		functions []function
		want      string
	}{
		{"who calls what pauses, and who calls that one", nil, []function{
			{"unwind", 1, call(startUnwind)}, {"pause", 0, call(first)}, {"receive", 0, call(first + 1)},
			{"write", 0, call(log)},
		}, "unwind pause receive"},
		{"where a goroutine is started its stack ends", nil, []function{
			{"unwind", 1, call(startUnwind)}, {"launch", 0, call(first) + call(stopUnwind)},
			{"schedule", 0, call(first + 1)},
		}, "unwind"},
		{"a call by the signature of what pauses and lies in a table", []byte{imported}, []function{
			{"unwind", 1, call(startUnwind)}, {"same", 0, callIndirect(1)}, {"other", 0, callIndirect(2)},
		}, "unwind same"},
		{"what pauses and lies in no table is not called that way", []byte{imported + 1}, []function{
			{"unwind", 1, call(startUnwind)}, {"calm", 1, ""}, {"same", 0, callIndirect(1)},
		}, "unwind"},
		{"the same signature under another index", []byte{imported + 1}, []function{
			{"unwind", 1, call(startUnwind)}, {"pause", 0, call(first)}, {"same", 1, callIndirect(3)},
		}, "unwind pause same"},
		{"by way of a function that pauses for an indirect call", []byte{imported, imported + 1}, []function{
			{"unwind", 1, call(startUnwind)}, {"serve", 2, callIndirect(1)}, {"route", 0, callIndirect(2)},
			{"main", 0, call(first + 2)},
		}, "unwind serve route main"},
		{"what a go statement begins with is called by nothing else", []byte{
			imported + 2, imported + 3,
		}, []function{
			{"unwind", 2, call(startUnwind)}, {"runtime.exitGoroutine", 0, call(first)},
			{"main.run$gowrapper", 1, call(first + 1)}, {"interface.gowrapper", 1, call(first + 1)},
			{"once", 0, callIndirect(1)},
		}, "unwind runtime.exitGoroutine main.run$gowrapper interface.gowrapper"},
		{"a function of that name in the program", []byte{imported + 2}, []function{
			{"unwind", 2, call(startUnwind)}, {"runtime.exitGoroutine", 0, call(first)},
			{"main.gowrapper", 1, call(first)}, {"once", 0, callIndirect(1)},
		}, "unwind runtime.exitGoroutine main.gowrapper once"},
		{"a function of that name with another signature", []byte{imported + 2}, []function{
			{"unwind", 2, call(startUnwind)}, {"runtime.exitGoroutine", 0, call(first)},
			{"main.gowrapper", 0, call(first + 1)}, {"once", 0, callIndirect(0)},
		}, "unwind runtime.exitGoroutine main.gowrapper once"},
		{"calls behind all kinds of instructions", nil, []function{
			{"unwind", 1, call(startUnwind)},
			{"nested", 0, "\x02\x40\x03\x40\x41\x01\x04\x40\x0c\x01\x05\x0d\x00\x0b\x0b\x0b" + call(first)},
			{"numbers", 0, "\x41\x80\x7f\x42\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f\x43\x10\x10\x10\x10\x44\x10\x10\x10\x10\x10\x10\x10\x10\x1a\x1a\x1a\x1a" +
				call(first)},
			{"memory", 0, "\x28\x02\x80\x01\x36\x03\x10\x3f\x00\x40\x00\xfc\x0a\x00\x00\xfc\x0b\x00\xfc\x07\xc4" +
				call(first)},
			{"branches", 0, "\x0e\x02\x10\x10\x10\x20\x10\x21\x10\x22\x10\x23\x10\x24\x10\x1b\x0f" +
				call(first)},
			// No 0x10 in it is a call.
			{"none", 0,
				"\x41\x10\x42\x10\x43\x10\x00\x10\x00\x44\x10\x00\x10\x00\x10\x00\x10\x00\x28\x02\x10\x20\x10\x0e\x01\x10\x10"},
		}, "unwind nested numbers memory branches"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := pausingOf(t, made(test.table, test.functions...)); !slices.Equal(got,
				strings.Fields(test.want)) {
				t.Errorf("these may pause: %q, want %q", got, test.want)
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	whole := made([]byte{imported}, function{"unwind", 1, call(startUnwind)})
	for name, b := range map[string][]byte{
		"no module":                    []byte("wasm"),
		"another version":              append([]byte("\x00asm\x02\x00\x00\x00"), whole[8:]...),
		"an instruction":               made(nil, function{"f", 0, "\x12\x00"}), // return_call
		"an instruction with a prefix": made(nil, function{"f", 0, "\xfc\x0c\x00\x00"}),
		"cut off":                      whole[:len(whole)-1],
		"a function that does not end": bytes.Replace(whole, []byte(call(startUnwind)+"\x0b"),
			[]byte(call(startUnwind)+"\x01"), 1),
		"an element segment of indexes": bytes.Replace(whole, []byte("\x00\x41\x00\x0b\x01"),
			[]byte("\x01\x41\x00\x0b\x01"), 1),
		"an import of a table":         bytes.Replace(whole, []byte("log\x00"), []byte("log\x01"), 1),
		"a type that is no function":   bytes.Replace(whole, []byte("\x60\x01"), []byte("\x5f\x01"), 1),
		"another memory":               made(nil, function{"f", 0, "\x28\x42\x01\x01" + call(startUnwind)}),
		"code behind a function's end": made(nil, function{"f", 0, "\x0b" + call(startUnwind)}),
		"a function without a body": bytes.Replace(whole, []byte("\x03\x02\x01\x01"),
			[]byte("\x03\x03\x02\x01\x01"), 1),
		"a parameter that is no number": bytes.Replace(whole, []byte("\x60\x01\x7f"),
			[]byte("\x60\x01\x63"), 1),
		"a table of no functions": slices.Concat(whole[:8],
			[]byte("\x04\x04\x01\x6f\x00\x01"), whole[8:]),
	} {
		if m, err := read(b); err == nil {
			t.Errorf("%s: read as %v", name, m)
		}
	}
}

func TestRun(t *testing.T) {
	folder := t.TempDir()
	in, out, list := filepath.Join(folder, "in"), filepath.Join(folder, "out"), filepath.Join(folder, "list")
	write := func(b []byte) {
		if err := os.WriteFile(in, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(made(nil, function{"(*a).b,c", 1, call(startUnwind)}, function{"calm", 0, ""},
		function{"d", 0, call(imported)}))
	if err := run(in, out, list); err != nil {
		t.Fatal(err)
	}
	if names, _ := os.ReadFile(list); string(names) != "f3,f5" {
		t.Errorf("the list is %q", names)
	}
	written, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	m, err := read(written)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(6) {
		if want := fmt.Sprintf("f%d", i); m.names[i] != want {
			t.Errorf("function %d is called %q, want %q", i, m.names[i], want)
		}
	}
	if bytes.Contains(written, []byte("calm")) {
		t.Error("the old names are still there")
	}

	write(made(nil, function{"calm", 0, ""}))
	if err := run(in, out, list); err == nil {
		t.Error("a module in which nothing pauses is taken")
	}
}
