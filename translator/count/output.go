package count

import "edgelingua/translator/ir"

// Output adds up an estimate of how many output tokens an answer is, while its events come. It
// allocates nothing.
type Output struct {
	text  text
	fixed int64 // tokens of what is no text
}

// Add takes an event of the answer. The end of a text that comes in parts is the end of a token:
// vendors send whole tokens.
func (o *Output) Add(ev *ir.Event) {
	switch {
	case ev.Kind == ir.BlockStart && ev.Name != "":
		o.fixed += perBlock
		o.text.escaped(ev.Name)
	case ev.Kind != ir.Delta:
	case ev.Delta == ir.TextDelta:
		o.text.escaped(ev.Text)
	case ev.Delta == ir.SignatureDelta:
		o.fixed += sealed(ev.Text)
	case ev.Delta == ir.OpaqueDelta:
		o.text.json(ev.Raw)
	case ev.Delta == ir.HostedDelta:
		o.text.json(ev.Hosted.Input)
		o.text.escaped(ev.Hosted.Output)
	}
}

// Tokens returns the estimate so far. model is the one that answers.
func (o *Output) Tokens(model string) int64 { return o.text.tokens(o.fixed, tokenizerOf(model)) }
