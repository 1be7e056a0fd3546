package jsonr

import (
	"strings"

	"edgelingua/translator/jsonw"
)

// LastMember returns the value of the last member of an object with the given key, and the offset
// of the value in text. Of duplicate members, most JSON readers use the last. text need not be
// checked. If text is not an object, ok is false; if there is no such member, value is "". The
// value is a view of text.
func LastMember(text, key string) (value jsonw.Raw, at int, ok bool) {
	r := NewReader(text)
	if r.Kind() != Object {
		return "", 0, false
	}
	for r.OpenObject(); r.Member(); {
		if r.Key() == key {
			at = r.Offset()
			value = r.Value()
		}
	}
	return value, at, true
}

// LastText returns a copy of the string found by LastMember, unescaped, or "" if the value is not a
// string.
func LastText(text, key string) string {
	value, _, _ := LastMember(text, key)
	e, _ := Text(value)
	return strings.Clone(jsonw.Unescape(e))
}

// Shows reports whether text contains key, a colon, and a value that begins with the given value.
// key includes its quotes. Space around the colon is allowed. text need not be JSON: Shows compares
// bytes, even inside strings.
func Shows(text, key, value string) bool {
	const space = " \t\r\n"
	for {
		_, rest, found := strings.Cut(text, key)
		if !found {
			return false
		}
		text = rest
		if rest, found = strings.CutPrefix(strings.TrimLeft(rest, space), ":"); found &&
			strings.HasPrefix(strings.TrimLeft(rest, space), value) {
			return true
		}
	}
}
