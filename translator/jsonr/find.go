package jsonr

import (
	"strings"

	"edgelingua/translator/jsonw"
)

// LastMember returns the value of an object's last member with a key, which is the one that most
// readers of JSON take, and the index in text at which the value begins. text may be anything: ok
// is false where it is no object, and value is "" where there is no such member.
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

// LastText returns the string that LastMember finds, without its escapes, "" where the value is no
// string. It is a copy.
func LastText(text, key string) string {
	value, _, _ := LastMember(text, key)
	e, _ := Text(value)
	return strings.Clone(jsonw.Unescape(e))
}

// Shows reports whether text, which may be anything, holds key, which has its quotes, before a
// colon and then value, or a value that begins with it, with any space around the colon. It looks
// for bytes, also inside of strings.
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
