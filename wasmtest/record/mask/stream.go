package mask

import (
	"hash/maphash"
	"strconv"
	"strings"
)

// mostTexts bounds how many texts are joined from the events of a stream. Each costs memory in
// addition to its bytes.
const mostTexts = 1 << 16

// Stream is Text for a stream of server-sent events with JSON data. It also finds a secret that is
// spread over several events. The strings with the same path and the same indexes in their events
// are read as one text. The first of these strings gets the "[key]", so the pieces still agree with
// a later event that repeats the whole text.
func (m *Masker) Stream(stream string) string {
	f := finder{text: stream, known: m.known}
	f.whole()
	texts := map[[2]path]*joined{}
	for from := 0; from < len(stream); {
		to := from + len(stream[from:])
		if i := strings.IndexByte(stream[from:], '\n'); i >= 0 {
			to = from + i
		}
		if data, ok := strings.CutPrefix(stream[from:to], "data:"); ok {
			event := event{text: data}
			event.value(0, "", 0)
			for _, s := range event.strings {
				key := [2]path{s.path, event.indexes}
				if texts[key] == nil {
					if len(texts) == mostTexts {
						continue
					}
					texts[key] = &joined{}
				}
				texts[key].add(stream, from+len("data:")+s.from, from+len("data:")+s.to)
			}
		}
		from = to + 1
	}
	for _, j := range texts {
		if j.pieces > 1 {
			f.spelled(string(j.text), func(start, end int) { j.note(&f, start, end) })
		}
	}
	return f.result()
}

// joined has the strings with the same path in the events of a stream, concatenated, with their
// escapes.
type joined struct {
	text   []byte
	at     []int32 // offset in the stream of each byte of text
	pieces int
}

func (j *joined) add(stream string, from, to int) {
	j.pieces++
	j.text = append(j.text, stream[from:to]...)
	for i := from; i < to; i++ {
		j.at = append(j.at, int32(i))
	}
}

// note marks the bytes start to end of the joined text as a secret.
func (j *joined) note(f *finder, start, end int) {
	for i := start; i < end; i++ {
		at := int(j.at[i])
		f.note(at, at+1)
		if i > start {
			f.marks[at] = goes
		}
	}
}

// deepest bounds how deep the JSON of an event is read.
const deepest = 64

// event parses the JSON of one event.
type event struct {
	text    string
	at      int
	strings []place
	// a hash of the members that tell the part of an answer to which the event belongs, such as
	// index, output_index and content_index
	indexes path
}

// place is the position of a string in the text of an event, without the quotes.
type place struct {
	path     path
	from, to int
}

// path is a hash of the names on the way to a value: names themselves may be long.
type path uint64

var seed = maphash.MakeSeed()

// at returns the path of the member name.
func (p path) at(name string) path {
	return path(maphash.Comparable(seed, struct {
		above path
		name  string
	}{p, name}))
}

// value reads a value and notes its strings. It returns false if the text is not valid JSON; the
// rest is then not read.
func (e *event) value(p path, name string, depth int) bool {
	if e.next(); e.at == len(e.text) || depth > deepest {
		return false
	}
	switch e.text[e.at] {
	case '"':
		from, to, ok := e.quoted()
		if ok {
			e.strings = append(e.strings, place{p, from, to})
		}
		return ok
	case '{':
		return e.members(p, depth, '}')
	case '[':
		return e.members(p, depth, ']')
	}
	from := e.at
	for e.at < len(e.text) && !strings.ContainsRune(",]} \t\r", rune(e.text[e.at])) {
		e.at++
	}
	if strings.HasSuffix(name, "index") {
		e.indexes = e.indexes.at(e.text[from:e.at])
	}
	return e.at > from
}

// members reads an object or an array to its end.
func (e *event) members(p path, depth int, end byte) bool {
	e.at++
	for i := 0; ; i++ {
		if e.next(); e.at == len(e.text) {
			return false
		}
		if e.text[e.at] == end {
			e.at++
			return true
		}
		name := strconv.Itoa(i)
		if end == '}' {
			from, to, ok := e.quoted()
			if !ok {
				return false
			}
			name = e.text[from:to]
		}
		if !e.value(p.at(name), name, depth+1) {
			return false
		}
	}
}

// next passes over white space, commas and colons.
func (e *event) next() {
	for e.at < len(e.text) && strings.ContainsRune(" \t\r,:", rune(e.text[e.at])) {
		e.at++
	}
}

// quoted reads a string, and returns its position without the quotes.
func (e *event) quoted() (from, to int, ok bool) {
	if e.text[e.at] != '"' {
		return 0, 0, false
	}
	from = e.at + 1
	to = from + endOfString(e.text[from:])
	e.at = min(to+1, len(e.text))
	return from, to, to < len(e.text)
}
