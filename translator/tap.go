package translator

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/stages"
)

const (
	maxTapped   = 16 << 20 // bytes of a plain answer read by a Tap
	maxBuffered = 64 << 10 // bytes of an unfinished event buffered by a Tap
	maxAfter    = 1 << 20  // bytes that pass after the failure of a stream
)

// Tap reads an untranslated answer for its tokens and its failure. The answer passes even if Tap
// can't read it. It passes unchanged, except for the upstream's secrets in the failure of a stream.
// Only the end of an event shows whether the event is a failure, so Tap buffers an event until its
// end.
type Tap struct {
	exchange Exchange
	cutter   cutter
	doubts   doubter // the decoder, if it implements doubter
	begun    bool    // a byte other than white space has come
	plain    bool    // the body is JSON, not a stream
	whole    []byte  // the plain body so far
	large    bool    // the plain body exceeds maxTapped, and whole was dropped
	buffered []byte  // the beginning of an unfinished event
	loose    bool    // the unfinished event exceeds maxBuffered, and passes as it arrives
	after    int     // bytes since the failure
	out      []byte  // the output, unless it is a part of the chunk
}

// doubter is an ir.Decoder that decides only by the next event whether an event was a failure.
// Doubts reports whether the decoder waits for the next event.
type doubter interface{ Doubts() bool }

// NewTap returns a Tap of one answer of an upstream with the protocol api. secrets is like
// Exchange.Secrets.
func NewTap(api *ir.API, secrets func() []string) *Tap {
	t := &Tap{}
	request := &ir.Request{API: api}
	t.exchange = Exchange{pair: Pair{Client: api, Upstream: api}, target: &ir.Target{}, Request: request,
		upstreamRequest: request, Usage: ir.NoUsage, AskUsage: true, Secrets: secrets}
	t.cutter.decoder = t.exchange.decoder(&watched{&t.exchange, unheard{}}, stages.Streamed)
	t.doubts, _ = t.cutter.decoder.(doubter)
	return t
}

// Push reads the next chunk of the body, cut anywhere. It returns the bytes that pass now, valid
// until the next call or until chunk changes. done means that the stream has failed and has not
// ended since: no further bytes pass.
func (t *Tap) Push(chunk []byte) (out []byte, done bool) {
	if !t.begun {
		for i := 0; i < len(chunk) && !t.begun; i++ {
			if c := chunk[i]; c > ' ' {
				t.begun, t.plain = true, c == '{' || c == '['
			}
		}
	}
	switch {
	case !t.plain:
		return t.pushStream(chunk)
	case len(t.whole)+len(chunk) > maxTapped:
		t.large, t.whole = true, nil
	case !t.large:
		t.whole = append(t.whole, chunk...)
	}
	if len(t.buffered) == 0 {
		return chunk, false
	}
	t.out = t.out[:0]
	t.pass(chunk) // after white space that seemed to begin a stream
	return t.out, false
}

// pushStream is Push for the body of a stream.
func (t *Tap) pushStream(chunk []byte) (out []byte, done bool) {
	if t.exchange.Failed != 0 {
		if t.after += len(chunk); t.after > maxAfter {
			return nil, true
		}
	}
	r := &t.cutter.reader
	r.Push(chunk)
	t.out = t.out[:0]
	passed := 0 // chunk[:passed] is done
	for begin := 0; ; begin = r.Edge() {
		name, data, ok := r.Next()
		if !ok {
			break
		}
		t.cutter.decoder.Event(name, data)
		if t.fails() {
			if begin > passed {
				t.pass(chunk[passed:begin])
			}
			t.passClean(chunk[begin:r.Edge()])
			passed = r.Edge()
		}
	}
	t.cutter.check()
	edge := r.Edge()
	if r.Err() != nil {
		edge, t.loose = len(chunk), true
	}
	rest := len(chunk) - edge
	switch {
	case edge > 0:
		t.loose = r.Err() != nil || rest > maxBuffered
	case len(t.buffered)+rest > maxBuffered:
		t.loose = true
	}
	if t.loose {
		edge = len(chunk)
	}
	switch {
	case t.fails() && edge > passed:
		t.passClean(chunk[passed:edge])
	case passed == 0 && len(t.buffered) == 0:
		out = chunk[:edge]
	case edge > passed:
		t.pass(chunk[passed:edge])
	}
	t.buffered = append(t.buffered, chunk[edge:]...)
	if out == nil {
		out = t.out
	}
	return out, false
}

// fails reports whether the answer has failed, or the last event may be a failure.
func (t *Tap) fails() bool {
	return t.exchange.Failed != 0 || t.doubts != nil && t.doubts.Doubts()
}

// pass passes on the buffered bytes and text.
func (t *Tap) pass(text []byte) {
	t.out = append(append(t.out, t.buffered...), text...)
	t.buffered = t.buffered[:0]
}

// passClean is pass without the upstream's secrets.
func (t *Tap) passClean(text []byte) {
	if t.exchange.Secrets == nil {
		t.pass(text)
		return
	}
	t.buffered = append(t.buffered, text...)
	t.out = append(t.out, passing.Redact(view(t.buffered), t.exchange.Secrets())...)
	t.buffered = t.buffered[:0]
}

// Close ends the body and returns its last bytes. cause is the error that cut the body, nil if the
// body simply ended.
func (t *Tap) Close(cause error) (out []byte) {
	switch {
	case t.plain && t.large && cause == nil:
	case t.plain && cause == nil:
		t.cutter.decoder.Body(view(t.whole))
	default:
		t.cutter.close(ir.AsError(cause))
	}
	t.out = t.out[:0]
	t.passClean(nil)
	return t.out
}

// Usage returns the upstream's token counts so far. The result is part of the Tap.
func (t *Tap) Usage() *ir.Usage { return &t.exchange.Usage }

// Fast is Exchange.Fast.
func (t *Tap) Fast() bool { return t.exchange.Fast }

// Searches returns how many searches of the web the upstream has run so far.
func (t *Tap) Searches() int64 { return t.exchange.Searches }

// OutputTokens is Exchange.OutputTokens.
func (t *Tap) OutputTokens(model string) int64 { return t.exchange.OutputTokens(model) }

// Failed returns the kind of the answer's failure, 0 for none.
func (t *Tap) Failed() ir.ErrorKind { return t.exchange.Failed }

// TooLarge reports whether the answer is a plain body of more than 16 MB, whose tokens Tap does not
// read.
func (t *Tap) TooLarge() bool { return t.large }

// unheard is a sink that drops its events: watched, before it, has read them.
type unheard struct{}

// Event does nothing.
func (unheard) Event(*ir.Event) {}
