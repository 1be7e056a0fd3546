// Package count estimates the input tokens of a request. It has no vocabulary, because a vocabulary
// would be larger than the whole program.
//
// The estimate follows o200k_base, the encoding of OpenAI's models; for the tokenizers of Claude
// see tokenizerOf. e2e/pairs/count.test.mjs checks that the estimate is within 15 % of o200k_base
// for code, JSON and prose in several languages.
package count

import "edgelingua/translator/ir"

// The tokens around the parts of a prompt. OpenAI's cookbook counts 3 and the role for a message
// ("How to count tokens with tiktoken"). With these numbers the estimate also matches Anthropic's
// two examples ("Token counting").
const (
	perMessage = 4
	perBlock   = 4 // for a tool call, a result, and everything except text
	perTool    = 4
)

// A document is not opened: 64 KB count as a page. Anthropic counts 1,500 to 3,000 tokens a page
// ("PDF support").
const (
	pageBytes  = 64 << 10
	pageTokens = 2000
)

// Tokens estimates the input tokens of r for the model named in r. It reads the whole request.
func Tokens(r *ir.Request) int64 {
	c := counter{tokenizer: tokenizerOf(string(r.Model))}
	c.request(r)
	return c.text.tokens(c.fixed, c.tokenizer)
}

// request adds a request.
func (c *counter) request(r *ir.Request) {
	for i := range r.Messages {
		c.fixed += perMessage
		c.contents(r.Messages[i].Content)
	}
	for i := range r.Tools {
		c.tool(&r.Tools[i])
	}
	c.json(r.Format.Schema)
}

// tokens returns the estimate of the text plus fixed tokens.
func (t *text) tokens(fixed int64, tokenizer tokenizer) int64 {
	return fixed + (t.cost*tokenizer.factor+5000)/10000
}

// sealed estimates reasoning with its text encrypted in a signature: base64 has 3 bytes in 4
// letters, and a token has about 4 bytes.
func sealed(signature ir.Escaped) int64 { return int64(len(signature)) * 3 / 16 }

// counter adds up the tokens of one request.
type counter struct {
	tokenizer tokenizer
	text      text
	fixed     int64 // tokens of everything except text
	sample    sample
}

func (c *counter) tool(t *ir.Tool) {
	c.fixed += perTool
	switch t.Kind {
	case ir.VendorTool, ir.WebFetchTool, ir.AdvisorTool, ir.ProgramTool:
		c.json(t.Raw)
		return
	}
	c.escaped(t.Name)
	c.escaped(t.Description)
	c.json(t.Schema)
	c.json(t.Grammar)
}

func (c *counter) contents(list []ir.Content) {
	for i := range list {
		c.content(&list[i])
	}
}

// content adds one block, with its parts. The decoders of requests limit how deep parts nest.
func (c *counter) content(b *ir.Content) {
	switch b.Kind {
	case ir.TextContent, ir.RefusalContent:
		c.escaped(b.Text)
		return
	case ir.ImageContent:
		c.fixed += c.tokenizer.image(b.Source.Data)
		return
	case ir.DocumentContent:
		c.document(&b.Source)
	case ir.ReasoningContent, ir.RedactedContent:
		if b.Text == "" {
			c.fixed += sealed(b.Signature)
		}
	}
	c.fixed += perBlock
	c.escaped(b.Text)
	c.escaped(b.Name)
	c.json(b.Input)
	switch h := b.Hosted; {
	case h == nil || h.Kind != ir.ProgramTool:
		if b.Text == "" {
			c.json(b.Raw)
		}
	case b.Returned:
		c.escaped(h.Output)
	default:
		c.json(h.Input)
	}
	c.contents(b.Parts)
}

func (c *counter) document(s *ir.Source) {
	c.escaped(s.Title)
	c.escaped(s.Context)
	c.escaped(s.Text)
	if s.Data != "" || s.URL != "" {
		c.fixed += (int64(len(s.Data))*3/4/pageBytes + 1) * pageTokens
	}
}
