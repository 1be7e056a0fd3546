package translator

import (
	"strings"

	"edgelingua/translator/compact"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
	"edgelingua/translator/stages"
)

// SetAdvisor makes the caller ask an advisor up to max times if the client's request has the tool and
// the upstream can't run it. Call SetAdvisor before AppendRequest. Search then also returns
// consultations (stages.Search.Advice): Consult makes the request, and Advise takes the answer.
func (x WorkerExchange) SetAdvisor(max int64) { x.maxAdvice = max }

// Consult returns an exchange that asks model, at an upstream of api, for advice in the answer's
// current round. maxTokens bounds the advice. Its answer is a stream, which ReadAdvice reads.
//
//go:noinline
func (x WorkerExchange) Consult(api *ir.API, model string, maxTokens int64) *Exchange {
	conversation, question := x.web.Transcript(x.upstreamRequest)
	r := compact.Ask(x.upstreamRequest, conversation, question)
	r.Model, r.MaxTokens = jsonw.Escape(model), maxTokens
	return &Exchange{pair: Pair{Client: x.pair.Client, Upstream: api}, Request: r, upstreamRequest: r,
		clientModel: r.Model, target: &ir.Target{}, Usage: ir.NoUsage, AskUsage: true}
}

// ReadAdvice reads the whole body of the upstream's answer to an exchange of Consult: a stream or a
// plain answer, valid or not. The error, without Secrets, says why there is no advice.
func (x WorkerExchange) ReadAdvice(body []byte, isStream bool) (a stages.Advice, err error) {
	s := &adviceReader{}
	c := cutter{decoder: x.decoder(&watched{x.Exchange, s}, stages.Complete)}
	c.take(body, isStream)
	text := jsonw.Unescape(jsonw.View(passing.Valid(s.text)))
	if s.err == nil && strings.TrimSpace(text) == "" {
		s.err = &ir.Error{Kind: ir.Unavailable, Message: "The advisor wrote no text."}
	}
	if s.err != nil {
		return stages.Advice{}, x.withoutSecrets(s.err)
	}
	return stages.Advice{Text: text, Stop: s.stop}, nil
}

// Advise passes the result of a consultation to Found of Stream or Plain, which the caller calls next.
// by is the exchange of Consult. Its losses are added to Lost.
func (x WorkerExchange) Advise(by *Exchange, a stages.Advice) {
	a.Model, a.Usage = jsonw.Unescape(by.Request.Model), by.Usage
	x.web.Advice = a
	for _, path := range by.Lost.Paths() {
		x.Lost.Add(path)
	}
}

// adviceReader is a sink that reads an advice.
type adviceReader struct {
	text   []byte
	inText bool // the open block is a text
	stop   ir.StopReason
	err    *ir.Error
}

// Event implements ir.Sink.
func (s *adviceReader) Event(ev *ir.Event) {
	switch {
	case s.err != nil:
	case ev.Kind == ir.BlockStart:
		s.inText = ev.Block == ir.TextBlock
	case ev.Kind == ir.Delta && ev.Delta == ir.TextDelta && s.inText:
		if s.text = append(s.text, ev.Text...); len(s.text) > ir.MaxSummary {
			s.err = &ir.Error{Kind: ir.Unavailable, Message: "The advice is longer than the limit of 64 KB."}
		}
	case ev.Kind == ir.Failure:
		s.err = ev.Err
	case ev.Kind == ir.Finish && ev.Stop == ir.Refusal:
		s.err = &ir.Error{Kind: ir.Unavailable, Message: "The advisor or a filter refused to advise."}
	case ev.Kind == ir.Finish:
		s.stop = ev.Stop
		if s.stop == ir.ToolUse {
			s.err = &ir.Error{Kind: ir.Unavailable, Message: "The advisor called a tool instead of advising."}
		}
	}
}
