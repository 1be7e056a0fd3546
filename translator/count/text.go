package count

import (
	"unicode/utf8"

	"edgelingua/translator/jsonw"
)

// text estimates one text. It follows how o200k_base cuts a text before it looks at its vocabulary
// (tiktoken, openai_public.py):
//
//   - a word, with one character in front that is neither letter, digit nor line break, and with an
//     English contraction behind it; an upper-case letter behind a lower-case one begins a new
//     word;
//   - one to three digits;
//   - a run of other characters, with a space in front and the line breaks behind it;
//   - white space up to its last line break, and what is left of it but for the character that goes
//     with the next word.
//
// Most pieces are one token. How many more a piece takes in the mean, by its kind and length, was
// measured: RATIONALE.md says on what texts.
type text struct {
	cost int64 // of all pieces so far, in hundredths of a token
	// the class of the piece that is being read: white for line breaks too, lower for every word
	run     class
	size    int64 // how many characters the piece has; of white space those behind its last line break
	changes int64 // in a piece of marks: how many differ from the mark in front
	rare    int64 // in a word: how many letters English does not have
	capital int64 // in a word: how many letters are upper-case
	lines   bool  // white space has line breaks that do not belong to a piece of marks
	lead    lead  // what belongs to the piece of what stands in front of it
	noise   bool  // letters and digits take turns, as in an id
	foreign int   // so many words more are taken for another language than English
	last    rune  // the last character
	was     class // the class of last
	before  class // the class of the piece before
}

// lead is what belongs to a piece of what stands in front of it.
type lead uint8

const (
	nothing lead = iota
	blank
	joint      // a mark with which the vocabulary has many words
	stranger   // any other mark
	apostrophe // an apostrophe behind a word
)

// foreign is how many words behind a letter that English does not have are taken for another language.
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

// goOn begins a piece of a class, unless such a piece is being read.
func (t *text) goOn(run, next class) {
	if t.run != run {
		t.begin(run, next)
	}
}

// begin ends the piece in front of a character of class next, and begins a piece of class run.
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

// space adds a piece of white space, and returns what of it belongs to the next piece.
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

// marks returns what of a piece of marks belongs to the next piece: a single mark to a word,
// otherwise nothing.
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

// word adds a word. A long word is less likely to be in the vocabulary than a short one. A word
// behind a space, where most words stand, is more likely to be there than one behind a mark.
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

// json adds the text of a JSON value. The space between its tokens does not count: upstreams show a
// model the value without it.
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

// escaped adds a text that is escaped.
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

// end ends a text: nothing of it belongs to what is added next.
func (t *text) end() {
	t.begin(none, none)
	t.before, t.foreign = none, 0
}
