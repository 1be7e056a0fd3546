package jsonr

import (
	"strings"

	"edgelingua/translator/jsonw"
)

// LastMember returns the value of the last member of an object with a key, the one that readers of JSON go by, and where in text it
// begins. text may be anything; ok is false where it is no object. value is "" where there is no such member.
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

// LastText returns the text of the value that LastMember returns, without escapes, "" where that is no string. It is a copy.
func LastText(text, key string) string {
	value, _, _ := LastMember(text, key)
	e, _ := Text(value)
	return strings.Clone(jsonw.Unescape(e))
}

// Shows reports whether text, which may be anything, holds a key somewhere with a value that begins so, whatever space stands around
// the colon between them. It looks for bytes, also inside of strings.
func Shows(text, key, value string) bool {
	for {
		at := strings.Index(text, key)
		if at < 1 {
			return false
		}
		quoted := text[at-1] == '"'
		text = text[at+len(key):]
		rest, ok := strings.CutPrefix(text, `"`)
		if !ok || !quoted {
			continue
		}
		if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t\r\n"), ":"); ok && strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), value) {
			return true
		}
	}
}
