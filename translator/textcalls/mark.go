package textcalls

import (
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// mark follows a text that may be a mark with its call, byte by byte, along steps. It fails at the
// first byte that doesn't fit, and records the positions of the call's parts. The function read
// checks their contents.
type mark struct {
	tools    []tool
	active   bool // a mark is being followed
	outcome  outcome
	state    state
	spaces   int    // how many bytes of space were read in the state
	indented bool   // the bytes of space are not a single ' '
	reading  bool   // the content given in readAt is being read
	from     int    // where the content begins
	until    int    // aValue: where a possible end of the value begins
	way      int    // the index in steps of the step being matched
	n        int    // how many bytes of the step's text matched so far
	parts    []part // the contents read so far
	// the beginning of the current name or string of an object, at most maxWord bytes
	word   []byte
	object object
}

type outcome uint8

const (
	undecided outcome = iota
	complete
	failed
)

// part is the content read in a state: text[from:to] of the mark's text.
type part struct {
	reads    reads
	from, to int
}

// maxWord bounds the name of a tool or of an argument, in bytes without escapes.
const maxWord = 160

// begin starts to follow a mark at the next byte.
func (m *mark) begin(p state) {
	*m = mark{tools: m.tools, active: true, state: p, parts: m.parts[:0], word: m.word[:0]}
}

// stop ends following the mark.
func (m *mark) stop() { m.active = false }

// failed reports whether the text is not a mark.
func (m *mark) failed() bool { return m.active && m.outcome == failed }

// done reports whether the mark is complete.
func (m *mark) done() bool { return m.active && m.outcome == complete }

// isSpace reports whether only space followed a call.
func (m *mark) isSpace() bool { return m.active && m.state == afterCall && m.n == 0 }

// endText handles the end of the text, which completes Llama's objects.
func (m *mark) endText() {
	if (m.state == bareJSON || m.state == llamaJSON) && !m.reading && m.n == 0 {
		m.outcome = complete
	}
}

// step reads the next byte, part of a character written as text[from:to]. begins reports whether
// the byte begins a line and may begin a mark.
func (m *mark) step(c byte, from, to int, begins bool) {
	if m.outcome != undecided {
		return
	}
	if !m.reading || m.read(c, from, to) {
		m.match(c, from, to, begins)
	}
}

// read reads a byte of the current content. It returns true if the byte is already after the
// content.
func (m *mark) read(c byte, from, to int) (after bool) {
	switch what := readAt[m.state]; what {
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

// value reads a byte of a value, which ends before the text of the next step. The first character
// of the step's text must not occur in it again.
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

// close records the content read, up to the offset to.
func (m *mark) close(to int) {
	m.parts = append(m.parts, part{readAt[m.state], m.from, to})
	m.reading = false
	if m.state == mistralList || m.state == mistralArguments { // no end mark follows
		m.outcome = complete
	}
}

// match matches a byte with the texts of the possible steps.
func (m *mark) match(c byte, from, to int, begins bool) {
	if m.outcome != undecided {
		return
	}
	if m.n == 0 {
		if isSpace(c) && m.state != atLine {
			m.spaces++
			m.indented = m.spaces > 1 || c != ' '
			return
		}
		// Tokenizers put one space before the first line; more would be an indentation.
		m.failIf(m.state < end && !begins && m.indented)
	}
	for i := range steps {
		s := &steps[i]
		if s.from>>m.state&1 == 0 {
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

// enter moves to a state. Its content begins at the offset from.
func (m *mark) enter(p state, from int) {
	m.state, m.n, m.from, m.spaces, m.word, m.object = p, 0, from, 0, m.word[:0], object{}
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

// accepts reports whether a kind of content may begin with c.
func accepts(what reads, c byte) bool {
	switch what {
	case aName, aWord:
		return isWord(c)
	case aList:
		return c == '['
	}
	return c == '{'
}

// failIf fails the mark if condition is true.
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

// known reports whether the word is the name of a callable tool.
func (m *mark) known() bool { return find(m.tools, string(jsonw.View(m.word))) != nil }

// object follows JSON to its end, without validating it. It fails at a byte that JSON allows only
// in strings, so text that is not JSON is soon released.
type object struct {
	depth   int
	level   int  // the depth of the members of calls; 0: members are not read
	quoted  bool // inside a string
	escaped bool // after a backslash in a string
	value   bool // at level: after a colon
	isName  bool // at level: the member is "name"
	members int  // at level: how many keys were read
}

// json reads a byte of JSON. The name of a call is checked as soon as it is complete.
func (m *mark) json(c byte) {
	o := &m.object
	switch {
	case o.quoted:
		m.quoted(c)
	case c == '"':
		o.quoted, m.word = true, m.word[:0]
	case c == '{' || c == '[':
		m.failIf(o.depth == jsonr.MaxDepth || o.depth == 0 && !accepts(readAt[m.state], c))
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

// quoted reads a byte inside a string.
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

// member handles a complete string, a key or a value, among the members of a call. A call without a
// mark must begin with its name (or "type"), so an answer that is some other JSON is not held back.
func (m *mark) member() {
	o := &m.object
	for _, c := range m.word {
		if c == '\\' { // read unescapes it
			return
		}
	}
	switch {
	case !o.value:
		o.members++
		o.isName = jsonw.View(m.word) == "name"
		m.failIf(m.state == bareJSON && o.members == 1 && !o.isName && jsonw.View(m.word) != "type")
	case o.isName:
		m.failIf(!m.known())
	}
}

// isSyntax reports whether JSON may have a byte outside of strings.
func isSyntax(c byte) bool {
	switch c {
	case ' ', '\n', '\r', '\t', ':', ',', '-', '+', '.', 'E', 't', 'r', 'u', 'e', 'f', 'a', 'l', 's', 'n':
		return true
	}
	return '0' <= c && c <= '9'
}

// isWord reports whether a tool's name may have a byte.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}
