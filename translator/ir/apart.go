package ir

import "unsafe"

// Apart keeps long texts out of a body that is written, since they are in memory already: nearly
// all of them are parts of the client's body.
type Apart struct {
	texts []string
}

// apartFrom is the length of a text, in bytes, from which it is kept out.
const apartFrom = 1 << 10

// In place of a text stand this byte, which no JSON has, and four of the text's index. So they go
// where the writer puts them, and with what it takes back.
const apartMark = 0

// takes reports whether a text is kept out.
func (a *Apart) takes(s string) bool { return a != nil && len(s) >= apartFrom }

// append appends what stands for a text.
func (a *Apart) append(dst []byte, s string) []byte {
	n := len(a.texts)
	a.texts = append(a.texts, s)
	return append(dst, apartMark, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

// Pieces returns a body that was written with a, in pieces: views of body and of the texts, not to
// be changed. nil: body is whole, since nothing was kept out of it.
func (a *Apart) Pieces(body []byte) (pieces [][]byte) {
	if len(a.texts) == 0 {
		return nil
	}
	begin := 0
	for i := 0; i < len(body); i++ {
		if body[i] != apartMark {
			continue
		}
		n := int(body[i+1]) | int(body[i+2])<<8 | int(body[i+3])<<16 | int(body[i+4])<<24
		pieces = append(pieces, body[begin:i:i], unsafe.Slice(unsafe.StringData(a.texts[n]), len(a.texts[n])))
		i += 4
		begin = i + 1
	}
	return append(pieces, body[begin:])
}

// Long returns how many bytes of the messages' texts and files an Apart keeps out of a body.
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
			if len(text) >= apartFrom {
				n += len(text)
			}
		}
		n += long(c.Parts) // which have no parts
	}
	return n
}
