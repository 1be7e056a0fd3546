package textcalls

import (
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// mark follows a text that may be a mark with its call, byte by byte, along steps. It fails at the
// first byte that can't stand there, and notes where the call's parts are. What they hold is for
// read to check.
type mark struct {
	tools    []tool
	active   bool // a mark is followed
	outcome  outcome
	place    place
	spaces   int    // how many bytes of space have come at the place
	indented bool   // they are more than one space
	reading  bool   // what readAt has of the place is being read
	from     int    // where that begins
	until    int    // aValue: where the text begins that may be the mark behind it
	way      int    // the one of steps whose text is being read
	n        int    // how many bytes of it have come
	parts    []part // what was read
	// what the name or the string of an object that is being read has so far, up to maxWord bytes
	word   []byte
	object object
}

type outcome uint8

const (
	undecided outcome = iota
	complete
	failed
)

// part is what was read at a place: text[from:to] of the mark's text.
type part struct {
	reads    reads
	from, to int
}

// maxWord bounds the name of a tool or of an argument, in bytes as they are meant, however they are
// written.
const maxWord = 160

// begin begins a mark at the next byte.
func (m *mark) begin(p place) {
	*m = mark{tools: m.tools, active: true, place: p, parts: m.parts[:0], word: m.word[:0]}
}

// stop ends it: nothing is followed any more.
func (m *mark) stop() { m.active = false }

// failed reports whether the text is no mark.
func (m *mark) failed() bool { return m.active && m.outcome == failed }

// done reports whether the mark is complete.
func (m *mark) done() bool { return m.active && m.outcome == complete }

// isSpace reports whether nothing but space has come behind a call.
func (m *mark) isSpace() bool { return m.active && m.place == behindCall && m.n == 0 }

// endText takes the end of the text. Llama's objects end there.
func (m *mark) endText() {
	if (m.place == bareJSON || m.place == llamaJSON) && !m.reading && m.n == 0 {
		m.outcome = complete
	}
}

// step takes the next byte, of a character that stands in text[from:to]. begins says that a line
// begins with it, in which a mark counts.
func (m *mark) step(c byte, from, to int, begins bool) {
	if m.outcome != undecided {
		return
	}
	if !m.reading || m.read(c, from, to) {
		m.match(c, from, to, begins)
	}
}

// read takes a byte of what is being read. It reports whether the byte is not of that, but of what
// follows.
func (m *mark) read(c byte, from, to int) (behind bool) {
	switch what := readAt[m.place]; what {
	case aName, aWord:
		if isWord(c) {
			m.keep(c)
			m.failIf(len(m.word) == maxWord)
			return false
		}
		m.failIf(what == aName && !m.known())
	case aKey:
		if c != '<' && c != '>' && c != '"' && c != '\n' {
			m.keep(c)
			m.failIf(len(m.word) == maxWord)
			return false
		}
	case anArguments, aCall, aList:
		if m.object.depth == 0 && isSpace(c) {
			m.from = to
			return false
		}
		m.json(c)
		if m.object.depth == 0 && m.outcome == undecided {
			m.close(to)
		}
		return false
	default:
		m.value(c, from)
		return false
	}
	m.close(from)
	return true
}

// value takes a byte of a value, which ends where the mark behind it stands. That mark's first
// character does not come again in it.
func (m *mark) value(c byte, from int) {
	text := steps[m.way].text
	if c != text[m.n] {
		m.n = 0
	}
	if c != text[m.n] {
		return
	}
	if m.n == 0 {
		m.until = from
	}
	if m.n++; m.n == len(text) {
		m.close(m.until)
		m.enter(steps[m.way].to, from)
	}
}

// close notes what was read, up to the offset to.
func (m *mark) close(to int) {
	m.parts = append(m.parts, part{readAt[m.place], m.from, to})
	m.reading = false
	if m.place == mistralList || m.place == mistralArguments { // there is no mark behind them
		m.outcome = complete
	}
}

// match takes a byte of the text of a step.
func (m *mark) match(c byte, from, to int, begins bool) {
	if m.outcome != undecided {
		return
	}
	if m.n == 0 {
		if isSpace(c) && m.place != atLine {
			m.spaces++
			m.indented = m.spaces > 1 || c != ' '
			return
		}
		// One space in front of the first line is of the tokenizer; more than that would be an
		// indentation.
		m.failIf(m.place < end && !begins && m.indented)
	}
	for i := range steps {
		s := &steps[i]
		if s.from>>m.place&1 == 0 {
			continue
		}
		if s.text == "" {
			if m.n == 0 && accepts(readAt[s.to], c) {
				m.enter(s.to, from)
				m.step(c, from, to, begins)
				return
			}
			continue
		}
		if len(s.text) > m.n && s.text[m.n] == c && s.text[:m.n] == steps[m.way].text[:m.n] {
			m.way = i
			if m.n++; m.n == len(s.text) {
				m.enter(s.to, to)
			}
			return
		}
	}
	m.outcome = failed
}

// enter goes to a place. What stands there begins at the offset from.
func (m *mark) enter(p place, from int) {
	m.place, m.n, m.from, m.spaces, m.word, m.object = p, 0, from, 0, m.word[:0], object{}
	what := readAt[p]
	m.reading = what != nothing
	switch {
	case p == end:
		m.outcome = complete
	case what == aCall:
		m.object.level = 1
	case what == aList:
		m.object.level = 2
	case what >= aValue && what <= aJSON:
		for m.way = 0; steps[m.way].from>>p&1 == 0; m.way++ {
		}
	}
}

// accepts reports whether what is to be read may begin with c.
func accepts(what reads, c byte) bool {
	switch what {
	case aName, aWord:
		return isWord(c)
	case aList:
		return c == '['
	}
	return c == '{'
}

// failIf fails the mark where a condition holds.
func (m *mark) failIf(condition bool) {
	if condition {
		m.outcome = failed
	}
}

// keep adds a byte to the word.
func (m *mark) keep(c byte) {
	if len(m.word) < maxWord {
		m.word = append(m.word, c)
	}
}

// known reports whether the word is the name of a tool that may be called.
func (m *mark) known() bool { return find(m.tools, string(jsonw.View(m.word))) != nil }

// object follows JSON to its end, without validating it. It fails where a byte stands outside of
// strings that JSON has only in them, so that what is no JSON is not held for long.
type object struct {
	depth   int
	level   int  // the depth at which the members of calls stand; 0: none are read
	quoted  bool // inside of a string
	escaped bool // behind a backslash there
	value   bool // at level: behind a colon
	isName  bool // at level: the member is "name"
	members int  // at level: how many keys have come
}

// json takes a byte of JSON. The name of a call is checked as soon as it is there.
func (m *mark) json(c byte) {
	o := &m.object
	switch {
	case o.quoted:
		m.quoted(c)
	case c == '"':
		o.quoted, m.word = true, m.word[:0]
	case c == '{' || c == '[':
		m.failIf(o.depth == jsonr.MaxDepth || o.depth == 0 && !accepts(readAt[m.place], c))
		o.depth++
		o.value = o.value && o.depth != o.level
	case c == '}' || c == ']':
		o.depth--
	case o.depth == 0 || !isSyntax(c):
		m.outcome = failed
	case o.depth == o.level && (c == ':' || c == ','):
		o.value = c == ':'
	}
}

// quoted takes a byte inside of a string.
func (m *mark) quoted(c byte) {
	o := &m.object
	switch {
	case c < ' ':
		m.outcome = failed
	case o.escaped:
		o.escaped = false
	case c == '\\':
		o.escaped = true
	case c == '"':
		o.quoted = false
		if o.depth == o.level {
			m.member()
		}
		return
	}
	m.keep(c)
}

// member takes a string among the members of a call, a key or a value. A call without a mark has
// its name in front: an answer that is other JSON is not held.
func (m *mark) member() {
	o := &m.object
	for _, c := range m.word {
		if c == '\\' { // read undoes the escapes
			return
		}
	}
	switch {
	case !o.value:
		o.members++
		o.isName = jsonw.View(m.word) == "name"
		m.failIf(m.place == bareJSON && o.members == 1 && !o.isName && jsonw.View(m.word) != "type")
	case o.isName:
		m.failIf(!m.known())
	}
}

// isSyntax reports whether a byte may stand outside of strings.
func isSyntax(c byte) bool {
	switch c {
	case ' ', '\n', '\r', '\t', ':', ',', '-', '+', '.', 'E', 't', 'r', 'u', 'e', 'f', 'a', 'l', 's', 'n':
		return true
	}
	return '0' <= c && c <= '9'
}

// isWord reports whether a byte may stand in a tool's name.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}
