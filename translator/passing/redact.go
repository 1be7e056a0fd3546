package passing

import "strings"

// hidden replaces a secret in the upstream's text. A secret shorter than shortestSecret is not
// replaced: it may be an ordinary word, such as "ollama", the key set by Ollama's users.
const (
	hidden         = "[key]"
	shortestSecret = 16
)

// nesting is the number of layers of JSON escapes undone by Redact: one for the strings of the
// error itself, and one for each server on the way with another server's error body in a string.
const nesting = 4

// Redact returns an upstream's text, which may be anything, with "[key]" instead of each secret.
// Redact finds a secret in its original form, JSON-escaped up to four layers deep (JSON in strings
// of JSON), percent-encoded, and with character references of HTML; the latter two also inside of
// JSON. If the end of the text cuts a secret off, Redact finds 16 bytes or more of the secret.
// Redact does not find secrets of less than 16 bytes, in another letter case or in another
// encoding. Every other byte stays.
func Redact(text string, secrets []string) string {
	r := redactor{text: text, secrets: secrets}
	readings(text, r.search)
	return r.result()
}

// Readings calls look with each reading of a text that Redact would search: the text itself, and
// the text with some layers of escapes undone. offset returns the offset in text of byte i of the
// reading, or of its end. reading and offset are valid until look returns.
func Readings(text string, look func(reading string, offset func(i int) int)) {
	readings(text, func(v *reading) { look(v.text, v.offset) })
}

func readings(text string, look func(v *reading)) {
	// PHP escapes a slash as \/, .NET writes \u002B for a plus, and a proxy puts another server's
	// error into a string of its own, with all backslashes doubled. A secret that is cut, reversed
	// or in base64 is not found: a server that wants to give the key away can do so in an answer
	// too.
	v := reading{text: text}
	look(&v)
	for i := 0; i < nesting && v.undo('\\', appendJSON); i++ {
		look(&v)
	}
	if page := (reading{v.text, nil, v.offsets}); page.undo('&', appendReference) {
		look(&page)
		if page.undo('%', appendPercent) {
			look(&page)
		}
	}
	if v.undo('%', appendPercent) {
		look(&v)
	}
}

// redactor marks the secrets in a text.
type redactor struct {
	text    string
	secrets []string
	hide    []bool // for each byte of text: part of a secret; nil: no secret
}

// search marks the secrets in a reading of the text.
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
			r.mark(v, from, from+len(secret))
		}
		for n := min(len(secret)-1, len(v.text)); n >= shortestSecret; n-- {
			if strings.HasSuffix(v.text, secret[:n]) {
				r.mark(v, len(v.text)-n, len(v.text))
				break
			}
		}
	}
}

// mark marks bytes of a reading as part of a secret.
func (r *redactor) mark(v *reading, from, to int) {
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
