package translator

import (
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/passing"
)

// note updates Usage, Searches and Failed by an event of the answer, and adds the event to the
// estimate of the answer's tokens. A tier without a name in the client's API is lost.
func (x *Exchange) note(ev *ir.Event) {
	switch ev.Kind {
	case ir.Start, ir.Finish:
		x.Usage, x.finished, x.stop = ev.Usage, ev.Kind == ir.Finish, ev.Stop
		if ev.Tier != ir.NoTier { // the last tier that the upstream names
			x.Fast = ev.Tier == ir.FastTier
		}
		if x.finished && x.pair.Client.LacksTier(ev.Tier) {
			x.Lost.Add(x.pair.Upstream.TierPath)
		}
		if x.finished && x.web != nil {
			x.web.Ended(false)
		}
	case ir.Failure:
		x.Failed = ev.Err.Kind
		if x.pair.OnError != nil {
			x.pair.OnError(x.withoutSecrets(ev.Err))
		}
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
		if x.AskUsage && !x.whole {
			x.output.Event(ev)
		}
	}
}

// checkCall reports the arguments of a call as lost if they are not an object. A stream passes them
// on unchanged; in a plain body of an API that requires an object, jsonr.AppendObject writes them.
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

// InputTokens estimates the tokens of the request, without the answer. Of an answer in rounds,
// InputTokens counts the prompts of the rounds that the upstream has not counted.
func (x *Exchange) InputTokens() int64 { return x.inputTokens(count.Tokens) }

func (x *Exchange) inputTokens(tokens func(*ir.Request) int64) int64 {
	if x.web != nil {
		return x.web.Uncounted(x.upstreamRequest, tokens)
	}
	return tokens(x.upstreamRequest)
}

// started returns the Start of an answer for the client. If the client's stream begins with the tokens
// of the request and the upstream has not counted them yet, started adds an estimate.
func (x *Exchange) started(ev *ir.Event) *ir.Event {
	if !x.pair.Client.StartCounts || ev.Usage.Prompt() > 0 {
		return ev
	}
	counted := *ev
	counted.Usage.Input = count.Estimate(x.upstreamRequest)
	return &counted
}

// OutputTokens returns the tokens of the answer so far. For a complete answer it returns the
// upstream's count, if any. Otherwise it returns an estimate, which needs AskUsage, but at least
// the upstream's count. model is the upstream's name of the model.
func (x *Exchange) OutputTokens(model string) int64 {
	if x.counted() {
		return x.Usage.Output
	}
	return max(x.Usage.Output, x.output.Tokens(model))
}

// counted reports whether the upstream has counted the tokens of a complete answer.
func (x *Exchange) counted() bool { return x.finished && x.Usage.Output >= 0 }

// estimate estimates the tokens of a plain body whose upstream has not counted them. Estimating takes
// as long as translating, so the first reading of a plain body does not.
func (x *Exchange) estimate(body []byte) {
	x.output = count.Output{}
	c := cutter{decoder: x.pair.Upstream.Upstream.NewDecoder(x.upstreamRequest, x.target, new(ir.Lost),
		&x.output)}
	c.take(body, false)
}

// watched is a sink that notes the events of an answer in the Exchange and passes them on.
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

// LostHeader returns the value of x-edgelingua-lost: the paths in Lost. LostHeader first replaces
// each of Secrets in Lost by "[key]", because an upstream may have chosen names in the paths.
func (x *Exchange) LostHeader() string {
	if x.Secrets != nil && len(x.Lost.Paths()) > 0 {
		secrets := x.Secrets()
		x.Lost.Rewrite(func(path string) string { return passing.Redact(path, secrets) })
	}
	return x.Lost.Header()
}
