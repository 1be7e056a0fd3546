package responses

import (
	"unicode/utf8"

	"edgelingua/translator/ir"
)

// digest stands for a text that has gone out already, in place of the text itself: what is said to be the whole of it later must
// begin with it. The same text can be escaped and cut in many ways, so it counts what the escapes stand for, in units of
// UTF-16.
type digest struct {
	units    int
	sum      uint64
	solid    int // without what is space
	solidSum uint64
}

func (d *digest) add(e ir.Escaped) {
	for i := 0; i < len(e); {
		i += d.step(e[i:])
	}
}

// rest returns what whole has behind the text. Space that servers add or take away in the whole does not count. ok is false
// where whole is another text.
func (d *digest) rest(whole ir.Escaped) (rest ir.Escaped, ok bool) {
	var w digest
	i := 0
	for i < len(whole) && w.units < d.units {
		i += w.step(whole[i:])
	}
	if w.units == d.units && w.sum == d.sum {
		return whole[i:], true
	}
	w.add(whole[i:])
	return "", w.solid == d.solid && w.solidSum == d.solidSum
}

// step takes the character that e begins with, and returns its length there.
func (d *digest) step(e ir.Escaped) (n int) {
	c := e[0]
	switch {
	case c == '\\' && len(e) > 1:
		if e[1] == 'u' && len(e) >= 6 {
			d.unit(hexUnit(e[2:6]))
			return 6
		}
		d.unit(escapedUnit(e[1]))
		return 2
	case c < utf8.RuneSelf:
		d.unit(uint32(c))
		return 1
	}
	r, n := utf8.DecodeRuneInString(string(e))
	if r > 0xFFFF {
		r -= 0x10000
		d.unit(0xD800 | uint32(r)>>10)
		r = 0xDC00 | r&0x3FF
	}
	d.unit(uint32(r))
	return n
}

// unit takes one unit, by FNV-1a.
func (d *digest) unit(u uint32) {
	d.units++
	d.sum = (d.sum ^ uint64(u)) * 1099511628211
	if u > ' ' {
		d.solid++
		d.solidSum = (d.solidSum ^ uint64(u)) * 1099511628211
	}
}

// escapedUnit returns what a backslash and c stand for.
func escapedUnit(c byte) uint32 {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return uint32(c)
}

func hexUnit(digits ir.Escaped) (u uint32) {
	for i := 0; i < len(digits); i++ {
		c := uint32(digits[i])
		if c > '9' {
			c = c | 0x20 - 'a' + 10 + '0'
		}
		u = u<<4 | (c-'0')&15
	}
	return u
}
