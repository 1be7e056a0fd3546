package jsonr

import "edgelingua/translator/jsonw"

// Pieces checks whether a text that comes in pieces is one JSON object by the rules of Check. Each
// piece is the inside of a JSON string and ends at no escape. The zero value is ready.
type Pieces struct {
	state   place
	after   place  // state behind the string that is read
	word    string // state inWord: what is still to come of true, false or null
	depth   int
	objects [MaxDepth / 64]uint64 // bit d-1: the container at depth d is an object
}

// place is where in the object the next character stands.
type place uint8

const (
	begin      place = iota // in front of the object
	firstKey                // behind {: a key, or }
	key                     // behind a comma in an object
	colon                   // behind a key
	firstValue              // behind [: a value, or ]
	value
	behindValue
	inString
	inEscape // behind a backslash in a string
	inHex    // behind \u in a string; the next three are behind one, two and three digits
	_
	_
	_
	inWord
	minus // of a number: behind its sign
	zero  // behind a leading 0
	integer
	point
	fraction
	exponent // behind e
	sign     // behind the sign of an exponent
	power
	whole  // behind the object
	broken // it is none
)

// Add takes the next piece.
func (o *Pieces) Add(e jsonw.Escaped) {
	for i := 0; i < len(e) && o.state != broken; {
		c, width := e[i], 1
		if c == '\\' {
			var unit uint16
			if unit, width = jsonw.UnitAt(e[i:]); unit < 0x80 {
				c = byte(unit)
			} else {
				c = 0x80
			}
		}
		i += width
		if o.state != inString {
			o.step(c)
		} else if c == '"' {
			o.state = o.after
		} else if c == '\\' {
			o.state = inEscape
		} else if c < ' ' {
			o.state = broken
		}
	}
}

// IsWhole reports whether all pieces together are one object.
func (o *Pieces) IsWhole() bool { return o.state == whole }

// IsBlank reports whether nothing but space has come.
func (o *Pieces) IsBlank() bool { return o.state == begin }

// step takes a character outside of a string's plain text.
func (o *Pieces) step(c byte) {
	if o.state >= minus && o.state <= power && o.number(c) {
		return
	}
	space := c == ' ' || c == '\t' || c == '\n' || c == '\r'
	next := broken
	switch s := o.state; {
	case s == inWord:
		if c == o.word[0] {
			if o.word = o.word[1:]; o.word == "" {
				o.state = behindValue
			}
			return
		}
	case s == inEscape:
		switch c {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			next = inString
		case 'u':
			next = inHex
		}
	case inHex <= s && s < inHex+4:
		if '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' {
			if next = s + 1; next == inHex+4 {
				next = inString
			}
		}
	case space:
		return
	case s == begin:
		if c == '{' {
			o.open(c)
			return
		}
	case (s == firstKey || s == key) && c == '"':
		o.after, next = colon, inString
	case s == colon && c == ':':
		next = value
	case s == firstKey && c == '}', s == firstValue && c == ']',
		s == behindValue && (c == '}') == o.inObject() && (c == '}' || c == ']'):
		o.depth--
		if next = behindValue; o.depth == 0 {
			next = whole
		}
	case s == behindValue && c == ',':
		if next = value; o.inObject() {
			next = key
		}
	case s == value || s == firstValue:
		o.value(c)
		return
	}
	o.state = next
}

// inObject reports whether the innermost container is an object.
func (o *Pieces) inObject() bool { return o.objects[(o.depth-1)/64]>>((o.depth-1)%64)&1 == 1 }

// open begins a container.
func (o *Pieces) open(c byte) {
	if o.depth == MaxDepth {
		o.state = broken
		return
	}
	mask := uint64(1) << (o.depth % 64)
	o.objects[o.depth/64] &^= mask
	o.state = firstValue
	if c == '{' {
		o.objects[o.depth/64] |= mask
		o.state = firstKey
	}
	o.depth++
}

// value takes the first character of a value.
func (o *Pieces) value(c byte) {
	switch {
	case c == '{' || c == '[':
		o.open(c)
	case c == '"':
		o.after, o.state = behindValue, inString
	case c == 't':
		o.word, o.state = "rue", inWord
	case c == 'f':
		o.word, o.state = "alse", inWord
	case c == 'n':
		o.word, o.state = "ull", inWord
	case c == '-':
		o.state = minus
	case c == '0':
		o.state = zero
	case '1' <= c && c <= '9':
		o.state = integer
	default:
		o.state = broken
	}
}

// number takes a character of a number. It returns false where the number has ended in front of c.
func (o *Pieces) number(c byte) bool {
	digit := '0' <= c && c <= '9'
	next := broken
	switch s := o.state; {
	case s == minus && c == '0':
		next = zero
	case (s == minus || s == integer) && digit:
		next = integer
	case (s == zero || s == integer) && c == '.':
		next = point
	case (s == point || s == fraction) && digit:
		next = fraction
	case (s == zero || s == integer || s == fraction) && c|0x20 == 'e':
		next = exponent
	case s == exponent && (c == '+' || c == '-'):
		next = sign
	case (s == exponent || s == sign || s == power) && digit:
		next = power
	case s == zero || s == integer || s == fraction || s == power:
		o.state = behindValue
		return false
	}
	o.state = next
	return true
}
