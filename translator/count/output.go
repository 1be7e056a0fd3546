package count

import "edgelingua/translator/ir"

// Output estimates the output tokens of an answer while its events arrive. It allocates no memory.
type Output struct {
	text  text
	fixed int64 // tokens of everything except text
}

// Event counts an event of the answer. The end of a piece of text counts as the end of a token,
// because vendors send whole tokens.
func (o *Output) Event(ev *ir.Event) {
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
	case ev.Delta == ir.HostedDelta && ev.Hosted.Kind != ir.AdvisorTool: // an advice is another model's
		o.text.json(ev.Hosted.Input)
		o.text.escaped(ev.Hosted.Output)
	}
}

// Tokens returns the estimate so far for the answering model.
func (o *Output) Tokens(model string) int64 { return o.text.tokens(o.fixed, tokenizerOf(model)) }
