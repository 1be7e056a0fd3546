package translator

import (
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/passing"
)

// note sets Usage, Searches and Failed by an event of the answer, and adds what the client gets to the estimate of its tokens.
func (x *Exchange) note(ev *ir.Event) {
	switch ev.Kind {
	case ir.Start, ir.Finish:
		x.Usage, x.finished = ev.Usage, ev.Kind == ir.Finish
		if x.finished && x.web != nil {
			x.web.Ended(false)
		}
	case ir.Failure:
		x.Failed = ev.Err.Kind
		if x.web != nil {
			x.web.Ended(true)
		}
	default:
		if ev.Kind == ir.BlockStart && ev.Block == ir.WebSearchBlock {
			x.Searches++
		}
		if ev.Kind == ir.BlockStop && ev.Code != "" {
			x.Searches--
		}
		x.checkCall(ev)
		if x.AskUsage {
			x.output.Add(ev)
		}
	}
}

// checkCall notes a call whose arguments are no object as lost. A stream brings them as they came, and a plain body of a client whose API
// demands an object has them as jsonr.AppendObject writes them.
func (x *Exchange) checkCall(ev *ir.Event) {
	switch ev.Kind {
	case ir.BlockStart:
		x.calls, x.arguments = ev.Block == ir.ToolCallBlock, jsonr.Pieces{}
	case ir.Delta:
		if x.calls {
			x.arguments.Add(ev.Text)
		}
	case ir.BlockStop:
		if x.calls && !x.arguments.IsWhole() && !x.arguments.IsBlank() {
			x.Lost.Add(x.pair.Upstream.Arguments)
		}
	}
}

// InputTokens returns an estimate of how many tokens the request is, in which an answer has no part.
func (x *Exchange) InputTokens() int64 {
	if x.web != nil {
		return x.web.Uncounted(x.sent)
	}
	return count.Tokens(x.sent)
}

// CutDescriptions returns by how many bytes Policy has cut descriptions of tools, once AppendRequest has been called. They are no loss: the
// endpoint wants it.
func (x *Exchange) CutDescriptions() int64 { return x.sent.CutDescriptions }

// started returns the Start of an answer as a client gets it whose stream says how many tokens the request is: with an estimate, where the
// upstream has not said it yet.
func (x *Exchange) started(ev *ir.Event) *ir.Event {
	if !x.pair.Client.StartCounts || ev.Usage.Prompt() > 0 {
		return ev
	}
	counted := *ev
	counted.Usage.Input = count.Estimate(x.sent)
	return &counted
}

// OutputTokens returns how many tokens the answer has so far: what the upstream has counted, if it has and the answer is complete. Else it
// is an estimate, where AskUsage is set, but not less than what the upstream has counted. model is the upstream's name of the model.
func (x *Exchange) OutputTokens(model string) int64 {
	if x.finished && x.Usage.Output >= 0 {
		return x.Usage.Output
	}
	return max(x.Usage.Output, x.output.Tokens(model))
}

// watched is a sink that notes the events of an answer in the Exchange, and hands them on.
type watched struct {
	exchange *Exchange
	sink     ir.Sink
}

// Event implements ir.Sink.
func (w *watched) Event(ev *ir.Event) {
	w.exchange.note(ev)
	w.sink.Event(ev)
}

// withoutSecrets returns e with "[key]" instead of each of Secrets.
func (x *Exchange) withoutSecrets(e *ir.Error) *ir.Error {
	if x.Secrets == nil {
		return e
	}
	secrets := x.Secrets()
	clean := *e
	clean.Message = passing.Redact(e.Message, secrets)
	clean.Code = passing.Redact(e.Code, secrets)
	return &clean
}

// LostHeader returns the value of x-edgelingua-lost: the paths in Lost, with "[key]" instead of
// each of Secrets, because an upstream may have chosen names in the paths.
func (x *Exchange) LostHeader() string {
	if x.Secrets != nil && len(x.Lost.Paths()) > 0 {
		secrets := x.Secrets()
		x.Lost.Rewrite(func(path string) string { return passing.Redact(path, secrets) })
	}
	return x.Lost.Header()
}
