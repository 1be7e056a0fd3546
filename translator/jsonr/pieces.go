package jsonr

import "edgelingua/translator/jsonw"

// Pieces checks whether a text that arrives in pieces is one JSON object, by the rules of Check.
// Each piece is the inside of a JSON string, and must not end within an escape. The zero value is
// ready for use.
type Pieces struct {
	state   position
	after   position // the state after the current string
	word    string   // in state inWord: the missing rest of true, false or null
	depth   int
	objects [MaxDepth / 64]uint64 // bit d-1: the container at depth d is an object
}

// position is the position of the next character in the object's grammar.
type position uint8

const (
	begin      position = iota // before the object
	firstKey                   // after {: a key, or }
	key                        // after a comma in an object
	colon                      // after a key
	firstValue                 // after [: a value, or ]
	value
	afterValue
	inString
	inEscape // after a backslash in a string
	inHex    // after \u in a string; the next three are after one, two and three digits
	_
	_
	_
	inWord
	minus // in a number: after its sign
	zero  // after a leading 0
	integer
	point
	fraction
	exponent // after e
	sign     // after the sign of an exponent
	power
	whole  // after the object
	broken // not an object
)

// Add reads the next piece. It keeps no reference to e.
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

// IsWhole reports whether all pieces together are exactly one object.
func (o *Pieces) IsWhole() bool { return o.state == whole }

// IsBlank reports whether all pieces so far are empty or space.
func (o *Pieces) IsBlank() bool { return o.state == begin }

// step reads a character outside of strings, or one that is part of an escape.
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
				o.state = afterValue
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
		s == afterValue && (c == '}') == o.inObject() && (c == '}' || c == ']'):
		o.depth--
		if next = afterValue; o.depth == 0 {
			next = whole
		}
	case s == afterValue && c == ',':
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

// open enters a container.
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

// value reads the first character of a value.
func (o *Pieces) value(c byte) {
	switch {
	case c == '{' || c == '[':
		o.open(c)
	case c == '"':
		o.after, o.state = afterValue, inString
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

// number reads a character of a number. It returns false if the number has ended before c.
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
		o.state = afterValue
		return false
	}
	o.state = next
	return true
}
