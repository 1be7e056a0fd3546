package ir

import "strings"

// AnswerHeader is a header of an upstream's answer. A client gets the header if its value has the
// form Form.
type AnswerHeader struct {
	Name string // in lower case; "*" ends a prefix
	Form Form
}

// Form is the allowed form of a header's value.
type Form uint8

const (
	Quantity Form = iota // a number, a duration, a date, or a single word
	Named                // an id, or the name of something, as of a model
	Tokens               // a list of words, and of words with values
	Opaque               // printable ASCII
)

// Bounds of values, in bytes.
const (
	maxQuantity = 64
	maxWord     = 32
	maxNamed    = 128
	maxOpaque   = 4 << 10 // Codex sends x-codex-turn-state back; its length is up to the server
)

// Fits reports whether a value has the form.
func (f Form) Fits(value string) bool {
	switch f {
	case Quantity:
		switch {
		case value == "":
			return false
		case isDigit(value[0]): // 5, 0.05, 6m0s, 2026-11-22T10:00:00Z, and 100, 100;w=60
			return consists(value, maxQuantity, "TZ .,:;=+_%-", lower|digits)
		}
		return consists(value, maxWord, "_-", lower|upper) || isDate(value)
	case Named:
		return consists(value, maxNamed, "._:/@+%-", lower|upper|digits)
	case Tokens:
		return consists(value, maxNamed, "._-=, ", lower|upper|digits)
	}
	for i := 0; i < len(value); i++ {
		if value[i] < ' ' || value[i] > '~' {
			return false
		}
	}
	return value != "" && len(value) <= maxOpaque
}

// FormOf returns the form of the first header in headers whose Name matches name. name is in lower
// case.
func FormOf(headers []AnswerHeader, name string) (f Form, ok bool) {
	for i := range headers {
		known := headers[i].Name
		if lead, open := strings.CutSuffix(known, "*"); name == known || open && strings.HasPrefix(name,
			lead) {
			return headers[i].Form, true
		}
	}
	return 0, false
}

// Kinds of characters.
const (
	lower = 1 << iota
	upper
	digits
)

// consists reports whether s has 1 to most characters, all of them of the given kinds or in others.
func consists(s string, most int, others string, kinds int) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' && kinds&lower != 0:
		case 'A' <= c && c <= 'Z' && kinds&upper != 0:
		case isDigit(c) && kinds&digits != 0:
		case strings.IndexByte(others, c) < 0:
			return false
		}
	}
	return s != "" && len(s) <= most
}

// isDate reports whether s has the form of an HTTP date (RFC 9110, 5.6.7, IMF-fixdate).
func isDate(s string) bool {
	const form = "Aaa, 00 Aaa 0000 00:00:00 GMT"
	if len(s) != len(form) {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; form[i] {
		case 'A', 'a':
			if c|0x20 < 'a' || c|0x20 > 'z' {
				return false
			}
		case '0':
			if !isDigit(c) {
				return false
			}
		case c:
		default:
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
