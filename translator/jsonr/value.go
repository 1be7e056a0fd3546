package jsonr

import "edgelingua/translator/jsonw"

// IsBlank reports whether a text is empty, or only has spaces, tabs and line breaks.
func IsBlank(e jsonw.Escaped) bool {
	for i := 0; i < len(e); i++ {
		switch e[i] {
		case ' ':
		case '\\':
			i++
			if i < len(e) && e[i] != 'n' && e[i] != 't' && e[i] != 'r' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Asks reports whether the value of a request's member asks for anything. null, false, empty values
// and {"enabled":false} do not. The translator records an unknown member as a loss only if it asks
// for something.
func Asks(v jsonw.Raw) bool {
	r := NewReader(string(v))
	switch r.Kind() {
	case Null:
		return false
	case Bool:
		return v == "true"
	case String:
		return v != `""`
	case Array:
		r.OpenArray()
		return r.Element()
	case Object:
		for r.OpenObject(); r.Member(); {
			if r.Key() != "enabled" || r.Value() == "true" {
				return true
			}
		}
		return false
	}
	return true
}

// IsNothing reports whether a value is missing, null or empty. Upstreams send such members for
// absent parts of an answer: OpenAI sends "refusal":null and "annotations":[] in each message of
// Chat Completions.
func IsNothing(v jsonw.Raw) bool {
	r := NewReader(string(v))
	switch r.Kind() {
	case Missing, Null:
		return true
	case String:
		return v == `""`
	case Array:
		r.OpenArray()
		return !r.Element()
	case Object:
		r.OpenObject()
		return !r.Member()
	}
	return false
}

// Holds reports whether a value is an array with an element byte for byte equal to element.
func Holds(list, element jsonw.Raw) bool {
	r := NewReader(string(list))
	if r.Kind() != Array {
		return false
	}
	for r.OpenArray(); r.Element(); {
		if r.Value() == element {
			return true
		}
	}
	return false
}

// Count returns the value of an integer of 0 or more, and -1 for anything else.
//
//go:noinline
func Count(v jsonw.Raw) int64 {
	if n, ok := Int(v); ok && n >= 0 {
		return n
	}
	return -1
}

// AppendObject appends the arguments of a tool call, given as a string, as an object. Blank
// arguments become {} (FAULTS 56). Arguments that are not an object, because the model was cut off
// or made a mistake, become {"invalid_arguments":ARGUMENTS} (FAULTS 57). The tool rejects the
// unknown member, and its error shows the model the mistake. Half a surrogate pair becomes U+FFFD.
func AppendObject(dst []byte, arguments jsonw.Escaped) []byte {
	if IsBlank(arguments) {
		return append(dst, `{}`...)
	}
	start := len(dst)
	dst = jsonw.AppendUnescaped(dst, arguments)
	object := string(jsonw.View(dst[start:]))
	r := NewReader(object)
	if r.Kind() == Object {
		if surrogates, err := CheckSurrogates(object); err == nil {
			if surrogates {
				dst = append(dst[:start], jsonw.WithoutHalves(dst[start:])...)
			}
			return dst
		}
	}
	dst = append(dst[:start], `{"invalid_arguments":`...)
	dst = jsonw.AppendEscaped(dst, arguments)
	return append(dst, '}')
}
