package chat

import "edgelingua/translator/ir"

// object finds the end of a JSON object that comes in pieces, each the inside of a JSON string. It
// does not validate the object.
type object struct {
	state state
	depth int32
	start byte // the first character other than white space
	first byte // the first character of the first string, which is a key
	last  byte // the last character outside strings, white space aside; after a string its opening quote
	more  byte // the first character after the object's end, white space aside
}

// state is the position of the next character in an object.
type state uint8

const (
	unbegun  state = iota // before the object: no piece has come
	outside               // outside of strings
	atFirst               // directly after the quote that begins the first string
	quoted                // inside a string
	escaped               // after a backslash in a string
	complete              // after the end of the object
)

// read reads the next piece, which never ends inside an escape. It returns false if something other
// than white space follows the object's end.
func (o *object) read(e ir.Escaped) bool {
	if o.state == unbegun {
		o.state = outside
	}
	for i := 0; i < len(e); i++ {
		c := e[i]
		if c == '\\' && i+1 < len(e) {
			i++
			switch c = e[i]; c {
			case 'n', 'r', 't', 'b', 'f':
				c = ' '
			case 'u':
				c = ascii(e[i+1:])
				i += 4
			}
		}
		if o.state != complete {
			o.step(c)
		} else if c > ' ' {
			if o.more == 0 {
				o.more = c
			}
			return false
		}
	}
	return true
}

// ascii returns the character of four hexadecimal digits, or 'x' for a character that can't be
// syntax.
func ascii(digits ir.Escaped) byte {
	if len(digits) < 4 || digits[:2] != "00" || digits[2] > '7' {
		return 'x'
	}
	low := digits[3] | 0x20
	if low >= 'a' {
		return (digits[2]-'0')<<4 | (low - 'a' + 10)
	}
	return (digits[2]-'0')<<4 | (digits[3] - '0')
}

// step reads one character of the object.
func (o *object) step(c byte) {
	if o.state == atFirst {
		o.first, o.state = c, quoted
	}
	switch o.state {
	case escaped:
		o.state = quoted
	case quoted:
		switch c {
		case '\\':
			o.state = escaped
		case '"':
			o.state = outside
			if o.depth == 0 { // a string instead of the object
				o.state = complete
			}
		}
	default:
		if c > ' ' {
			o.last = c
			if o.start == 0 {
				o.start = c
			}
		}
		switch c {
		case '"':
			o.state = quoted
			if o.first == 0 {
				o.state = atFirst
			}
		case '{', '[':
			o.depth++
		case '}', ']':
			o.depth--
			if o.depth <= 0 {
				o.state = complete
			}
		}
	}
}

// following says whether JSON allows one object directly after a piece of another object.
type following uint8

const (
	cannotFollow following = iota
	mayFollow
	isFollowing
)

// follow says whether e, which begins with the whole text so far, could also continue the object
// after that text. If the text ends outside strings, a value must be due at its end. If it ends
// inside a string, the first quote of e would end that string, and the first character of e's first
// key would be syntax. Keys that begin with syntax don't occur, so e then continues the object.
func (o *object) follow(e ir.Escaped) following {
	switch o.state {
	case outside:
		if o.last == ':' || o.last == '[' || o.last == ',' {
			return mayFollow
		}
	case atFirst, quoted:
		var p object
		p.read(e)
		switch p.first {
		case 0, ' ', ',', ':', ']', '}':
			return isFollowing
		}
	}
	return cannotFollow
}
