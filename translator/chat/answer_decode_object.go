package chat

import "edgelingua/translator/ir"

// object finds the end of a JSON object that comes in pieces, each the inside of a JSON string. It
// does not validate.
type object struct {
	state state
	depth int32
	start byte // the first character that is no space
	first byte // the first character of the first string, which is a key
	last  byte // the last character outside of strings that is no space; after a string its opening quote
	more  byte // the first character behind the object's end that is no space
}

// state is where in an object the next character stands.
type state uint8

const (
	unbegun  state = iota // in front of the object: no piece has come
	outside               // outside of strings
	atFirst               // right behind the quote that begins the first string
	quoted                // inside a string
	escaped               // behind a backslash in a string
	complete              // behind the end of the object
)

// read takes the next piece, which ends at no escape. It is false where something other than space
// follows the object's end.
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

// ascii returns the character that four hexadecimal digits stand for, 'x' for one that can't be syntax.
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

// following is whether JSON allows one object to stand right behind a piece of another one.
type following uint8

const (
	cannotFollow following = iota
	mayFollow
	isFollowing
)

// follow says whether e, which begins with all that has come of the object, could also be what
// follows that. Where the object is cut outside of strings, a value has to be due there. Where it
// is cut inside a string, the first quote of e would end the string, so that the first character of
// e's first key would be syntax. Keys that begin with syntax don't occur, so then e is what
// follows.
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
