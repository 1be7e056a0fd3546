package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"edgelingua/toolchain/wasm"
)

func sized(content string) string {
	return string(binary.AppendUvarint(nil, uint64(len(content)))) + content
}

func section(id byte, content string) string { return string(id) + sized(content) }

// at is an active segment.
func at(place, data string) string { return "\x00\x41" + place + "\x0b" + sized(data) }

func TestJoined(t *testing.T) {
	for name, test := range map[string]struct{ list, want string }{
		"zeros between them":  {"\x03" + at("\x10", "ab") + at("\x14", "c") + at("\x15", "d"), "\x01" + at("\x10", "ab\x00\x00cd")},
		"as far as they may":  {"\x02" + at("\x00", "a") + at("\x81\x08", "b"), "\x01" + at("\x00", "a"+strings.Repeat("\x00", 1024)+"b")},
		"far apart":           {"\x02" + at("\x00", "a") + at("\x82\x08", "b"), "\x02" + at("\x00", "a") + at("\x82\x08", "b")},
		"places of all sizes": {"\x02" + at("\xc0\x00", "a") + at("\xbf\x80\x01", "b"), "\x02" + at("\xc0\x00", "a") + at("\xbf\x80\x01", "b")},
		"none":                {"\x00", "\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			module := func(list string) string {
				return wasm.Header + section(1, "types") + section(12, list[:1]) + section(10, "code") + section(11, list) + section(0, "\x04last")
			}
			out, err := joined([]byte(module(test.list)))
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != module(test.want) {
				t.Fatalf("%q\nin place of\n%q", out, module(test.want))
			}
		})
	}
}

func TestRefused(t *testing.T) {
	far := "\x80\x01"
	for i := range 128 {
		far += at(string([]byte{0x80, byte(i<<4) | 0x80, byte(i >> 3)}), "a") // one every 2 KB
	}
	for problem, module := range map[string]string{
		"it is no WebAssembly module":                               "asm",
		"it has a part that is cut off":                             wasm.Header + "\x0b\x05\x01",
		"it has a number that is cut off":                           wasm.Header + "\x0b\xff",
		"it has a data segment with flags 1":                        wasm.Header + section(11, "\x01\x01\x01a"),
		"it has a data segment whose place is the instruction 0x23": wasm.Header + section(11, "\x01\x00\x23\x00\x0b\x01a"),
		"it has a data segment whose place goes on with 0x41":       wasm.Header + section(11, "\x01\x00\x41\x00\x41\x00\x6a\x0b\x01a"),
		"it has a data segment at an address below 0":               wasm.Header + section(11, "\x01"+at("\x70", "a")),
		"it has data segments that overlap, or are not in order":    wasm.Header + section(11, "\x02"+at("\x04", "ab")+at("\x05", "c")),
		"it has bytes behind the end of a part":                     wasm.Header + section(11, "\x01"+at("\x04", "ab")+"c"),
		"it has 128 data segments that lie far apart":               wasm.Header + section(11, far),
	} {
		if _, err := joined([]byte(module)); err == nil || !strings.HasPrefix(err.Error(), problem) {
			t.Errorf("%v in place of %s", err, problem)
		}
	}
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "module")
	if err := os.WriteFile(file, []byte(wasm.Header+section(11, "\x02"+at("\x01", "a")+at("\x03", "b"))), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(file); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if want := wasm.Header + section(11, "\x01"+at("\x01", "a\x00b")); err != nil || string(b) != want {
		t.Fatalf("%q, %v", b, err)
	}
	if err := run(file + "s"); err == nil {
		t.Fatal("there is no such file")
	}
}
