package translator

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/stages"
)

const (
	maxTapped = 16 << 20 // bytes of a plain answer that a Tap reads
	maxHeld   = 64 << 10 // bytes of an unfinished event that a Tap holds back
	maxBehind = 1 << 20  // bytes that pass behind the failure of a stream
)

// Tap reads the bytes of an answer that passes, for the tokens that it took and whether it failed. The answer passes whether or not Tap
// can read it, and unchanged but for the upstream's secrets in the failure of a stream. Only the end of an event tells whether it is a
// failure, so what has come of an event is held back until then.
type Tap struct {
	exchange Exchange
	cutter   cutter
	doubts   doubter // the decoder, where its API has doubts
	begun    bool    // a byte other than space has come
	plain    bool    // the body is JSON, not a stream
	whole    []byte  // the plain body so far
	large    bool    // the plain body is over maxTapped, and whole was dropped
	held     []byte  // what has come of an unfinished event, and has not passed yet
	loose    bool    // the unfinished event is over maxHeld, and passes as it comes
	behind   int     // bytes that have come since the failure
	out      []byte  // what passes, where that is no part of the chunk
}

// doubter is an ir.Decoder that may have to wait for the event behind one that tells of a failure before it knows that the answer has
// failed. Doubts reports whether it waits.
type doubter interface{ Doubts() bool }

// NewTap returns a Tap of one answer of an upstream that speaks api. secrets is as Exchange.Secrets.
func NewTap(api *ir.API, secrets func() []string) *Tap {
	t := &Tap{}
	request := &ir.Request{API: api}
	t.exchange = Exchange{pair: Pair{api, api}, target: &ir.Target{}, Request: request, sent: request, Usage: ir.NoUsage, AskUsage: true, Secrets: secrets}
	t.cutter.decoder = t.exchange.decoder(&watched{&t.exchange, unheard{}}, stages.Streamed)
	t.doubts, _ = t.cutter.decoder.(doubter)
	return t
}

// Push takes the next chunk of the body, cut anywhere, and returns what passes now, which is good until the next call or until chunk
// changes. done: the stream has failed long ago and goes on and on, so that no more of it passes.
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
	if len(t.held) == 0 {
		return chunk, false
	}
	t.out = t.out[:0]
	t.pass(chunk) // behind space that seemed to begin a stream
	return t.out, false
}

// pushStream is Push for the body of a stream.
func (t *Tap) pushStream(chunk []byte) (out []byte, done bool) {
	if t.exchange.Failed != 0 {
		if t.behind += len(chunk); t.behind > maxBehind {
			return nil, true
		}
	}
	r := &t.cutter.reader
	r.Push(chunk)
	t.out = t.out[:0]
	passed := 0 // what is in front of that in chunk has been dealt with
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
		t.loose = r.Err() != nil || rest > maxHeld
	case len(t.held)+rest > maxHeld:
		t.loose = true
	}
	if t.loose {
		edge = len(chunk)
	}
	switch {
	case t.fails() && edge > passed:
		t.passClean(chunk[passed:edge])
	case passed == 0 && len(t.held) == 0:
		out = chunk[:edge]
	case edge > passed:
		t.pass(chunk[passed:edge])
	}
	t.held = append(t.held, chunk[edge:]...)
	if out == nil {
		out = t.out
	}
	return out, false
}

// fails reports whether the answer has failed, or what has come last may be a failure.
func (t *Tap) fails() bool {
	return t.exchange.Failed != 0 || t.doubts != nil && t.doubts.Doubts()
}

// pass lets pass what is held, and text behind it.
func (t *Tap) pass(text []byte) {
	t.out = append(append(t.out, t.held...), text...)
	t.held = t.held[:0]
}

// passClean is pass without the upstream's secrets.
func (t *Tap) passClean(text []byte) {
	if t.exchange.Secrets == nil {
		t.pass(text)
		return
	}
	t.held = append(t.held, text...)
	t.out = append(t.out, passing.Redact(view(t.held), t.exchange.Secrets())...)
	t.held = t.held[:0]
}

// Close takes the end of the body, and returns what is still to pass. cause is the error that has cut it, nil where it just ended.
func (t *Tap) Close(cause *ir.Error) (out []byte) {
	switch {
	case t.plain && t.large && cause == nil:
	case t.plain && cause == nil:
		t.cutter.decoder.Body(view(t.whole))
	default:
		t.cutter.close(cause)
	}
	t.out = t.out[:0]
	t.passClean(nil)
	return t.out
}

// Usage returns the tokens that the upstream has counted so far.
func (t *Tap) Usage() *ir.Usage { return &t.exchange.Usage }

// Searches returns how many searches of the web the upstream has run so far.
func (t *Tap) Searches() int64 { return t.exchange.Searches }

// OutputTokens is Exchange.OutputTokens.
func (t *Tap) OutputTokens(model string) int64 { return t.exchange.OutputTokens(model) }

// Failed returns the kind of error with which the answer has failed, 0 where it has not.
func (t *Tap) Failed() ir.ErrorKind { return t.exchange.Failed }

// TooLarge reports whether the answer is a plain one of more than 16 MB: its tokens are not read.
func (t *Tap) TooLarge() bool { return t.large }

// unheard is a sink that drops its events: watched, in front of it, has read them.
type unheard struct{}

// Event does nothing.
func (unheard) Event(*ir.Event) {}
