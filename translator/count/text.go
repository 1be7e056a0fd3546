package count

import (
	"unicode/utf8"

	"edgelingua/translator/jsonw"
)

// text estimates one text. It follows how o200k_base cuts a text before it looks at its vocabulary (tiktoken, openai_public.py):
//
//   - a word, with one character in front that is neither letter, digit nor line break, and with an English contraction behind
//     it; an upper-case letter behind a lower-case one begins a new word;
//   - one to three digits;
//   - a run of other characters, with a space in front and the line breaks behind it;
//   - white space up to its last line break, and what is left of it but for the character that goes with the next word.
//
// A piece is mostly one token. What it takes more, in the mean, is known for its kind and length: RATIONALE.md says from what.
type text struct {
	cost    int64 // in hundredths of a token
	run     class // what is being read: white for lines too, lower for a word
	size    int64 // of the run in characters; of white space only what is behind its last line break
	changes int64 // of a run of marks: how many differ from the one before
	rare    int64 // of a word: letters that English does not have
	capital int64 // of a word: upper-case letters
	lines   bool  // of white space: it has line breaks that no marks have taken
	lead    lead  // what goes with the run in front
	noise   bool  // letters and digits follow each other
	foreign int   // so many words more are taken for another language than English
	last    rune
	was     class // of last
	before  class // the run before
}

// lead is what stands in front of a piece and goes with it.
type lead uint8

const (
	nothing lead = iota
	blank
	joint      // a mark that is in the vocabulary together with many words
	stranger   // any other mark
	apostrophe // behind a word
)

// foreign words follow a letter that English does not have.
const foreign = 24

// add takes the next character.
func (t *text) add(r rune) {
	c := classOf(r)
	switch c {
	case line:
		switch {
		case t.run == white:
			t.lines = t.lines || t.size > 0 // else a run of marks has taken it
		case t.run == mark:
			t.begin(white, c)
		default:
			t.begin(white, c)
			t.lines = true
		}
		t.size = 0
	case white:
		t.goOn(white, c)
		t.size++
	case digit:
		t.goOn(digit, c)
		t.size++
	case mark:
		t.goOn(mark, c)
		if t.size == 0 || r != t.last {
			t.changes++
		}
		t.size++
	case lower, upper, accented, letter:
		if t.run != lower || c == upper && t.was == lower {
			t.begin(lower, c)
		}
		t.size++
		switch c {
		case upper:
			t.capital++
		case accented:
			t.foreign = foreign
			t.rare++
		case letter:
			t.rare++
		}
	default:
		t.goOn(c, c)
		t.size++
	}
	t.last, t.was = r, c
}

// goOn begins a run unless it is already being read.
func (t *text) goOn(run, next class) {
	if t.run != run {
		t.begin(run, next)
	}
}

// begin ends the run before a character of class next, and begins another one.
func (t *text) begin(run, next class) {
	goes := nothing
	switch t.run {
	case white:
		goes = t.space(next)
		t.noise = false
	case digit:
		t.cost += (t.size + 2) / 3 * 100
		t.noise = next >= lower
	case mark:
		if goes = t.marks(next); goes == nothing {
			t.cost += 100 + 30*max(0, t.changes-2)
		}
		t.noise = false
	case lower:
		t.word()
	default:
		t.cost += t.run.each() * t.size
		if t.lead == blank {
			t.cost += 25
		}
	}
	t.before, t.run, t.lead = t.run, run, goes
	t.size, t.changes, t.rare, t.capital, t.lines = 0, 0, 0, 0, false
}

// space adds white space, and returns what of it goes with the next piece.
func (t *text) space(next class) (goes lead) {
	if t.lines {
		t.cost += 100
	}
	switch {
	case t.size == 0:
		return nothing
	case t.last == ' ' && (next == mark || next >= lower):
		t.size--
		goes = blank
	case lower <= next && next <= letter:
		t.size--
		goes = joint
	case t.size > 1 && next != none:
		t.cost += 100
	}
	if t.size > 0 {
		t.cost += 100
	}
	return goes
}

// marks returns what a run of marks is to the next piece: only a single one goes with it, and only with a word.
func (t *text) marks(next class) lead {
	if t.size > 1 || t.lead == blank || next < lower || next > letter {
		return nothing
	}
	switch t.last {
	case '\'':
		if t.before == lower {
			return apostrophe
		}
	case '.', '(', '_', '#':
		return joint
	}
	return stranger
}

// word adds a word. The longer it is the less likely it is in the vocabulary; behind a space, where most words stand, it is
// more likely, behind a mark less.
func (t *text) word() {
	n := t.size
	switch {
	case t.lead == apostrophe && n <= 2: // 's, 't, 're
		return
	case t.rare > 0:
		t.cost += 100 + 23*max(0, n-3)
	case t.foreign > 0 && t.lead == blank:
		t.cost += 100 + 14*max(0, n-4)
	case t.foreign > 0:
		t.cost += 100 + 20*max(0, n-3)
	case t.lead == blank:
		t.cost += 100 + n + 6*max(0, n-7)
	case t.lead == nothing:
		t.cost += 98 + 2*n + 14*max(0, n-7)
	default:
		t.cost += 96 + 6*n + 19*max(0, n-7)
	}
	if t.lead == stranger {
		t.cost += 45
	}
	if t.capital == n {
		t.cost += 15 * max(0, n-3)
	}
	if t.noise {
		t.cost += 45 * max(0, n-2)
	}
	if t.foreign > 0 {
		t.foreign--
	}
}

// json adds a JSON value, and ends it. The space between its tokens is the client's: models are shown values without.
func (t *text) json(v jsonw.Raw) {
	quoted := false
	for i := 0; i < len(v); {
		r, n := rune(v[i]), 1
		switch {
		case r == '"':
			quoted = !quoted
		case r == '\\' && i+1 < len(v):
			t.add(r)
			i++
			r = rune(v[i])
		case r <= ' ' && !quoted:
			i++
			continue
		}
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(string(v[i:]))
		}
		t.add(r)
		i += n
	}
	t.end()
}

// escaped adds a text that is escaped, and ends it.
func (t *text) escaped(s jsonw.Escaped) {
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		switch {
		case r == '\\':
			var unit uint16
			unit, n = jsonw.UnitAt(s[i:])
			r = rune(unit)
			if r&0xFC00 == 0xDC00 { // the second half of a pair
				i += n
				continue
			}
		case r >= utf8.RuneSelf:
			r, n = utf8.DecodeRuneInString(string(s[i:]))
		}
		t.add(r)
		i += n
	}
	t.end()
}

// end ends a text.
func (t *text) end() {
	t.begin(none, none)
	t.before, t.foreign = none, 0
}
