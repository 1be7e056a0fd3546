package translator

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// hidden replaces a secret in the upstream's text. A secret shorter than shortestSecret is not replaced: it may be a word of the text,
// as "ollama", the key that Ollama's users set.
const (
	hidden         = "[key]"
	shortestSecret = 16
)

// nesting is how many layers of JSON's escapes Redact undoes: one for the error's own strings, and one for each server on the way that
// has put the body of another server's error into a string of its own.
const nesting = 4

// Redact returns an upstream's text, which may be anything, with "[key]" in place of each of secrets. It finds a secret as it is, with
// escapes of JSON, also in JSON that is a string of other JSON, up to four layers deep, and percent-encoded or with the character
// references of HTML, inside of such JSON too. At the end of the text, which may have been cut off there, it finds the first 16 bytes or
// more of a secret. It does not look for secrets of less than 16 bytes, in another letter case or in any other encoding. Every other byte
// stays as it is.
func Redact(text string, secrets []string) string {
	r := redactor{text: text, secrets: secrets}
	readings(text, r.search)
	return r.result()
}

// Readings calls look with each reading of a text in which Redact searches for secrets: the text as it is, and what it says once layers
// of escapes are undone. offset returns where byte i of the reading, or its end, stands in text; both are good until look returns.
func Readings(text string, look func(reading string, offset func(i int) int)) {
	readings(text, func(v *reading) { look(v.text, v.offset) })
}

func readings(text string, look func(v *reading)) {
	v := reading{text: text}
	look(&v)
	for i := 0; i < nesting && v.undo('\\', appendJSON); i++ {
		look(&v)
	}
	if page := (reading{v.text, nil, v.at}); page.undo('&', appendReference) {
		look(&page)
		if page.undo('%', appendPercent) {
			look(&page)
		}
	}
	if v.undo('%', appendPercent) {
		look(&v)
	}
}

// redactor notes where the secrets are in a text.
type redactor struct {
	text    string
	secrets []string
	hide    []bool // which bytes of text are of a secret; nil: none
}

// search notes the secrets that a reading of the text has.
func (r *redactor) search(v *reading) {
	for _, secret := range r.secrets {
		if len(secret) < shortestSecret {
			continue
		}
		for from := 0; ; from += len(secret) {
			i := strings.Index(v.text[from:], secret)
			if i < 0 {
				break
			}
			from += i
			r.note(v, from, from+len(secret))
		}
		for n := min(len(secret)-1, len(v.text)); n >= shortestSecret; n-- {
			if strings.HasSuffix(v.text, secret[:n]) {
				r.note(v, len(v.text)-n, len(v.text))
				break
			}
		}
	}
}

// note notes that the bytes from to of a reading are of a secret.
func (r *redactor) note(v *reading, from, to int) {
	if r.hide == nil {
		r.hide = make([]bool, len(r.text))
	}
	for i := v.offset(from); i < v.offset(to); i++ {
		r.hide[i] = true
	}
}

// result returns the text without the secrets.
func (r *redactor) result() string {
	if r.hide == nil {
		return r.text
	}
	var out strings.Builder
	for i := 0; i < len(r.text); i++ {
		switch {
		case !r.hide[i]:
			out.WriteByte(r.text[i])
		case i == 0 || !r.hide[i-1]:
			out.WriteString(hidden)
		}
	}
	return out.String()
}

// reading is what a text says once some layers of escapes are undone.
type reading struct {
	text string
	own  []byte  // the bytes of text, where no other reading has them
	at   []int32 // the offsets in the original text of each byte and of the end; nil: text is the original
}

// offset returns where byte i begins in the original text.
func (v *reading) offset(i int) int {
	if v.at == nil {
		return i
	}
	return int(v.at[i])
}

// undo undoes one layer of escapes that begin with lead, and reports whether there was one. one appends what the escape at the beginning
// of s stands for, which is shorter than the escape, and returns the escape's width: 0 where s begins with none, and all of s where the
// end of s cuts the escape.
func (v *reading) undo(lead byte, one func(dst []byte, s string) (out []byte, width int)) (found bool) {
	first := strings.IndexByte(v.text, lead)
	if first < 0 {
		return false
	}
	if v.own == nil {
		v.own = []byte(v.text)
		at := make([]int32, len(v.own)+1)
		for i := range at {
			at[i] = int32(v.offset(i))
		}
		v.text, v.at = view(v.own), at
	}
	// What goes out overwrites what was read already.
	end := v.at[len(v.own)]
	out, at := v.own[:first], v.at[:first]
	for i := first; i < len(v.text); {
		c, begin, width := v.text[i], v.at[i], 0
		if c == lead {
			out, width = one(out, v.text[i:])
		}
		if width == 0 {
			out, width = append(out, c), 1
		} else {
			found = true
		}
		for len(at) < len(out) {
			at = append(at, begin)
		}
		i += width
	}
	v.own, v.text, v.at = out, view(out), append(at, end)
	return found
}

// appendJSON is for undo: an escape of JSON.
func appendJSON(dst []byte, s string) (out []byte, width int) {
	e := jsonw.Escaped(s)
	if len(e) > 1 && e[1] == 'u' {
		r, width := jsonw.UnicodeEscape(e)
		if width == 0 {
			return dst, cutOff(s, len(`\u0000`))
		}
		return utf8.AppendRune(dst, r), width
	}
	if unit, width := jsonw.UnitAt(e); width > 1 {
		return append(dst, byte(unit)), width
	}
	return dst, cutOff(s, 2)
}

// appendPercent is for undo: a byte of a URL (RFC 3986, 2.1).
func appendPercent(dst []byte, s string) (out []byte, width int) {
	if len(s) < 3 {
		return dst, cutOff(s, 3)
	}
	high, low := digit(s[1]), digit(s[2])
	if high > 15 || low > 15 {
		return dst, 0
	}
	return append(dst, high<<4|low), 3
}

// maxReference bounds a character reference of HTML, in bytes.
const maxReference = len("&#x0010FFFF;")

// appendReference is for undo: a character reference of HTML, by its number, or one of the five that XML has as well.
func appendReference(dst []byte, s string) (out []byte, width int) {
	end := strings.IndexByte(s[:min(len(s), maxReference)], ';')
	if end < 0 {
		return dst, cutOff(s, maxReference)
	}
	name := s[1:end]
	switch name {
	case "amp":
		return append(dst, '&'), end + 1
	case "lt":
		return append(dst, '<'), end + 1
	case "gt":
		return append(dst, '>'), end + 1
	case "quot":
		return append(dst, '"'), end + 1
	case "apos":
		return append(dst, '\''), end + 1
	}
	if len(name) < 2 || name[0] != '#' {
		return dst, 0
	}
	base, digits := rune(10), name[1:]
	if digits[0] == 'x' || digits[0] == 'X' {
		base, digits = 16, digits[1:]
	}
	r := rune(0)
	for i := range len(digits) {
		d := rune(digit(digits[i]))
		if d >= base || r > utf8.MaxRune {
			return dst, 0
		}
		r = r*base + d
	}
	return utf8.AppendRune(dst, r), end + 1
}

// digit returns the value of a hexadecimal digit, and more than 15 for any other byte.
func digit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// cutOff returns the length of s where that is the beginning of an escape of so many bytes, which the end of the text has cut off, else 0.
func cutOff(s string, escape int) int {
	if len(s) >= escape {
		return 0
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; c != '#' && digit(c) > 15 && (c|0x20 < 'a' || c|0x20 > 'z') {
			return 0
		}
	}
	return len(s)
}

// withoutSecrets returns e with "[key]" in place of Secrets.
func (x *Exchange) withoutSecrets(e *ir.Error) *ir.Error {
	if x.Secrets == nil {
		return e
	}
	secrets := x.Secrets()
	clean := *e
	clean.Message = Redact(e.Message, secrets)
	clean.Code = Redact(e.Code, secrets)
	return &clean
}

// LostHeader returns the value of x-edgelingua-lost: the paths in Lost with "[key]" in place of Secrets, since an upstream may have
// chosen names in them.
func (x *Exchange) LostHeader() string {
	if x.Secrets != nil && len(x.Lost.Paths()) > 0 {
		secrets := x.Secrets()
		x.Lost.Rewrite(func(path string) string { return Redact(path, secrets) })
	}
	return x.Lost.Header()
}
