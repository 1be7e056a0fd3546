package translator

import (
	"edgelingua/translator/compact"
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/stages"
)

// Compacts reports whether the caller must ask for a summary before it sends the request to an
// upstream that accepts t: the client asks for a compaction, and the upstream does not compact by
// itself for clients of its own API.
func (x WorkerExchange) Compacts(t *ir.Target) bool {
	c := x.Request.Compaction
	if c == nil || t.OwnCompaction && x.pair.Client == x.pair.Upstream && !c.Alone {
		return false
	}
	x.target = t // for edited
	return c.Trigger || c.Threshold > 0 && ir.IsCompactable(x.Request.Messages) &&
		count.Tokens(x.edited()) >= c.Threshold
}

// Summarize returns an exchange that asks for a summary of this one's conversation
// (compact.Request). Its answer is a stream, which ReadSummary reads. The error is the client's fault.
//
//go:noinline
func (x WorkerExchange) Summarize() (*Exchange, error) {
	r, err := compact.Request(x.Request)
	if err != nil {
		return nil, err
	}
	return &Exchange{pair: x.pair, Request: r, upstreamRequest: r, clientModel: x.clientModel,
		target: &ir.Target{}, Usage: ir.NoUsage, AskUsage: x.AskUsage, Secrets: x.Secrets}, nil
}

// PromptSize estimates how many bytes Summarize allocates for the calls of the conversation.
func (x WorkerExchange) PromptSize() (n int) { return compact.TextSize(x.Request) }

// ReadSummary reads the whole body of the upstream's answer to an exchange of Summarize: a stream or a
// plain answer, valid or not. The error is compact.Reader's, without Secrets.
func (x WorkerExchange) ReadSummary(body []byte, isStream bool) (string, error) {
	s := &compact.Reader{}
	c := cutter{decoder: x.decoder(&watched{x.Exchange, s}, stages.Complete)}
	c.take(body, isStream)
	text, err := s.Text()
	if err != nil {
		x.Failed = err.Kind
		return "", x.withoutSecrets(err)
	}
	x.id = s.ID
	return text, nil
}

// SetSummary replaces the summarized part of the conversation by the text of by.ReadSummary. by is the
// exchange of Summarize. The answer begins with the summary. The losses of by are added to Lost.
// sealed is the envelope for the client.
func (x WorkerExchange) SetSummary(by *Exchange, text string, sealed ir.Escaped) {
	x.summary = &compact.Summary{Text: jsonw.Escape(text), Envelope: sealed, ID: by.id, Usage: by.Usage}
	for _, path := range by.Lost.Paths() {
		x.Lost.Add(path)
	}
	x.summary.ReplaceIn(x.Request)
}

// IsAnswered reports whether the summary is the whole answer: no upstream request is needed.
func (x WorkerExchange) IsAnswered() bool {
	return x.summary != nil && (x.Request.Compaction.Trigger || x.Request.Compaction.Pause)
}

// AppendSummary appends the client's answer if IsAnswered: a stream or a plain body, as the request
// asks.
func (x WorkerExchange) AppendSummary(dst []byte) ([]byte, error) {
	if x.Request.Stream {
		encoder := x.pair.Client.Client.NewEncoder(x.Request, x.clientModel)
		s := &Stream{output: output{exchange: x.Exchange, encoder: encoder}}
		x.summary.Answer(x.Request, &s.output)
		return append(dst, s.out()...), nil
	}
	f := x.pair.Client.Client.NewPlainEncoder(x.Request, x.clientModel, dst)
	x.summary.Answer(x.Request, &watched{x.Exchange, f})
	return (&Plain{exchange: x.Exchange, encoder: f}).Body()
}
