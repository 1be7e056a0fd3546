package sse

import (
	"bytes"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

type event struct{ name, data string }

// read pushes the chunks in turn and returns their events. After its events were read, each chunk
// is overwritten, as a buffer's owner may do.
func read(t *testing.T, end bool, chunks ...string) (events []event) {
	t.Helper()
	var r Reader
	take := func() {
		for name, data, ok := r.Next(); ok; name, data, ok = r.Next() {
			events = append(events, event{strings.Clone(name), strings.Clone(data)})
		}
	}
	for _, c := range chunks {
		b := []byte(c)
		r.Push(b)
		take()
		for i := range b {
			b[i] = 0xff
		}
	}
	if end {
		r.End()
		take()
	}
	require.NoError(t, r.Err())
	return events
}

var framings = []struct {
	name, stream string
	want         []event
}{
	{"one", "data: a\n\n", []event{{"", "a"}}},
	{"named", "event: x\ndata: a\n\nevent: y\ndata: b\n\n", []event{{"x", "a"}, {"y", "b"}}},
	{"name does not stay", "event: x\ndata: a\n\ndata: b\n\n", []event{{"x", "a"}, {"", "b"}}},
	{"last name holds", "event: x\nevent: y\ndata: a\n\n", []event{{"y", "a"}}},
	{"without a space", "event:x\ndata:a\n\n", []event{{"x", "a"}}},
	{"only one space goes", "data:  a \n\n", []event{{"", " a "}}},
	{"CRLF", "event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []event{{"x", "a"}, {"", "b"}}},
	{"CR", "event: x\rdata: a\r\rdata: b\r\r", []event{{"x", "a"}, {"", "b"}}},
	{"mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\n", []event{{"", "a"}, {"", "b"}, {"", "c"},
		{"", "d"}}},
	{"comments", ": hi\n\n:\ndata: a\n: there\n\n", []event{{"", "a"}}},
	{"mark", "\xef\xbb\xbfdata: a\n\n", []event{{"", "a"}}},
	{"mark inside", "data: a\n\n\xef\xbb\xbfdata: b\n\n", []event{{"", "a"}}},
	{"bare JSON", "data: a\n\n{\n  \"error\": {\"code\": 503}\n}\n\ndata: b\n\n", []event{{"", "a"},
		{"error", "{\n \"error\": {\"code\": 503}\n}"}, {"", "b"}}},
	{"a bare list", "data: a\n\n[{\n  \"error\": {\"code\": 503}\n}]\n\n[\n{}\n]\n\n[DONE]\n\n",
		[]event{{"", "a"}, {"error", "[{\n \"error\": {\"code\": 503}\n}]"}, {"error", "[\n{}\n]"}}},
	{"bare JSON behind a name", "event: x\n{}\ndata: a\n\n", []event{{"error", "{}\na"}}},
	{"JSON behind data is no field", "data: a\n{}\n\n", []event{{"", "a"}}},
	{"several lines", "data: a\ndata:\ndata: b\n\n", []event{{"", "a\n\nb"}}},
	{"no data", "event: x\n\ndata: a\n\n", []event{{"", "a"}}},
	{"empty data", "data:\n\ndata\n\n", []event{{"", ""}, {"", ""}}},
	{"other fields", "id: 1\nretry: 5\nfoo\ndata: a\ndatas: b\n\n", []event{{"", "a"}}},
	{"error field", "data: a\n\nerror: {}\n\ndata: b\n\n", []event{{"", "a"}, {"error", "{}"}, {"", "b"}}},
	{"colons in data", "data: a: b\n\n", []event{{"", "a: b"}}},
	{"blank lines", "\n\n\r\n\rdata: a\n\n\n\n", []event{{"", "a"}}},
	{"unfinished", "data: a\n\ndata: b\n", []event{{"", "a"}}},
}

func TestFraming(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, f := range framings {
		t.Run(f.name, func(t *testing.T) {
			require.Equal(t, f.want, read(t, false, f.stream))
			require.Equal(t, f.want, read(t, false, strings.Split(f.stream, "")...), "cut at every byte")
			for i := range f.stream {
				require.Equal(t, f.want, read(t, false, f.stream[:i], f.stream[i:]), "cut at %d", i)
			}
			for range 20 {
				var chunks []string
				for rest := f.stream; rest != ""; {
					n := 1 + random.Intn(min(len(rest), 5))
					chunks, rest = append(chunks, rest[:n]), rest[n:]
				}
				require.Equal(t, f.want, read(t, false, chunks...), "%q", chunks)
			}
		})
	}
}

func TestEnd(t *testing.T) {
	for _, stream := range []string{"data: a", "data: a\n", "data: a\r", "data: a\r\n", "data: a\n\n"} {
		require.Equal(t, []event{{"", "a"}}, read(t, true, stream), "%q", stream)
		require.Equal(t, []event{{"", "a"}}, read(t, true, strings.Split(stream, "")...), "%q", stream)
	}
	require.Empty(t, read(t, true))
}

// TestNextAtTheEnd: another call of Next at the end of a chunk returns no event, and takes the begun
// line no second time.
func TestNextAtTheEnd(t *testing.T) {
	var r Reader
	r.Push([]byte("data: a\n\ndata: b"))
	_, data, ok := r.Next()
	require.True(t, ok)
	require.Equal(t, "a", data)
	for range 3 {
		_, _, ok = r.Next()
		require.False(t, ok)
	}
	r.Push([]byte("c\n\n"))
	_, data, ok = r.Next()
	require.True(t, ok)
	require.Equal(t, "bc", data)
}

// TestTooLarge sends three events larger than MaxEvent: an endless line in many chunks, an event of
// many lines, and an event in one chunk.
func TestTooLarge(t *testing.T) {
	line := "data: " + strings.Repeat("x", 1<<20) + "\n"
	for name, chunk := range map[string]string{"line": strings.Repeat("x", 1<<20), "lines": line} {
		t.Run(name, func(t *testing.T) {
			var r Reader
			for n := 0; r.Err() == nil; n++ {
				require.Less(t, n, 9)
				r.Push([]byte(chunk))
				_, _, ok := r.Next()
				require.False(t, ok)
			}
			require.ErrorIs(t, r.Err(), ErrTooLarge)
			r.Push([]byte("\n\ndata: a\n\n"))
			_, _, ok := r.Next()
			require.False(t, ok, "an error is final")
		})
	}
	var r Reader
	r.Push([]byte("data: " + strings.Repeat("x", MaxEvent+1) + "\n\n"))
	_, _, ok := r.Next()
	require.False(t, ok)
	require.ErrorIs(t, r.Err(), ErrTooLarge)

	var fits Reader
	fits.Push([]byte("data: " + strings.Repeat("x", MaxEvent) + "\n\n"))
	_, data, ok := fits.Next()
	require.True(t, ok)
	require.Len(t, data, MaxEvent)
}

func TestAllocations(t *testing.T) {
	chunk := bytes.Repeat([]byte("event: x\ndata: some data\n\n"), 10)
	var r Reader
	take := func(b []byte) {
		r.Push(b)
		for _, _, ok := r.Next(); ok; _, _, ok = r.Next() {
		}
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { take(chunk) }), "whole events")
	take(chunk[:100])
	take(chunk[100:])
	require.Zero(t, testing.AllocsPerRun(100, func() { take(chunk[:100]); take(chunk[100:]) }), "cut events")
}

// TestEventInOneChunkIsAView: an event within one chunk is not copied, so a change of the chunk
// shows in the event.
func TestEventInOneChunkIsAView(t *testing.T) {
	chunk := []byte("data: a\n\n")
	var r Reader
	r.Push(chunk)
	_, data, ok := r.Next()
	require.True(t, ok)
	chunk[6] = 'b'
	require.Equal(t, "b", data)
}

func TestAppend(t *testing.T) {
	require.Equal(t, "event: x\ndata: a\n\n", string(AppendTail(append(AppendHead(nil, "x"), 'a'))))
	require.Equal(t, "data: a\n\n", string(AppendTail(append(AppendHead(nil, ""), 'a'))))
}

// plainly reads the events of a whole body line by line, in the words of the HTML standard, section
// 9.2.6.
func plainly(body string) (events []event) {
	body = strings.TrimPrefix(body, "\xef\xbb\xbf")
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	name, data, bare := "", []string(nil), false
	for line := range strings.SplitSeq(body+"\n\n", "\n") {
		field, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimPrefix(value, " "); {
		case line == "":
			if data != nil {
				events = append(events, event{name, strings.Join(data, "\n")})
			}
			name, data, bare = "", nil, false
		case bare == (data != nil) && (line[0] == '{' || line == "[" || strings.HasPrefix(line, "[{") ||
			bare && strings.Contains(" }\"[]\t", line[:1])):
			// not in the standard: Google's form of an error
			name, data, bare = "error", append(data, strings.TrimPrefix(line, " ")), true
		case field == "event":
			name = value
		case field == "data":
			data = append(data, value)
		case field == "error": // not in the standard: llama.cpp's form of an error
			name, data = field, append(data, value)
		}
	}
	return events
}

// TestPlainReader checks plainly, the reference of FuzzReader, with the cases of framings.
func TestPlainReader(t *testing.T) {
	for _, f := range framings {
		// the end of the chunk does not end the last event for a Reader; the end of the body does
		// for plainly
		if f.name != "unfinished" {
			require.Equal(t, f.want, plainly(f.stream), f.name)
		}
	}
}

// FuzzReader reads a stream with Reader, in one piece and in chunks of size bytes, and compares the
// events with plainly's.
func FuzzReader(f *testing.F) {
	for _, c := range framings {
		f.Add(c.stream, 3)
	}
	files, err := filepath.Glob("../testdata/stream/*/*.txtar")
	require.NoError(f, err)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(f, err)
		for _, section := range archive.Files {
			if strings.HasPrefix(section.Name, "upstream.") && strings.HasSuffix(section.Name, ".sse") {
				f.Add(string(section.Data), 7)
			}
		}
	}
	f.Fuzz(func(t *testing.T, stream string, size int) {
		if size < 1 || size > 64 {
			size = 1
		}
		var chunks []string
		for rest := stream; rest != ""; {
			n := min(size, len(rest))
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		want := plainly(stream)
		require.Equal(t, want, read(t, true, stream))
		require.Equal(t, want, read(t, true, chunks...))
	})
}

func BenchmarkReader(b *testing.B) {
	chunk := []byte("data: " + strings.Repeat("x", 220) + "\n\n")
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	var r Reader
	for b.Loop() {
		r.Push(chunk)
		for _, _, ok := r.Next(); ok; _, _, ok = r.Next() {
		}
	}
}
