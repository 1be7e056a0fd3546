package translator

import (
	"strings"

	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/stages"
)

// This file and worker_compaction.go have what only this project's own programs call. The stated
// API and the released module leave both out.

// WorkerExchange is an Exchange with the methods that only the worker calls: it hands on long texts
// by reference, bills tokens and compacts conversations.
type WorkerExchange struct{ *Exchange }

// ForWorker returns an exchange with the methods for the worker.
func ForWorker(x *Exchange) WorkerExchange { return WorkerExchange{x} }

// WorkerStream is a Stream with the methods that only the worker calls.
type WorkerStream struct{ *Stream }

// JoinNames joins the results of name for all protocols into a list for people. conjunction precedes
// the last item: "a, b or c" for "or". JoinNames leaves out a protocol if name returns "".
func JoinNames(name func(*ir.API) string, conjunction string) string {
	text, last := "", ""
	for _, api := range APIs {
		switch item := name(api); {
		case item == "":
		case last == "":
			last = item
		default:
			text, last = text+last+", ", item
		}
	}
	return strings.TrimSuffix(text, ", ") + " " + conjunction + " " + last
}

// UsePieces makes AppendRequest and AppendNext leave out long texts that are in memory already, nearly
// all of them in the client's body. Pieces returns such a body with its texts. UsePieces returns an
// estimate of the bytes that will be left out: the long texts and files of the messages.
func (x WorkerExchange) UsePieces() (long int) {
	x.Request.LongTexts = &ir.LongTexts{}
	return x.Request.Long()
}

// Pieces returns a body of AppendRequest or AppendNext in pieces, which view body, the client's body
// and the exchange. nil: body is whole.
func (x WorkerExchange) Pieces(body []byte) [][]byte {
	if x.Request.LongTexts == nil {
		return nil
	}
	return x.Request.LongTexts.Pieces(body)
}

// Prepared returns the client's whole stream for a request that needs no model: a complete answer
// without content.
func (x WorkerExchange) Prepared() []byte {
	o := output{exchange: x.Exchange, encoder: x.pair.Client.Client.NewEncoder(x.Request, x.clientModel)}
	o.Event(&ir.Event{Kind: ir.Start})
	o.Event(&ir.Event{Kind: ir.Finish, Stop: ir.EndTurn})
	return o.buf
}

// CutDescriptions returns by how many bytes Policy has cut the descriptions of tools, after
// AppendRequest. The cut is not a loss, because the endpoint asks for it.
func (x WorkerExchange) CutDescriptions() int64 { return x.upstreamRequest.CutDescriptions }

// Uncounted estimates the input tokens missing in Usage if an answer has several rounds. It returns
// 0 if Usage has no input tokens at all.
func (x WorkerExchange) Uncounted() int64 {
	if x.web == nil || x.Usage.Prompt() == 0 {
		return 0
	}
	return x.web.Uncounted(x.upstreamRequest, count.Tokens)
}

// RoughInput is InputTokens without reading the texts: four bytes of text count as a token.
func (x WorkerExchange) RoughInput() int64 { return x.inputTokens(count.Rough) }

// LongestPrompt returns the tokens of the longest prompt of a round, as the upstream counted them:
// Usage has the sum. It returns 0 if there are no rounds.
func (x WorkerExchange) LongestPrompt() int64 {
	if x.web == nil {
		return 0
	}
	return x.web.LongestPrompt()
}

// Record sends sink the events of an upstream's whole answer: a stream or, with plain, a plain body.
// Tests and "replay --events" look at the hub with it.
func (x WorkerExchange) Record(sink ir.Sink, answer []byte, plain bool) {
	c := cutter{decoder: x.decoder(sink, stages.Streamed)}
	c.take(answer, !plain)
}

// UsePieces makes outputs leave out long texts that are already in memory: the last events of a
// stream of Responses repeat its text four times. Pieces returns such an output with its texts.
func (s WorkerStream) UsePieces() {
	if e, ok := s.output.encoder.(ir.Splicer); ok {
		e.SpliceInto(&s.output.splices)
	}
}

// Pieces returns the output of the last call in pieces, which are valid until the next call. It
// returns nil if the last call returned the whole output, or if Pieces has already returned the
// pieces.
func (s WorkerStream) Pieces() [][]byte { return s.splicedPieces() }

// Fail returns the last output of a complete answer again, with err instead of the answer's end.
// Callers use it if they could not store the answer.
func (s WorkerStream) Fail(err error) (out []byte) {
	s.output.reset(s.output.end)
	s.output.Event(&ir.Event{Kind: ir.Failure, Err: ir.AsError(err)})
	return s.out()
}

// Begun reports whether the answer has begun.
func (s WorkerStream) Begun() bool { return s.output.begun }

// Trap returns the events to send instead of all further events after the translator has died. They
// are constant: the caller must call Trap beforehand.
func (s WorkerStream) Trap() string { return s.output.encoder.Trap() }

// Finish returns the name of the reason why the answer ended, or "" without a complete answer.
func (x WorkerExchange) Finish() string {
	if !x.finished {
		return ""
	}
	return finishes[x.stop]
}

// FinishOf is Finish for an untranslated answer.
func FinishOf(t *Tap) string { return WorkerExchange{&t.exchange}.Finish() }

// finishes has the name of each ir.StopReason.
var finishes = [...]string{"", "end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal",
	"pause_turn", "context_window", "compaction"}
