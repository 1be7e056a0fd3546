package chat

import "edgelingua/translator/ir"

// object follows a JSON object that comes in pieces of an escaped string, to know where it ends. It does not validate.
type object struct {
	depth   int32
	begun   bool
	quoted  bool // inside a string of the object
	escaped bool // behind a backslash in such a string
	keyed   bool // its first string has begun
	done    bool
	start   byte // the first character that is no space
	first   byte // the first character of the first string, which is a key
	last    byte // the last character outside of strings that is no space
}

// read takes the next piece, which is the inside of a whole literal. It is false where something other than space follows
// the object's end.
func (o *object) read(e ir.Escaped) bool {
	o.begun = true
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
		if !o.done {
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
	if o.keyed && o.first == 0 {
		o.first = c
	}
	if !o.quoted && c > ' ' {
		o.last = c
		if o.start == 0 {
			o.start = c
		}
	}
	switch {
	case o.escaped:
		o.escaped = false
	case o.quoted:
		switch c {
		case '\\':
			o.escaped = true
		case '"':
			o.quoted = false
			o.done = o.depth == 0 // a string in place of the object
		}
	case c == '"':
		o.quoted, o.keyed = true, true
	case c == '{' || c == '[':
		o.depth++
	case c == '}' || c == ']':
		o.depth--
		o.done = o.depth <= 0
	}
}
