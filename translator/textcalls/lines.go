package textcalls

import (
	"strings"

	"edgelingua/translator/ir"
)

// lines tracks the position in an answer's text: whether the next character begins a line, and
// whether the line is in a code fence or in <think>...</think>, which a server without a reasoning
// parser leaves in the text.
//
// Fences follow CommonMark ("Fenced code blocks"), but lines finds more and longer ones. A fence
// may begin after any indentation and after list markers. Within a fence, a line that could begin
// another fence of the same kind does begin one, because a document quoted in a fence may have
// fences of its own.
type lines struct {
	fresh    bool // at the start of the text, or directly after a call or </think>
	spoken   bool // the answer has text outside of <think>
	phase    phase
	indent   int  // columns before the line's text
	listed   bool // these columns include a list marker
	char     byte // the character of the line's run: ` or ~
	run      int  // the length of the run
	info     bool // there is text after the run
	fence    byte // the character of the open fence, or 0
	length   int  // the length of the open fence's run
	margin   int  // the indentation of the open fence
	depth    int  // how many fences are open
	tag      int  // how many characters of thinkBegin or thinkEnd the text ends with
	thinking bool
}

// phase is the position within a line.
type phase uint8

const (
	leading    phase = iota // space, and list markers
	running                 // characters that may be a fence
	afterFence              // after a possible fence
	ordinary                // text that can no longer be a fence
)

const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
	tabStop    = 4
	maxMargin  = 3 // extra columns of indentation allowed for the end of a fence
)

// restart begins a new text: the next character is at the start of a line.
func (l *lines) restart() {
	*l = lines{fresh: true, spoken: l.spoken, fence: l.fence, length: l.length, margin: l.margin,
		depth: l.depth}
}

// atStart reports whether the next character begins a line and may begin a mark.
func (l *lines) atStart() bool {
	return l.phase == leading && l.indent == 0 && l.fence == 0 && !l.thinking
}

// skip returns how many bytes at the beginning of e need no call of step. In escaped text, a line
// break begins with a backslash.
func (l *lines) skip(e ir.Escaped) int {
	if l.phase != ordinary || l.tag > 0 || l.thinking {
		return 0
	}
	if n := strings.IndexByte(string(e), '\\'); n >= 0 {
		return n
	}
	return len(e)
}

// read reads a piece of the text.
func (l *lines) read(e ir.Escaped) {
	for i := 0; i < len(e); {
		char, n, width := charAt(e[i:])
		for _, c := range char[:n] {
			l.step(c)
		}
		i += width
	}
}

// step reads the next byte of the text.
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
	case l.phase == running || l.phase == afterFence:
		l.phase = afterFence
		if c == '`' && l.char == '`' { // an inline code span
			l.phase = ordinary
		}
		l.info = l.info || !isSpace(c)
	}
}

// lead reads a byte before the line's text.
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

// endLine handles the end of a line, which may begin or end a fence.
func (l *lines) endLine() {
	switch isFence := l.phase == running && l.run >= 3 || l.phase == afterFence; {
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

// follows counts in l.tag how many characters of tag the text ends with, and reports whether the
// tag is complete. A tag's first character must not occur in it again.
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
