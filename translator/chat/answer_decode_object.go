package chat

import "edgelingua/translator/ir"

// object follows a JSON object that comes in pieces of an escaped string, to know where it ends. It does not validate.
type object struct {
	state state
	depth int32
	start byte // the first character that is no space
	first byte // the first character of the first string, which is a key
	last  byte // the last character outside of strings that is no space
}

// state is where in an object the next character stands.
type state uint8

const (
	unbegun  state = iota // in front of it: no piece has come
	outside               // outside of strings
	atFirst               // right behind the quote that begins the first string
	quoted                // inside a string
	escaped               // behind a backslash in a string
	complete              // behind the end
)

// read takes the next piece, which is the inside of a whole literal. It is false where something other than space follows
// the object's end.
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
			return false
		}
	}
	return true
}

// ascii returns the character that four hexadecimal digits stand for, where it is one that could be syntax, else 'x'.
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

// step takes one character of the object.
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
			if o.depth == 0 { // a string in place of the object
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

// following is whether JSON allows an object to stand where another one, which it repeats, is cut.
type following uint8

const (
	cannotFollow following = iota
	mayFollow
	isFollowing
)

// follow says whether e, which begins as the object does, may stand behind what there is of it. Outside of strings that needs a
// place for a value. In a string the first quote of e would end that, and the first character of its first key would have to be
// syntax; no such key is seen in practice, and that reading holds.
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
