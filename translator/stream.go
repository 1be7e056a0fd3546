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

// Stream translates one answer into a client's stream, while the answer arrives.
type Stream struct {
	cutter cutter
	output output
	valid  []byte   // the output, if output.buf is not UTF-8
	pieces [][]byte // the last result of Pieces
}

// Stream returns the translation of a streamed answer.
func (x *Exchange) Stream() *Stream { return x.stream(stages.Streamed) }

func (x *Exchange) stream(a stages.Arrival) *Stream {
	encoder := x.pair.Client.Client.NewEncoder(x.Request, x.clientModel)
	s := &Stream{output: output{exchange: x, encoder: encoder}}
	var sink ir.Sink = &s.output
	if x.pair.Client.EndHasAnswer {
		sink = stages.Limit(x.MaxOutput, sink)
	}
	s.cutter.decoder = x.decoder(sink, a)
	return s
}

// StreamOfBody returns a client's whole stream for an upstream's plain body, valid or not. A
// failure is an event of the stream. body is not retained. out is valid until the next call of a
// method of s with output.
func (x *Exchange) StreamOfBody(body []byte) (s *Stream, out []byte) {
	s = x.stream(stages.Complete)
	return s, s.Take(body, false)
}

// Take reads the upstream's whole answer, valid or not: a stream, or a plain body. body is not
// retained. out is as in Push.
func (s *Stream) Take(body []byte, isStream bool) (out []byte) {
	s.output.reset(0)
	s.cutter.take(body, isStream)
	return s.out()
}

// Found reads the results for the last result of Exchange.Search, or the code of its failure
// (ir.SearchUnavailable, ...), "" for none. out and done are as in Push. Found panics unless
// Exchange.Rounds.
func (s *Stream) Found(hits []stages.Hit, code string) (out []byte, done bool) {
	s.output.reset(0)
	s.output.exchange.found(hits, code)
	return s.out(), s.output.ended
}

// AppendNext appends the body of the next round's request; Push or Take reads its answer. On an
// error dst is returned unchanged. AppendNext panics unless Exchange.Rounds.
func (s *Stream) AppendNext(dst []byte) ([]byte, error) {
	return s.output.exchange.appendNext(dst, &s.cutter)
}

// Push reads the next chunk of the upstream's body, cut anywhere. It returns the client's output:
// whole SSE events, or nothing. out is valid until the next call; chunk is not retained. If done is
// true the caller may close its connection to the upstream: the answer is complete, or has failed
// (out then tells the client), or waits for searches (Exchange.Waits).
func (s *Stream) Push(chunk []byte) (out []byte, done bool) {
	s.output.reset(0)
	if !s.output.ended && !s.output.exchange.Waits() {
		s.cutter.push(chunk)
	}
	return s.out(), s.output.ended || s.output.exchange.Waits()
}

// Close ends the upstream's body and returns the client's last events. cause is the error that cut
// the body, nil if the body simply ended. An incomplete answer fails in either case. The client
// gets the text of cause. So give Close an *ir.Error worded for clients, as Copy does: the text of a
// network's error has addresses, and its kind would be ir.Internal. After Push has returned done,
// and after a first Close, Close returns nothing.
func (s *Stream) Close(cause error) (out []byte) {
	s.output.reset(0)
	if !s.output.ended {
		s.cutter.close(ir.AsError(cause))
	}
	return s.out()
}

// splicedPieces implements WorkerStream.Pieces.
func (s *Stream) splicedPieces() [][]byte {
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

// out returns the output of the last call, in UTF-8. No character is cut: an output has whole events,
// and a splice has a whole text.
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
	if pieces := s.splicedPieces(); pieces != nil {
		whole = nil
		for _, piece := range pieces {
			whole = append(whole, piece...)
		}
	}
	s.valid = passing.AppendValid(s.valid, whole)
	return s.valid
}

// Complete reports whether the upstream has said why it stopped. Only the usage may be missing. A
// caller that has waited long enough for the usage calls Close.
func (s *Stream) Complete() bool { return s.cutter.decoder.Complete() }

// KeepAlive returns constant bytes that keep the connection open. The caller may send them between
// two results of Push.
func (s *Stream) KeepAlive() string { return s.output.encoder.KeepAlive() }

// cutter cuts the body of an upstream's stream into SSE events and passes them to a decoder.
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

// check fails the answer if the reader can't continue.
func (c *cutter) check() {
	if err := c.reader.Err(); err != nil {
		c.decoder.Close(&ir.Error{
			Kind:    ir.Unavailable,
			Message: "The upstream's stream can't be read: " + err.Error() + ".",
		})
	}
}

// take reads a whole body: a stream or a plain body.
func (c *cutter) take(body []byte, isStream bool) {
	if !isStream {
		c.decoder.Body(view(body))
		return
	}
	c.push(body)
	c.close(nil)
}

// close ends the body. A last event without its blank line counts, unless cause says that the body
// was cut. If the upstream has already said why it stopped, half an event is dropped: at most the
// usage was in it.
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

// output is a sink that encodes the client's output.
type output struct {
	exchange *Exchange
	encoder  ir.Encoder
	buf      []byte
	splices  []ir.Splice // texts missing in buf: see WorkerStream.UsePieces
	begun    bool
	ended    bool
	failure  *ir.Error // of the answer; nil: none
	end      int       // offset in buf where the end of a complete answer begins
}

// reset truncates the output to n bytes.
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
		o.ended, o.failure = true, ev.Err
	case ir.Finish:
		o.ended, o.end = true, len(o.buf)
	}
	o.buf = o.encoder.AppendEvent(o.buf, ev)
}

// view returns b as a string without a copy. The string is valid until b changes.
func view(b []byte) string {
	return string(jsonw.View(b))
}
