package page

import "strings"

// white is the white space of HTML.
const white = " \t\r\n\f"

// read reads the tags and texts of a page, as far as the text needs them (HTML, "13.2.5
// Tokenization"). It reads each byte once or twice. A tag or a comment without an end extends to
// the end of the page.
func (p *page) read(s string) {
	for s != "" && !p.full {
		before, rest, found := strings.Cut(s, "<")
		p.said(before)
		if !found {
			return
		}
		switch {
		case strings.HasPrefix(rest, "!--"):
			_, s, _ = strings.Cut(rest[1:], "-->")
		case strings.HasPrefix(rest, "!"), strings.HasPrefix(rest, "?"):
			_, s, _ = strings.Cut(rest, ">")
		case len(rest) > 1 && rest[0] == '/' && isLetter(rest[1]):
			var name string
			name, rest = cutName(rest[1:])
			_, s, _ = strings.Cut(rest, ">")
			p.end(name)
		case rest != "" && isLetter(rest[0]):
			var t tag
			t.name, rest = cutName(rest)
			s = t.attributes(rest)
			p.begin(&t)
			if isRaw(t.name) {
				text, behind := cutRaw(s, t.name)
				p.said(text)
				s = behind
			}
		default:
			p.said("<")
			s = rest
		}
	}
}

// cutName cuts off the name of a tag, in lower case.
func cutName(s string) (name, rest string) {
	end := strings.IndexAny(s, white+"/>")
	if end < 0 {
		end = len(s)
	}
	return strings.ToLower(s[:end]), s[end:]
}

// attributes reads the attributes of a start tag, up to its end, and returns the rest of the page.
func (t *tag) attributes(s string) (rest string) {
	for {
		s = strings.TrimLeft(s, white)
		t.closed = strings.HasPrefix(s, "/>")
		s = strings.TrimLeft(s, white+"/")
		switch {
		case s == "":
			return ""
		case s[0] == '>':
			return s[1:]
		}
		end := strings.IndexAny(s[1:], white+"/>=") + 1
		if end == 0 {
			return ""
		}
		name, value := s[:end], ""
		s = strings.TrimLeft(s[end:], white)
		if strings.HasPrefix(s, "=") {
			value, s = cutValue(strings.TrimLeft(s[1:], white))
		}
		t.attribute(name, value)
	}
}

// cutValue cuts off the value of an attribute.
func cutValue(s string) (value, rest string) {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		value, rest, _ = strings.Cut(s[1:], s[:1])
		return value, rest
	}
	end := strings.IndexAny(s, white+">")
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}

// isRaw reports whether an element contains no tags except its own end tag.
func isRaw(name string) bool {
	switch name {
	case "script", "style", "title", "textarea", "noscript", "iframe", "xmp", "noembed", "noframes":
		return true
	}
	return false
}

// cutRaw cuts off the text of such an element. rest begins with the end tag.
func cutRaw(s, name string) (text, rest string) {
	for at := 0; ; {
		next := strings.Index(s[at:], "</")
		if next < 0 {
			return s, ""
		}
		at += next + 2
		if end := at + len(name); end < len(s) && strings.EqualFold(s[at:end], name) &&
			strings.IndexByte(white+"/>", s[end]) >= 0 {
			return s[:at-2], s[at-2:]
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
