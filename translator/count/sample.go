package count

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// A request with more than enough bytes of text is sampled: windows of it are read, at even
// distances, which together are enough bytes. Reading text takes three times the CPU of translating
// it, so that 8 KB of 1 MB are 3 % of the request.
const (
	enough = 8 << 10
	window = 256
)

// sample is which part of the request's texts is read. They count as one text, in their order. The
// zero value reads all.
type sample struct {
	stride int64 // bytes from the beginning of a window to that of the next one; 0: everything is read
	at     int64 // bytes of text so far
	read   int64 // how many of them were read
}

// Estimate returns what Tokens does, for a request with long texts from a sample of them.
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

// escaped adds a text that is escaped, or what the sample has of it. A window may begin and end
// inside of a word or of an escape, which makes the estimate a little larger.
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

// json adds the text of a JSON value, or what the sample has of it.
func (c *counter) json(v jsonw.Raw) {
	if c.sample.stride == 0 {
		c.text.json(v)
	} else {
		c.escaped(jsonw.Escaped(v))
	}
}
