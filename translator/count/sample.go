package count

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// If a request has more than enough bytes of text, a sample is read: windows at even distances,
// together enough bytes. Reading text takes three times the CPU of translating it, so 8 KB of 1 MB
// are 3 % of the request.
const (
	enough = 8 << 10
	window = 256
)

// sample says which part of the request's texts to read. The texts count as one text, in their
// order. The zero value reads everything.
type sample struct {
	stride int64 // bytes from the beginning of a window to the next window's; 0: everything is read
	at     int64 // bytes of text so far
	read   int64 // the bytes read so far
}

// Estimate is Tokens, but reads only a sample of long texts.
func Estimate(r *ir.Request) int64 {
	c := counter{sample: sample{stride: 1 << 62}}
	c.request(r)
	size := c.sample.at
	if size <= enough {
		return Tokens(r)
	}
	c = counter{tokenizer: tokenizerOf(string(r.Model)), sample: sample{stride: size * window / enough}}
	c.request(r)
	c.text.cost = c.text.cost * size / c.sample.read
	return c.text.tokens(c.fixed, c.tokenizer)
}

// Rough estimates the input tokens of r at four bytes of text per token: it reads no texts.
func Rough(r *ir.Request) int64 {
	c := counter{sample: sample{stride: 1 << 62}}
	c.request(r)
	return c.fixed + c.sample.at/4
}

// escaped adds an escaped text, or its part in the sample. A window may begin and end inside of a
// word or an escape. This makes the estimate a little larger.
func (c *counter) escaped(e jsonw.Escaped) {
	s := &c.sample
	if s.stride == 0 {
		c.text.escaped(e)
		return
	}
	begin, end := s.at, s.at+int64(len(e))
	s.at = end
	for from := begin - begin%s.stride; from < end; from += s.stride {
		if lo, hi := max(from, begin), min(from+window, end); lo < hi {
			c.text.escaped(e[lo-begin : hi-begin])
			s.read += hi - lo
		}
	}
}

// json adds the text of a JSON value, or its part in the sample.
func (c *counter) json(v jsonw.Raw) {
	if c.sample.stride == 0 {
		c.text.json(v)
	} else {
		c.escaped(jsonw.Escaped(v))
	}
}

// Texts estimates the tokens of texts for a model. It reads a sample of long texts.
func Texts(model string, texts []jsonw.Escaped) int64 {
	size := int64(0)
	for _, text := range texts {
		size += int64(len(text))
	}
	c := counter{tokenizer: tokenizerOf(model)}
	if size > enough {
		c.sample.stride = size * window / enough
	}
	for _, text := range texts {
		c.escaped(text)
	}
	if size > enough {
		c.text.cost = c.text.cost * size / c.sample.read
	}
	return c.text.tokens(0, c.tokenizer)
}
