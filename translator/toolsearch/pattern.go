package toolsearch

import (
	"strconv"
	"unicode/utf8"
)

// A pattern is compiled to a program, and a text is read once, with all states of the program at the
// same time (Thompson): the time is bounded by the length of the text times the length of the
// program. Matching ignores the case of ASCII letters. It only finds out whether there is a match:
// groups capture nothing, and a lazy repetition is like a greedy one. References to groups and
// lookarounds need more than this time, so they are refused.

// Limits of a program, in instructions, and of a search, in steps of its program.
const (
	maxProgram = 1000
	maxGroups  = 8 // open at the same time: each needs room on a small stack
	maxSteps   = 8 << 20
	longSet    = 16 // characters of a set that are compared in the time of a step
)

type opcode uint8

const (
	opSet      opcode = iota // a character of set
	opSplit                  // go on at both a and b
	opStart                  // at the start of a line
	opEnd                    // at the end of a line
	opBoundary               // at the start or the end of a word, or if not is set, elsewhere
	opMatch
)

// instruction is a step of a program. a and b are relative to its index, so code can be moved.
type instruction struct {
	op   opcode
	not  bool
	a, b int
	set  []rune // pairs: the first and the last character of a range
}

// pattern is a compiled pattern, and the state of its search in a text.
type pattern struct {
	source string
	at     int    // the index of the next character of source
	depth  int    // of open groups
	fault  string // "": none
	code   []instruction

	steps   int
	now     []int // the states before the next character, as indexes of code
	next    []int // the states after it
	seen    []int // the tick at which each state was last entered
	tick    int   // counts positions in texts
	stack   []int // of enter
	matched bool
}

func compile(source string) (p *pattern, fault string) {
	p = &pattern{source: source}
	p.alternatives()
	if p.at < len(source) {
		p.fail("unbalanced parenthesis")
	}
	p.code = append(p.code, instruction{op: opMatch})
	p.seen = make([]int, len(p.code))
	return p, p.fault
}

// fail records the first fault, in the words of Python. The rest of the pattern is skipped.
//
//go:noinline
func (p *pattern) fail(what string) {
	if p.fault == "" {
		p.fault = what + " at position " + strconv.Itoa(utf8.RuneCountInString(p.source[:p.at]))
	}
	p.at = len(p.source)
}

//go:noinline
func (p *pattern) emit(list []instruction) {
	if len(p.code)+len(list) > maxProgram {
		p.fail("too many repetitions")
		return
	}
	p.code = append(p.code, list...)
}

// emitSet emits an instruction for a character of a set, or for any other if not is true.
//
//go:noinline
func (p *pattern) emitSet(not bool, set []rune) { p.emit([]instruction{{not: not, set: set}}) }

// assert emits an instruction for a position.
//
//go:noinline
func (p *pattern) assert(op opcode, not bool) { p.emit([]instruction{{op: op, not: not}}) }

// split emits an instruction that goes on both at the next one and at index by, relative to its own.
//
//go:noinline
func (p *pattern) split(by int) { p.emit([]instruction{{op: opSplit, a: 1, b: by}}) }

// jump makes an instruction that goes on at the index by, relative to its own.
func jump(by int) instruction { return instruction{op: opSplit, a: by, b: by} }

// accept skips s if the rest of the pattern begins with it.
//
//go:noinline
func (p *pattern) accept(s string) bool {
	if len(p.source)-p.at < len(s) || p.source[p.at:p.at+len(s)] != s {
		return false
	}
	p.at += len(s)
	return true
}

// character reads the next character.
//
//go:noinline
func (p *pattern) character() rune {
	c, n := utf8.DecodeRuneInString(p.source[p.at:])
	p.at += n
	return c
}

// alternatives reads a pattern up to its end or to a closing parenthesis.
func (p *pattern) alternatives() {
	var ends []int
	for {
		branch := len(p.code)
		for p.at < len(p.source) && p.source[p.at] != '|' && p.source[p.at] != ')' {
			p.repeated()
		}
		if !p.accept("|") {
			break
		}
		code := append([]instruction(nil), p.code[branch:]...)
		p.code = p.code[:branch]
		p.split(len(code) + 2)
		p.emit(code)
		ends = append(ends, len(p.code))
		p.split(0)
	}
	for _, end := range ends {
		if p.fault == "" {
			p.code[end] = jump(len(p.code) - end)
		}
	}
}

// repeated reads an atom and its repetition.
func (p *pattern) repeated() {
	start := len(p.code)
	p.atom()
	low, high, ok := p.quantifier()
	if !ok || p.fault != "" {
		return
	}
	code := append([]instruction(nil), p.code[start:]...)
	p.code = p.code[:start]
	for i := 0; i < low && p.fault == ""; i++ {
		p.emit(code)
	}
	for i := low; i < high && p.fault == ""; i++ {
		p.split(len(code) + 1)
		p.emit(code)
	}
	if high < 0 {
		p.split(len(code) + 2)
		p.emit(code)
		p.emit([]instruction{jump(-len(code) - 1)})
	}
	if !p.accept("?") {
		p.accept("+")
	}
	if _, _, again := p.quantifier(); again {
		p.fail("multiple repeat")
	}
}

// quantifier reads a repetition, if there is one. high is -1 for any number.
func (p *pattern) quantifier() (low, high int, ok bool) {
	switch {
	case p.accept("*"):
		return 0, -1, true
	case p.accept("+"):
		return 1, -1, true
	case p.accept("?"):
		return 0, 1, true
	}
	from := p.at
	if !p.accept("{") {
		return 0, 0, false
	}
	low, some := p.number()
	high = low
	if p.accept(",") {
		var limited bool
		if high, limited = p.number(); !limited {
			high = -1
		}
		some = some || limited
	}
	switch {
	case !some || !p.accept("}"): // a brace
		p.at = from
		return 0, 0, false
	case low > maxProgram || high > maxProgram:
		p.fail("too many repetitions")
	case high >= 0 && high < low:
		p.fail("min repeat greater than max repeat")
	}
	return low, high, true
}

func (p *pattern) number() (n int, ok bool) {
	for p.at < len(p.source) && '0' <= p.source[p.at] && p.source[p.at] <= '9' {
		n, ok = min(n*10+int(p.source[p.at]-'0'), maxProgram+1), true
		p.at++
	}
	return n, ok
}

// atom reads a character, a set, an assertion or a group.
func (p *pattern) atom() {
	switch c := p.character(); c {
	case '(':
		p.group()
	case '[':
		p.set()
	case '.':
		p.emitSet(true, []rune{'\n', '\n'})
	case '^':
		p.assert(opStart, false)
	case '$':
		p.assert(opEnd, false)
	case '*', '+', '?':
		p.at--
		p.fail("nothing to repeat")
	case '\\':
		switch {
		case p.accept("A"):
			p.assert(opStart, false)
		case p.accept("Z"):
			p.assert(opEnd, false)
		case p.accept("b"):
			p.assert(opBoundary, false)
		case p.accept("B"):
			p.assert(opBoundary, true)
		default:
			p.emitSet(false, p.escape())
		}
	default:
		p.emitSet(false, []rune{c, c})
	}
}

// group reads the rest of a group. Of flags only "x" would change what matches.
func (p *pattern) group() {
	if p.depth++; p.depth > maxGroups {
		p.fail("too many groups inside each other")
	}
	switch {
	case !p.accept("?"), p.accept(":"):
	case p.accept("P<"):
		p.skip('>')
	case p.accept("#"):
		if p.skip(')'); p.fault == "" {
			p.depth--
			return
		}
	default:
		for p.at < len(p.source) && isFlag(p.source[p.at]) {
			p.at++
		}
		if p.accept(")") {
			p.depth--
			return
		}
		if !p.accept(":") {
			p.fail("lookarounds, references to groups and the flag x are not supported here")
		}
	}
	if p.alternatives(); !p.accept(")") {
		p.fail("missing ), unterminated subpattern")
	}
	p.depth--
}

func isFlag(c byte) bool {
	return c == 'a' || c == 'i' || c == 'L' || c == 'm' || c == 's' || c == 'u' || c == '-'
}

// skip skips the pattern up to the next character end.
func (p *pattern) skip(end rune) {
	for p.at < len(p.source) {
		if p.character() == end {
			return
		}
	}
	p.fail("unterminated group")
}

// set reads the rest of a set of characters.
func (p *pattern) set() {
	not, set := p.accept("^"), []rune(nil)
	for first := true; ; first = false {
		switch {
		case p.at == len(p.source):
			p.fail("unterminated character set")
			return
		case !first && p.accept("]"):
			p.emitSet(not, set)
			return
		}
		from := p.member()
		if p.at+1 < len(p.source) && p.source[p.at] == '-' && p.source[p.at+1] != ']' {
			p.at++
			to := p.member()
			if len(from) != 2 || len(to) != 2 || from[0] != from[1] || to[0] != to[1] || to[0] < from[0] {
				p.fail("bad character range")
				return
			}
			from[1] = to[0]
		}
		set = append(set, from...)
	}
}

// member reads a character in a set, or an escape.
func (p *pattern) member() []rune {
	c := p.character()
	switch {
	case c != '\\':
		return []rune{c, c}
	case p.accept("b"):
		return []rune{'\b', '\b'}
	}
	return p.escape()
}

// escape reads the rest of an escape. Characters that are not ASCII count as letters.
func (p *pattern) escape() []rune {
	if p.at == len(p.source) {
		p.fail("bad escape (end of pattern)")
		return nil
	}
	c := p.character()
	switch c {
	case 'd', 'D':
		return complement([]rune{'0', '9'}, c == 'D')
	case 'w', 'W':
		letters := []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z', utf8.RuneSelf, utf8.MaxRune}
		return complement(letters, c == 'W')
	case 's', 'S':
		return complement([]rune{'\t', '\r', ' ', ' '}, c == 'S')
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	default:
		if c < utf8.RuneSelf && c != '_' && isWord(c) {
			p.fail("escape not supported here: \\" + string(c))
		}
	}
	return []rune{c, c}
}

// complement returns set, or if not is true, all other characters. set is in order.
func complement(set []rune, not bool) []rune {
	if !not {
		return set
	}
	var rest []rune
	from := rune(0)
	for i := 0; i < len(set); i += 2 {
		if set[i] > from {
			rest = append(rest, from, set[i]-1)
		}
		from = set[i+1] + 1
	}
	return append(rest, from, utf8.MaxRune+1)
}

func isWord(c rune) bool {
	small := lower(c)
	return '0' <= c && c <= '9' || 'a' <= small && small <= 'z' || c == '_' || c >= utf8.RuneSelf
}

// matches reports whether the pattern matches anywhere in text. After maxSteps in all texts so far
// it returns false.
func (p *pattern) matches(text string) bool {
	p.matched, p.next = false, p.next[:0]
	p.tick++
	p.enter(0, text, 0)
	for at := 0; at < len(text) && !p.matched && p.steps <= maxSteps; {
		c, n := utf8.DecodeRuneInString(text[at:])
		at += n
		p.now, p.next = p.next, p.now[:0]
		p.tick++
		for _, state := range p.now {
			i := &p.code[state]
			p.steps += 1 + len(i.set)/longSet
			if i.holds(c) {
				p.enter(state+1, text, at)
			}
		}
		p.enter(0, text, at)
	}
	return p.matched
}

// enter adds to next the states that the program reaches from state, before the character of text
// at index at.
func (p *pattern) enter(state int, text string, at int) {
	p.stack = append(p.stack[:0], state)
	for len(p.stack) > 0 {
		state := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		if p.seen[state] == p.tick {
			continue
		}
		p.seen[state] = p.tick
		p.steps++
		goesOn := false
		switch i := &p.code[state]; i.op {
		case opMatch:
			p.matched = true
		case opSet:
			p.next = append(p.next, state)
		case opSplit:
			p.stack = append(p.stack, state+i.a, state+i.b)
		case opStart:
			goesOn = at == 0 || text[at-1] == '\n'
		case opEnd:
			goesOn = at == len(text) || text[at] == '\n'
		case opBoundary:
			before := at > 0 && isWord(rune(text[at-1]))
			after := at < len(text) && isWord(rune(text[at]))
			goesOn = before != after != i.not
		}
		if goesOn {
			p.stack = append(p.stack, state+1)
		}
	}
}

// holds reports whether a character is in the set of an instruction, in either case.
func (i *instruction) holds(c rune) bool {
	small := lower(c)
	capital := small
	if 'a' <= small && small <= 'z' {
		capital -= 'a' - 'A'
	}
	for k := 0; k < len(i.set); k += 2 {
		if i.set[k] <= small && small <= i.set[k+1] || i.set[k] <= capital && capital <= i.set[k+1] {
			return !i.not
		}
	}
	return i.not
}
