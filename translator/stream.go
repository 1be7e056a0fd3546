package translator

import (
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

// Stream translates one streamed answer as it comes.
type Stream struct {
	cutter cutter
	output output
	valid  []byte // what goes out in place of output.buf where that is not UTF-8
}

// Stream returns the translation of the exchange's streamed answer.
func (x *Exchange) Stream() *Stream { return x.stream(false) }

func (x *Exchange) stream(whole bool) *Stream {
	s := &Stream{output: output{exchange: x, encoder: x.pair.Client.Client.NewEncoder(x.Request, x.asked)}}
	s.cutter.decoder = x.decoder(&s.output, x.pair.Client.EndHasAnswer, whole)
	return s
}

// StreamOfBody returns a client's whole stream for an upstream's plain body. A failure is an event of it. out is good until s is
// asked for more.
func (x *Exchange) StreamOfBody(body []byte) (s *Stream, out []byte) {
	s = x.stream(true)
	s.cutter.decoder.Body(view(body))
	return s, s.out()
}

// StreamOfStream returns the same for an upstream's whole stream.
func (x *Exchange) StreamOfStream(body []byte) (s *Stream, out []byte) {
	s = x.Stream()
	s.cutter.push(body)
	if !s.output.ended {
		s.cutter.close(nil)
	}
	return s, s.out()
}

// Push takes the next chunk of the upstream's body, cut anywhere, and returns what the client gets for it: whole SSE events,
// or nothing. out is good until the next call; chunk is not kept. After done the answer is complete, or has failed, and the
// client was told: the upstream may be let go.
func (s *Stream) Push(chunk []byte) (out []byte, done bool) {
	s.output.buf = s.output.buf[:0]
	if !s.output.ended {
		s.cutter.push(chunk)
	}
	return s.out(), s.output.ended
}

// Close takes the end of the upstream's body and returns the client's last events. cause is what cut it, nil where it just
// ended. An answer that is not complete ends with a failure in either case. After done it returns nothing.
func (s *Stream) Close(cause *ir.Error) (out []byte) {
	s.output.buf = s.output.buf[:0]
	if !s.output.ended {
		s.cutter.close(cause)
	}
	return s.out()
}

// out is the output of the last call. A character lies in one output, since an event does.
func (s *Stream) out() []byte {
	if utf8.Valid(s.output.buf) {
		return s.output.buf
	}
	s.valid = appendValid(s.valid[:0], s.output.buf)
	return s.valid
}

// Fail returns the last output of a complete answer once more, with a failure in place of its end.
func (s *Stream) Fail(err *ir.Error) (out []byte) {
	s.output.buf = s.output.buf[:s.output.end]
	s.output.Event(&ir.Event{Kind: ir.Failure, Err: err})
	return s.out()
}

// Complete reports whether the upstream has said why it stopped. Only usage may still come: a caller that has waited long
// enough for it calls Close.
func (s *Stream) Complete() bool { return s.cutter.decoder.Complete() }

// KeepAlive returns what may be sent between two results of Push to keep the connection open. Constant.
func (s *Stream) KeepAlive() string { return s.output.encoder.KeepAlive() }

// Trap returns the events to send in place of all further ones when the translator has died. Constant: ask before.
func (s *Stream) Trap() string { return s.output.encoder.Trap() }

// cutter cuts a body into events for a decoder.
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
	if err := c.reader.Err(); err != nil {
		c.decoder.Close(&ir.Error{
			Kind:    ir.Unavailable,
			Message: "The upstream's stream can't be read: " + err.Error() + ".",
		})
	}
}

// close ends the body. An event that lacks only its blank line counts, unless the body was cut. Behind the reason why the answer
// stopped the rest of one may be lost: at most usage was in it.
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

// output gathers what a client gets.
type output struct {
	exchange *Exchange
	encoder  ir.Encoder
	buf      []byte
	ended    bool
	end      int // where in buf the end of a complete answer begins
}

// Event takes the next event of the answer.
func (o *output) Event(ev *ir.Event) {
	o.exchange.note(ev)
	switch ev.Kind {
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
