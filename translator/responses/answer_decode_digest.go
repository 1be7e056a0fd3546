package responses

import (
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// digest stands for a text that has gone out already, in place of the text itself: what is said to be the whole of it later must
// begin with it. The same text can be escaped and cut in many ways, so it counts what the escapes stand for, in units of
// UTF-16. Space that servers add or take away in the whole does not count.
type digest struct {
	units int
	solid int    // of them, without space
	sum   uint64 // of those
}

func (d *digest) add(e ir.Escaped) {
	for i := 0; i < len(e); {
		if c := e[i]; c < utf8.RuneSelf && c != '\\' {
			d.unit(uint32(c))
			i++
		} else {
			i += d.step(e[i:])
		}
	}
}

// rest returns what whole has behind the text. ok is false where whole is another text.
func (d *digest) rest(whole ir.Escaped) (rest ir.Escaped, ok bool) {
	var w digest
	i := 0
	for i < len(whole) && w.units < d.units {
		i += w.step(whole[i:])
	}
	if w == *d {
		return whole[i:], true
	}
	w.add(whole[i:])
	return "", w.solid == d.solid && w.sum == d.sum
}

// step takes the character that e begins with, and returns its length there.
func (d *digest) step(e ir.Escaped) (n int) {
	c := e[0]
	switch {
	case c == '\\' && len(e) > 1:
		u, n := jsonw.UnitAt(e)
		d.unit(uint32(u))
		return n
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
	if u > ' ' {
		d.solid++
		d.sum = (d.sum ^ uint64(u)) * 1099511628211
	}
}
