package count

import (
	"unicode/utf8"

	"edgelingua/translator/jsonw"
)

// text estimates one text. It splits the text like o200k_base before the vocabulary is used
// (tiktoken, openai_public.py):
//
//   - a word, with one character before it that is neither letter, digit nor line break, and with an
//     English contraction after it; an upper-case letter after a lower-case one begins a new word;
//   - one to three digits;
//   - a run of other characters, with a space before it and the line breaks after it;
//   - white space up to its last line break, and the rest of the white space except the character
//     before the next word, which belongs to the word.
//
// Most pieces are one token. The average number of further tokens, by the kind and length of a
// piece, was measured: e2e/bench/MEASUREMENTS.md names the texts.
type text struct {
	cost int64 // of all pieces so far, in hundredths of a token
	// the class of the current piece: white for line breaks too, lower for every word
	run     class
	size    int64 // the number of characters in the piece; of white space, only after its last line break
	changes int64 // in a piece of marks: how many differ from the previous mark
	rare    int64 // in a word: how many letters are not English
	capital int64 // in a word: how many letters are upper-case
	lines   bool  // the white space has line breaks that do not belong to a piece of marks
	lead    lead  // the character before the piece, if part of it
	noise   bool  // letters and digits alternate, as in an id
	foreign int   // how many of the next words count as non-English
	last    rune  // the last character
	was     class // the class of last
	before  class // the class of the previous piece
}

// lead is the kind of a character before a piece that is part of the piece.
type lead uint8

const (
	nothing lead = iota
	blank
	joint      // a mark that begins many words of the vocabulary
	stranger   // any other mark
	apostrophe // an apostrophe after a word
)

// foreign is how many words after a non-English letter count as non-English.
const foreign = 24

// add reads the next character.
func (t *text) add(r rune) {
	c := classOf(r)
	switch c {
	case line:
		switch {
		case t.run == white:
			t.lines = t.lines || t.size > 0 // else the line break belongs to a run of marks
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

// goOn continues a piece of class run, or begins one if the current piece has another class.
func (t *text) goOn(run, next class) {
	if t.run != run {
		t.begin(run, next)
	}
}

// begin ends the piece before a character of class next, and begins a piece of class run.
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

// space adds a piece of white space, and returns its lead for the next piece.
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

// marks returns the lead for the next piece after a piece of marks: a single mark before a word,
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
// after a space, as most words, is more likely to be in the vocabulary than a word after a mark.
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

// json adds the text of a JSON value. Space between tokens does not count: upstreams show a model
// the value without space.
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

// escaped adds an escaped text.
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

// end ends a text: no character of the text belongs to the next one.
func (t *text) end() {
	t.begin(none, none)
	t.before, t.foreign = none, 0
}
