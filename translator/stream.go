package translator

import (
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
	"edgelingua/translator/sse"
	"edgelingua/translator/stages"
)

// Stream translates one answer into a client's stream, as the answer comes.
type Stream struct {
	cutter cutter
	output output
	valid  []byte   // what goes out in place of output.buf where that is not UTF-8
	pieces [][]byte // what Pieces has returned
}

// Stream returns the translation of the exchange's streamed answer.
func (x *Exchange) Stream() *Stream { return x.stream(stages.Streamed) }

func (x *Exchange) stream(a stages.Arrival) *Stream {
	s := &Stream{output: output{exchange: x, encoder: x.pair.Client.Client.NewEncoder(x.Request, x.asked)}}
	var sink ir.Sink = &s.output
	if x.pair.Client.EndHasAnswer {
		sink = stages.Limit(x.MaxOutput, sink)
	}
	s.cutter.decoder = x.decoder(sink, a)
	return s
}

// StreamOfBody returns a client's whole stream for an upstream's plain body, which may be anything. A failure is an event of the
// stream. out is good until a method of s is called that returns output.
func (x *Exchange) StreamOfBody(body []byte) (s *Stream, out []byte) {
	s = x.stream(stages.Complete)
	return s, s.Take(body, false)
}

// StreamOfStream returns what StreamOfBody does for an upstream's whole stream.
func (x *Exchange) StreamOfStream(body []byte) (s *Stream, out []byte) {
	s = x.Stream()
	return s, s.Take(body, true)
}

// Take takes the upstream's answer as a whole, which may be anything: a stream, or a plain body. It returns what Push does.
func (s *Stream) Take(body []byte, isStream bool) (out []byte) {
	s.output.reset(0)
	s.cutter.take(body, isStream)
	return s.out()
}

// Found reads the results of the search that Exchange.Search has returned, or the code of its failure (ir.SearchUnavailable, ...), and
// returns what Push does. Where the answer is not done and waits for no other search, AppendNext is next.
func (s *Stream) Found(hits []stages.Hit, code string) (out []byte, done bool) {
	s.output.reset(0)
	s.output.exchange.found(hits, code)
	return s.out(), s.output.ended
}

// AppendNext appends the body of the next round's request. Push takes the answer to that.
func (s *Stream) AppendNext(dst []byte) ([]byte, *ir.Error) {
	return s.output.exchange.appendNext(dst, &s.cutter)
}

// Push takes the next chunk of the upstream's body, cut anywhere, and returns what the client gets for it: whole SSE events, or
// nothing. out is good until the next call; chunk is not kept. done says that the answer is complete or has failed, and that out
// tells the client: the caller may close its connection to the upstream. So it may where the answer waits for searches (Exchange.Waits), with
// which done is true, too.
func (s *Stream) Push(chunk []byte) (out []byte, done bool) {
	s.output.reset(0)
	if !s.output.ended && !s.output.exchange.Waits() {
		s.cutter.push(chunk)
	}
	return s.out(), s.output.ended || s.output.exchange.Waits()
}

// Close takes the end of the upstream's body and returns the client's last events. cause is what cut the body, nil where it just
// ended. An answer that is not complete ends with a failure in either case. Where Push has said done, Close returns nothing.
func (s *Stream) Close(cause *ir.Error) (out []byte) {
	s.output.reset(0)
	if !s.output.ended {
		s.cutter.close(cause)
	}
	return s.out()
}

// Scatter has outputs leave out long texts that are in memory already: the events with which a stream of Responses ends repeat its text four times.
// Behind a call whose output lacks such a text, Pieces returns the whole.
func (s *Stream) Scatter() {
	if e, ok := s.output.encoder.(ir.Splicer); ok {
		e.SpliceInto(&s.output.splices)
	}
}

// Pieces returns the output of the last call in pieces, which are good until the next call; nil: the output is whole as it was returned, or
// its pieces have been returned already.
func (s *Stream) Pieces() [][]byte {
	o := &s.output
	if len(o.splices) == 0 {
		return nil
	}
	s.pieces = s.pieces[:0]
	from := 0
	for _, splice := range o.splices {
		s.pieces = append(s.pieces, o.buf[from:splice.At], splice.Text)
		from = splice.At
	}
	o.splices = o.splices[:0]
	return append(s.pieces, o.buf[from:])
}

// out returns the output of the last call, in UTF-8. No character is cut: an output consists of whole events, and a splice of a whole text.
func (s *Stream) out() []byte {
	o := &s.output
	valid := utf8.Valid(o.buf)
	for i := range o.splices {
		valid = valid && utf8.Valid(o.splices[i].Text)
	}
	if valid {
		return o.buf
	}
	s.valid = s.valid[:0]
	whole := o.buf
	if pieces := s.Pieces(); pieces != nil {
		whole = nil
		for _, piece := range pieces {
			whole = append(whole, piece...)
		}
	}
	s.valid = passing.AppendValid(s.valid, whole)
	return s.valid
}

// Fail returns the last output of a complete answer once more, with err in place of the answer's end: for a caller that could not
// store it.
func (s *Stream) Fail(err *ir.Error) (out []byte) {
	s.output.reset(s.output.end)
	s.output.Event(&ir.Event{Kind: ir.Failure, Err: err})
	return s.out()
}

// Prepared returns the client's whole stream for a request that goes to no model: a complete answer
// without content.
func (x *Exchange) Prepared() []byte {
	o := output{exchange: x, encoder: x.pair.Client.Client.NewEncoder(x.Request, x.asked)}
	o.Event(&ir.Event{Kind: ir.Start})
	o.Event(&ir.Event{Kind: ir.Finish, Stop: ir.EndTurn})
	return o.buf
}

// Begun reports whether the answer has begun.
func (s *Stream) Begun() bool { return s.output.begun }

// Complete reports whether the upstream has said why it stopped. Only usage may still come, and a caller that has waited long
// enough for the usage calls Close.
func (s *Stream) Complete() bool { return s.cutter.decoder.Complete() }

// KeepAlive returns what may be sent between two results of Push to keep the connection open. Constant.
func (s *Stream) KeepAlive() string { return s.output.encoder.KeepAlive() }

// Trap returns the events to send in place of all further ones when the translator has died. Constant: ask before.
func (s *Stream) Trap() string { return s.output.encoder.Trap() }

// cutter cuts the body of an upstream's stream into SSE events, and hands them to a decoder.
type cutter struct {
	reader  sse.Reader
	decoder ir.Decoder
}

func (c *cutter) push(chunk []byte) {
	c.reader.Push(chunk)
	for {
		name, data, ok := c.reader.Next()
		if !ok {
			break
		}
		c.decoder.Event(name, data)
	}
	c.check()
}

// check fails the answer where the reader can't go on.
func (c *cutter) check() {
	if err := c.reader.Err(); err != nil {
		c.decoder.Close(&ir.Error{
			Kind:    ir.Unavailable,
			Message: "The upstream's stream can't be read: " + err.Error() + ".",
		})
	}
}

// take takes a whole body: a stream, or a plain one.
func (c *cutter) take(body []byte, isStream bool) {
	if !isStream {
		c.decoder.Body(view(body))
		return
	}
	c.push(body)
	c.close(nil)
}

// close ends the body. A last event without its blank line counts, unless cause says that the body was cut. Where the upstream
// has already said why it stopped, half an event is left out: at most the usage was in it.
func (c *cutter) close(cause *ir.Error) {
	if cause == nil {
		c.reader.End()
		for {
			name, data, ok := c.reader.Next()
			if !ok || c.decoder.Complete() && jsonr.Check(data) != nil {
				break
			}
			c.decoder.Event(name, data)
		}
	}
	c.decoder.Close(cause)
}

// output is a sink that gathers what the client gets.
type output struct {
	exchange *Exchange
	encoder  ir.Encoder
	buf      []byte
	splices  []ir.Splice // left out of buf: see Stream.Scatter
	begun    bool
	ended    bool
	end      int // where the end of a complete answer begins in buf
}

// reset keeps the first n bytes of the output.
func (o *output) reset(n int) {
	o.buf = o.buf[:n]
	for len(o.splices) > 0 && (n == 0 || o.splices[len(o.splices)-1].At > n) {
		o.splices = o.splices[:len(o.splices)-1]
	}
}

// Event implements ir.Sink.
func (o *output) Event(ev *ir.Event) {
	o.exchange.note(ev)
	switch ev.Kind {
	case ir.Start:
		o.begun = true
		ev = o.exchange.started(ev)
	case ir.Failure:
		ev.Err = o.exchange.withoutSecrets(ev.Err)
		o.ended = true
	case ir.Finish:
		o.ended, o.end = true, len(o.buf)
	}
	o.buf = o.encoder.AppendEvent(o.buf, ev)
}

// view returns b as a string without a copy.
func view(b []byte) string {
	return string(jsonw.View(b))
}
