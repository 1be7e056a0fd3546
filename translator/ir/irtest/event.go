package irtest

import "edgelingua/translator/ir"

// TextDelta returns a piece of a block's text.
func TextDelta(e ir.Escaped) ir.Event { return ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: e} }

// SignatureDelta returns the signature of a block. origin is the protocol of the signing vendor.
func SignatureDelta(origin string, e ir.Escaped) ir.Event {
	return ir.Event{Kind: ir.Delta, Delta: ir.SignatureDelta, Origin: origin, Text: e}
}

// CitationDelta returns a citation in a text.
func CitationDelta(c ir.Citation) ir.Event {
	return ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &c}
}

// Finish returns the regular end of an answer with unknown usage.
func Finish(stop ir.StopReason) ir.Event {
	return ir.Event{Kind: ir.Finish, Stop: stop, Usage: ir.NoUsage}
}
