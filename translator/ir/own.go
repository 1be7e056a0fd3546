package ir

import (
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// AppendOwn appends the members of an answer for clients of the answer's own API: see Event.Own.
func AppendOwn(dst []byte, own Raw) []byte {
	if own == "" {
		return dst
	}
	return appendOwn(dst, own)
}

//go:noinline
func appendOwn(dst []byte, own Raw) []byte { return append(append(dst, ','), own[1:]...) }

// AppendMissing completes the object in dst[from:], and objects inside, with members of own that are
// missing or null in dst. own is the upstream's object with the same meaning, or "".
func AppendMissing(dst []byte, from int, own Raw) []byte {
	if own == "" {
		return dst
	}
	return appendMissing(dst[:from], string(dst[from:]), own)
}

//go:noinline
func appendMissing(dst []byte, object string, own Raw) []byte {
	kind := jsonr.KindOf(Raw(object))
	switch {
	case kind == jsonr.Null:
		return append(dst, own...)
	case kind != jsonr.Object || jsonr.KindOf(own) != jsonr.Object:
		return append(dst, object...)
	}
	comma := byte('{')
	for i, from := range [...]string{object, string(own)} {
		r := jsonr.NewReader(from)
		for r.OpenObject(); r.Member(); {
			key, value := r.Key(), string(r.Value())
			other, _, _ := jsonr.LastMember([...]string{string(own), object}[i], key)
			if i == 1 && (other != "" || value == "null") {
				continue
			}
			dst = append(jsonw.AppendString(append(dst, comma), key), ':')
			if comma = ','; other == "" {
				dst = append(dst, value...)
			} else {
				dst = appendMissing(dst, value, other)
			}
		}
	}
	if comma == '{' {
		dst = append(dst, comma)
	}
	return append(dst, '}')
}
