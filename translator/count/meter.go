package count

import "edgelingua/translator/ir"

// enoughOfBlock is the number of bytes to read of one block of a message.
const enoughOfBlock = 2 << 10

// Meter estimates the parts of a request one by one. Long blocks are sampled. The result for a
// block depends only on the block and the model, and is the same in each turn of a conversation.
type Meter struct{ tokenizer tokenizer }

// MeterOf returns the Meter for the model named in r.
func MeterOf(r *ir.Request) Meter { return Meter{tokenizerOf(string(r.Model))} }

// PerMessage is the number of tokens of a message in addition to its blocks.
const PerMessage = perMessage

// Head returns the tokens of a request without its messages: the tools and the format.
func (m Meter) Head(r *ir.Request) int64 {
	c := counter{tokenizer: m.tokenizer}
	for i := range r.Tools {
		c.tool(&r.Tools[i])
	}
	c.json(r.Format.Schema)
	return c.text.tokens(c.fixed, m.tokenizer)
}

// Block returns the tokens of one block of a message, with its parts.
func (m Meter) Block(b *ir.Content) int64 {
	c := counter{sample: sample{stride: 1 << 62}}
	c.content(b)
	size := c.sample.at
	c = counter{tokenizer: m.tokenizer}
	if size > enoughOfBlock {
		c.sample.stride = size * window / enoughOfBlock
	}
	c.content(b)
	if size > enoughOfBlock {
		c.text.cost = c.text.cost * size / c.sample.read
	}
	return c.text.tokens(c.fixed, m.tokenizer)
}
