package mask

import (
	"encoding/base64"
	"slices"
	"strings"

	"edgelingua/translator/passing"
)

// hidden stands for a secret.
const hidden = "[key]"

// Shortest is how many bytes a secret has at least to be looked for: a shorter one may be a word of
// the text, as "demo".
const Shortest = 8

// A Masker masks the texts of one exchange. It may be used by several goroutines.
type Masker struct{ known *automaton }

// New returns a Masker that masks secrets and whatever has a known form of keys. It fails if the
// secrets have more than 64 KB together. A secret with fewer than Shortest bytes is not masked.
func New(secrets []string) (*Masker, error) {
	known, err := newAutomaton(secrets)
	if err != nil {
		return nil, err
	}
	return &Masker{known}, nil
}

// Text returns a text, such as a body, a URL or the value of a header, with "[key]" instead of each
// secret. JSON stays JSON. The time is linear in the length of the text.
func (m *Masker) Text(text string) string {
	f := finder{text: text, known: m.known}
	f.whole()
	return f.result()
}

// finder notes where secrets are in a text.
type finder struct {
	text  string
	known *automaton
	marks []mark // of each byte of text; nil: there is no secret in it
}

// mark says what becomes of a byte.
type mark byte

const (
	stays  mark = iota
	begins      // a secret begins: "[key]" stands in its place
	goes        // it belongs to the secret that has begun
)

// whole searches the whole text. Only what stands between two quotes is read without its escapes,
// so that a body of megabytes is not copied for each layer: no escape is longer than a string.
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

// endOfString returns where the first quote is that no backslash escapes, or the length of s.
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

// look calls found with the places of secrets in a reading.
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

// shortestRun is how many characters of base64 may hold a secret.
const shortestRun = Shortest * 4 / 3

// run returns the next run of characters of base64 or base64url, from on.
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

// note notes that the bytes from to of the text are of a secret. Where it overlaps with others, one
// "[key]" stands for all.
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
