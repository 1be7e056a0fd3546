package textcalls

import (
	"strings"

	"edgelingua/translator/ir"
)

// lines knows where in an answer's text the next character stands: whether it begins a line, and
// whether that line is inside of a code fence or of <think>...</think>, as a server without a
// reasoning parser hands it through.
//
// Fences are read as CommonMark has them ("Fenced code blocks"), but more of them, and longer: a
// fence may begin behind any indentation and behind the marks of lists; and inside of a fence a
// line that could begin another one of the same kind does so, since a document that is quoted in a
// fence may have fences of its own.
type lines struct {
	fresh    bool // nothing has come since the text began, since a call or since the end of <think>
	spoken   bool // the answer has text, outside of <think>
	phase    phase
	indent   int  // columns in front of the line's text
	listed   bool // a list's mark is among them
	char     byte // of the line's run: ` or ~
	run      int  // how many of them
	info     bool // something stands behind the run
	fence    byte // the character of the open fence, 0 where none is open
	length   int  // how many of them it has
	margin   int  // its indentation
	depth    int  // how many fences are open
	tag      int  // how many characters of thinkBegin or thinkEnd the text ends with
	thinking bool
}

// phase is how far a line is.
type phase uint8

const (
	leading  phase = iota // space, and the marks of lists
	running               // characters that may be a fence
	behind                // behind such
	ordinary              // text that can't be a fence any more
)

const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
	tabStop    = 4
	maxMargin  = 3 // columns by which the end of a fence may be indented further than its beginning
)

// restart begins a new text: the next character stands at the start of a line.
func (l *lines) restart() {
	*l = lines{fresh: true, spoken: l.spoken, fence: l.fence, length: l.length, margin: l.margin,
		depth: l.depth}
}

// atStart reports whether the next character is the first one of a line in which a mark counts.
func (l *lines) atStart() bool {
	return l.phase == leading && l.indent == 0 && l.fence == 0 && !l.thinking
}

// skip returns how many bytes of e step need not be told of. A line break of an escaped text begins
// with a backslash.
func (l *lines) skip(e ir.Escaped) int {
	if l.phase != ordinary || l.tag > 0 || l.thinking {
		return 0
	}
	if n := strings.IndexByte(string(e), '\\'); n >= 0 {
		return n
	}
	return len(e)
}

// read takes a piece of the text.
func (l *lines) read(e ir.Escaped) {
	for i := 0; i < len(e); {
		char, n, width := charAt(e[i:])
		for _, c := range char[:n] {
			l.step(c)
		}
		i += width
	}
}

// step takes the next byte of the text.
func (l *lines) step(c byte) {
	if l.thinking {
		if l.follows(c, thinkEnd) {
			l.thinking = false
			l.restart()
		}
		return
	}
	if l.tag > 0 || l.atStart() || l.fresh && c == '<' {
		l.thinking = l.follows(c, thinkBegin)
	}
	if !isSpace(c) && l.tag == 0 && !l.thinking {
		l.spoken = true
	}
	l.fresh = l.fresh && c == ' '
	switch {
	case c == '\n':
		l.endLine()
	case l.phase == leading:
		l.lead(c)
	case l.phase == running && c == l.char:
		l.run++
	case l.phase == running && l.run < 3:
		l.phase = ordinary
	case l.phase == running || l.phase == behind:
		l.phase = behind
		if c == '`' && l.char == '`' { // an inline code span
			l.phase = ordinary
		}
		l.info = l.info || !isSpace(c)
	}
}

// lead takes a byte in front of the line's text.
func (l *lines) lead(c byte) {
	switch {
	case c == ' ':
		l.indent++
	case c == '\t':
		l.indent += tabStop - l.indent%tabStop
	case c == '`' || c == '~':
		l.phase, l.char, l.run = running, c, 1
	case c == '-' || c == '*' || c == '+' || c == '.' || c == ')' || '0' <= c && c <= '9':
		l.listed = true
		l.indent++
	default:
		l.phase = ordinary
	}
}

// endLine takes the end of a line, which may begin or end a fence.
func (l *lines) endLine() {
	switch isFence := l.phase == running && l.run >= 3 || l.phase == behind; {
	case !isFence:
	case l.fence == 0:
		l.fence, l.length, l.margin, l.depth = l.char, l.run, l.indent, 1
	case l.char != l.fence || l.run < l.length:
	case l.info:
		l.depth++
	case !l.listed && l.indent <= l.margin+maxMargin:
		if l.depth--; l.depth == 0 {
			l.fence = 0
		}
	}
	l.phase, l.indent, l.listed, l.run, l.info = leading, 0, false, 0, false
}

// follows counts in l.tag how much of a tag the text ends with, and reports whether that is all of
// it. The first character of a tag does not come again in it.
func (l *lines) follows(c byte, tag string) bool {
	switch {
	case c == tag[l.tag]:
		l.tag++
	case c == tag[0]:
		l.tag = 1
	default:
		l.tag = 0
	}
	if l.tag < len(tag) {
		return false
	}
	l.tag = 0
	return true
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }
