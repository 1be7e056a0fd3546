package ir

import "unsafe"

// LongTexts collects the long texts of a body and keeps them out of the written bytes. The texts are in
// memory already: nearly all are parts of the client's body.
type LongTexts struct {
	texts []string
}

// longLength is the length in bytes from which a text is kept out of the body.
const longLength = 1 << 10

// A placeholder stands in for each long text: a NUL byte, which JSON never contains, and the text's
// index in four bytes. A placeholder is part of the output, so the writer moves and truncates it
// with the rest.
const placeholder = 0

// isLong reports whether a text is kept out.
func (l *LongTexts) isLong(s string) bool { return l != nil && len(s) >= longLength }

// append appends the placeholder of a text to dst, and stores the text.
func (l *LongTexts) append(dst []byte, s string) []byte {
	n := len(l.texts)
	l.texts = append(l.texts, s)
	return append(dst, placeholder, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

// Pieces returns a body written with l, in pieces: views of body and of the texts, read-only.
// Pieces returns nil if no text was kept out: body is then complete.
func (l *LongTexts) Pieces(body []byte) (pieces [][]byte) {
	if len(l.texts) == 0 {
		return nil
	}
	begin := 0
	for i := 0; i < len(body); i++ {
		if body[i] != placeholder {
			continue
		}
		n := int(body[i+1]) | int(body[i+2])<<8 | int(body[i+3])<<16 | int(body[i+4])<<24
		pieces = append(pieces, body[begin:i:i], unsafe.Slice(unsafe.StringData(l.texts[n]), len(l.texts[n])))
		i += 4
		begin = i + 1
	}
	return append(pieces, body[begin:])
}

// Long returns how many bytes of the messages' texts and files LongTexts keeps out of a body.
func (r *Request) Long() (n int) {
	for i := range r.Messages {
		n += long(r.Messages[i].Content)
	}
	return n
}

func long(content []Content) (n int) {
	for i := range content {
		c := &content[i]
		for _, text := range [...]Escaped{c.Text, c.Source.Data, c.Source.URL, c.Source.Text} {
			if len(text) >= longLength {
				n += len(text)
			}
		}
		n += long(c.Parts) // parts have no parts of their own
	}
	return n
}
