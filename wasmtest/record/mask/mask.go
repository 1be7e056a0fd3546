package mask

import (
	"encoding/base64"
	"slices"
	"strings"

	"edgelingua/translator/passing"
)

// hidden replaces a secret.
const hidden = "[key]"

// Shortest is the minimum length in bytes of a secret to search for. A shorter one, such as "demo",
// may be a normal word of the text.
const Shortest = 8

// Masker masks the texts of one recording. It is safe for concurrent use.
type Masker struct{ known *automaton }

// New returns a Masker for the given secrets and for all known forms of keys. It fails if the
// secrets have more than 64 KB together. A secret with fewer than Shortest bytes is not masked.
func New(secrets []string) (*Masker, error) {
	known, err := newAutomaton(secrets)
	if err != nil {
		return nil, err
	}
	return &Masker{known}, nil
}

// Text returns a text, such as a body, a URL or the value of a header, with "[key]" instead of each
// secret. Valid JSON stays valid. The time is linear in the length of the text.
func (m *Masker) Text(text string) string {
	f := finder{text: text, known: m.known}
	f.whole()
	return f.result()
}

// finder notes the positions of secrets in a text.
type finder struct {
	text  string
	known *automaton
	marks []mark // one per byte of text; nil if no secret was found
}

// mark says how a byte is written.
type mark byte

const (
	stays  mark = iota
	begins      // the first byte of a secret, replaced by "[key]"
	goes        // a further byte of the secret, dropped
)

// whole searches the whole text. Escapes are only undone in the text between two quotes, to avoid a
// copy of a body of megabytes for each layer: no escape crosses the end of a string.
func (f *finder) whole() {
	text := f.text
	f.look(text, func(from, to int) { f.note(from, to) })
	for from := 0; from < len(text); {
		to := from + endOfString(text[from:])
		if strings.ContainsAny(text[from:to], `\%&`) {
			f.spelled(text[from:to], func(start, end int) { f.note(from+start, from+end) })
		} else {
			f.known.find(text[from:to], func(start, end int) { f.note(from+start, from+end) })
		}
		from = to + 1
	}
}

// spelled searches all readings of a text.
func (f *finder) spelled(text string, found func(from, to int)) {
	passing.Readings(text, func(reading string, offset func(i int) int) {
		f.look(reading, func(from, to int) { found(offset(from), offset(to)) })
	})
}

// endOfString returns the offset of the first quote without a backslash before it, or the length of
// s.
func endOfString(s string) int {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '"')
		if i < 0 {
			return len(s)
		}
		at := from + i
		slashes := 0
		for slashes < at && s[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
		from = at + 1
	}
}

// look calls found with the position of each secret in a reading.
func (f *finder) look(text string, found func(from, to int)) {
	f.plain(text, found)
	for from := 0; from < len(text); {
		start, end := run(text, from)
		padded := end
		for padded < min(len(text), end+2) && text[padded] == '=' {
			padded++
		}
		if end-start >= shortestRun && f.inBase64(text[start:end]) {
			found(start, padded)
		}
		from = padded + 1
	}
}

// plain is look without base64.
func (f *finder) plain(text string, found func(from, to int)) {
	f.known.find(text, found)
	findForms(text, found)
}

// shortestRun is the minimum length of a run of base64 that can contain a secret.
const shortestRun = Shortest * 4 / 3

// run returns the next run of characters of base64 or base64url, from the offset on.
func run(text string, from int) (start, end int) {
	for start = from; start < len(text) && !ofBase64(text[start]); start++ {
	}
	for end = start; end < len(text) && ofBase64(text[end]); end++ {
	}
	return start, end
}

func ofBase64(c byte) bool { return isWord(c) || c == '+' || c == '/' || c == '-' || c == '_' }

var standard = strings.NewReplacer("-", "+", "_", "/")

// inBase64 reports whether a run of base64 holds a secret.
func (f *finder) inBase64(run string) (found bool) {
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	text, _ := base64.RawStdEncoding.DecodeString(standard.Replace(run))
	f.plain(string(text), func(int, int) { found = true })
	return found
}

// note marks the bytes from to to of the text as a secret. Overlapping secrets become one "[key]".
func (f *finder) note(from, to int) {
	if f.marks == nil {
		f.marks = make([]mark, len(f.text))
	}
	if from < to && f.marks[from] == stays {
		f.marks[from] = begins
	}
	for i := from + 1; i < to; i++ {
		f.marks[i] = goes
	}
}

// result returns the text without the secrets.
func (f *finder) result() string {
	if f.marks == nil {
		return f.text
	}
	var out strings.Builder
	for from := 0; from < len(f.text); {
		i := slices.IndexFunc(f.marks[from:], func(m mark) bool { return m != stays })
		if i < 0 {
			out.WriteString(f.text[from:])
			break
		}
		out.WriteString(f.text[from : from+i])
		for from += i; from < len(f.text) && f.marks[from] != stays; from++ {
			if f.marks[from] == begins {
				out.WriteString(hidden)
			}
		}
	}
	return out.String()
}
