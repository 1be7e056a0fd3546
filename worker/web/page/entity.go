package page

import "strings"

// entities has the frequent entities. All other entities stay in the text unchanged: a model can
// read them in source form.
var entities = [...][2]string{
	{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", `"`}, {"apos", "'"}, {"nbsp", " "}, {"copy", "©"},
	{"reg", "®"}, {"trade", "™"}, {"deg", "°"},
	{"hellip", "…"}, {"mdash", "—"}, {"ndash", "–"}, {"lsquo", "‘"}, {"rsquo", "’"}, {"ldquo", "“"},
	{"rdquo", "”"}, {"laquo", "«"}, {"raquo", "»"},
	{"bull", "•"}, {"middot", "·"}, {"times", "×"}, {"rarr", "→"}, {"larr", "←"}, {"euro", "€"},
	{"pound", "£"}, {"sect", "§"}, {"shy", ""},
	{"auml", "ä"}, {"ouml", "ö"}, {"uuml", "ü"}, {"Auml", "Ä"}, {"Ouml", "Ö"}, {"Uuml", "Ü"}, {"szlig", "ß"},
	{"eacute", "é"}, {"egrave", "è"},
	{"agrave", "à"}, {"ccedil", "ç"}, {"ntilde", "ñ"},
}

// unescape replaces the entities of a text.
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for {
		before, rest, more := strings.Cut(s, "&")
		b.WriteString(before)
		if !more {
			return b.String()
		}
		end := strings.IndexByte(rest[:min(len(rest), 10)], ';')
		if end > 0 {
			if text, ok := entity(rest[:end]); ok {
				b.WriteString(text)
				s = rest[end+1:]
				continue
			}
		}
		b.WriteByte('&')
		s = rest
	}
}

// entity returns the text of an entity. name has neither & nor ;.
func entity(name string) (text string, ok bool) {
	if number, ok := strings.CutPrefix(name, "#"); ok {
		base, digits := rune(10), number
		if number != "" && number[0]|0x20 == 'x' {
			base, digits = 16, number[1:]
		}
		n := rune(0)
		for _, c := range strings.ToLower(digits) {
			digit := strings.IndexRune("0123456789abcdef"[:base], c)
			if digit < 0 {
				return "", false
			}
			n = min(n*base+rune(digit), 0x110000) // 0x110000 is not a character
		}
		return string(n), digits != ""
	}
	for i := range entities {
		if entities[i][0] == name {
			return entities[i][1], true
		}
	}
	return "", false
}
