package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// thinking cuts the reasoning out of a content that begins with it, as <think>...</think>: servers that know no reasoning hand
// through what the model writes. Space in front of the tags, and behind either of them, is left out. The tags may be escaped, and
// cut anywhere.
type thinking struct {
	place place
	part  []byte // what may be the beginning of a tag, or the space in front of one
}

// place is where in the content the cut is.
type place uint8

const (
	beforeThinking place = iota
	atThinking           // in the space behind the first tag
	inThinking
	behindThinking // in the space behind the last one
	noThinking
)

const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
	maxSpace   = 256 // bytes in front of the first tag
)

// content takes a piece of content.
func (d *decoder) content(e ir.Escaped) {
	if !d.target.ThinkTags || d.think.place == noThinking {
		d.text(e)
		return
	}
	t := &d.think
	if len(t.part) > 0 {
		t.part = append(t.part, e...)
		e = jsonw.View(t.part)
	}
	rest := d.cut(e)
	t.part = append(t.part[:0], rest...) // append moves within the same array where e is a view of it
}

// cut yields what e holds for sure, and returns what needs more to be known.
func (d *decoder) cut(e ir.Escaped) (rest ir.Escaped) {
	t := &d.think
	if t.place == beforeThinking {
		space := spaceAt(e)
		n, matched := tagAt(e[space:], thinkBegin)
		switch {
		case space > maxSpace || !matched && space+n < len(e):
			t.place = noThinking
			d.text(e)
			return ""
		case !matched:
			return e
		}
		e, t.place = e[space+n:], atThinking
	}
	if t.place == atThinking {
		if e = e[spaceAt(e):]; e == "" {
			return ""
		}
		t.place = inThinking
	}
	if t.place == inThinking {
		end, n, matched := findTag(e, thinkEnd)
		d.thought(e[:end])
		if !matched {
			return e[end:]
		}
		e, t.place = e[end+n:], behindThinking
	}
	if e = e[spaceAt(e):]; e != "" {
		t.place = noThinking
		d.text(e)
	}
	return ""
}

// settle yields what was held: no tag follows.
func (d *decoder) settle() {
	t := &d.think
	if len(t.part) == 0 {
		return
	}
	if t.place == inThinking {
		d.thought(jsonw.View(t.part))
	} else {
		t.place = noThinking
		d.text(jsonw.View(t.part))
	}
	t.part = t.part[:0]
}

// thought yields a piece of reasoning.
func (d *decoder) thought(e ir.Escaped) {
	if e != "" {
		d.add(ir.ReasoningBlock, e)
	}
}

// text yields a piece of the answer's text.
func (d *decoder) text(e ir.Escaped) {
	if e != "" {
		d.add(ir.TextBlock, e)
	}
}

// findTag returns where in e a tag begins, or what may be the beginning of one, or the end of e; and how long it is.
func findTag(e ir.Escaped, tag string) (at, n int, matched bool) {
	for at < len(e) {
		if n, matched = tagAt(e[at:], tag); matched || at+n == len(e) {
			return at, n, matched
		}
		at += charAt(e[at:])
	}
	return len(e), 0, false
}

// spaceAt returns how much space e begins with.
func spaceAt(e ir.Escaped) (n int) {
	for n < len(e) {
		switch {
		case e[n] == ' ':
			n++
		case e[n] == '\\' && n+1 < len(e) && (e[n+1] == 'n' || e[n+1] == 'r' || e[n+1] == 't'):
			n += 2
		default:
			return n
		}
	}
	return n
}

// tagAt returns how much of e is the beginning of a tag, and whether that is all of it. Where it breaks off before the end of e
// it is none.
func tagAt(e ir.Escaped, tag string) (n int, matched bool) {
	for i := 0; i < len(tag); i++ {
		if n == len(e) {
			return n, false
		}
		size := charAt(e[n:])
		c := e[n]
		if size == 6 {
			c = ascii(e[n+2:])
		}
		if c != tag[i] && !(tag[i] == '/' && e[n:n+size] == `\/`) {
			return n, false
		}
		n += size
	}
	return n, true
}

// charAt returns the length of the first character of e, which is not empty, as it is escaped.
func charAt(e ir.Escaped) int {
	switch {
	case e[0] != '\\' || len(e) == 1:
		return 1
	case e[1] == 'u' && len(e) >= 6:
		return 6
	}
	return 2
}
