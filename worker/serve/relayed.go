package serve

import (
	"errors"

	"edgelingua/translator"
	"edgelingua/worker/bridge"
	"edgelingua/worker/stored"
	"edgelingua/worker/upstream"
)

// relayed is the stream of a translated answer. The bridge's pump drives it, and it pushes the
// upstream's chunks through the translator's stream. Some upstream bodies are not streams, as their
// late head or their first bytes show. Such a body is buffered instead and translated at its end.
type relayed struct {
	asked
	stream     *translator.Stream
	status     int     // the upstream's status for a body that is buffered; 0: the body is not buffered
	begun      bool    // the body has begun: more than white space has arrived
	whole      []byte  // the buffered body
	reason     error   // the reason why there is no head at all, or no readable body
	answer     *record // the request's record
	rest       bool    // there is a fallback left to try
	failedOver bool    // the stream waits for the fallback's request: see further.goOn
	rounds     *rounds // the next rounds after the upstream's body; nil: none
	again      bool    // the stream waits for the next request of rounds
}

// Head implements bridge.Stream for an upstream that answers after HeadWait, and for further
// requests. again: the upstream can't answer, and the fallback is tried.
func (r *relayed) Head(status int, lines string) (again bool) {
	if r.looksUp() {
		r.rounds.lookup.Head(status, lines)
		return false
	}
	if r.reason != nil { // there is no next round or no next upstream
		return false
	}
	var failed error
	if status == 0 {
		failed = errors.New(lines)
	}
	r.answer.noteHead(r.of, status, lines, failed)
	switch {
	case r.rest && !r.stream.Begun() && upstream.Fails(status, failed):
		r.failedOver = true
		return true
	case failed != nil:
		r.reason = upstream.Unreached(lines)
	case upstream.Unread(status, lines) != nil:
		r.reason = upstream.Unread(status, lines)
	case status >= 300 || isJSON(lines):
		r.status = status
	}
	return false
}

// Push implements bridge.Stream.
func (r *relayed) Push(chunk []byte) ([]byte, bool) {
	if r.looksUp() {
		if !r.rounds.lookup.Push(chunk) {
			return nil, false
		}
		return r.lookedUp()
	}
	if r.reason != nil {
		return r.stream.Close(r.reason), true
	}
	if !r.begun {
		lead := beginning(chunk)
		if r.begun = lead != ""; r.begun && r.status == 0 && (lead[0] == '{' || lead[0] == '[' ||
			lead[0] == '<') {
			r.status = 200
		}
	}
	if r.status == 0 {
		out, done := r.stream.Push(chunk)
		r.answer.timing.noteOutput(out)
		return out, r.goesOn(done)
	}
	if len(r.whole)+len(chunk) > upstream.MaxAnswer {
		return r.stream.Close(r.refusal(r.status, r.whole, bridge.ErrTooLarge)), true
	}
	r.whole = append(r.whole, chunk...)
	return nil, false
}

// Pieces implements bridge.Scattered.
func (r *relayed) Pieces() [][]byte { return r.stream.Pieces() }

// Complete reports whether the upstream's stream is complete except for its usage.
func (r *relayed) Complete() bool {
	return r.status == 0 && !r.looksUp() && r.stream.Complete()
}

// Close implements bridge.Stream.
func (r *relayed) Close(cause bridge.Cause) []byte {
	if r.looksUp() {
		if l := &r.rounds.lookup; cause != bridge.Ended && l.Failed == nil {
			l.Failed = upstream.Severed(cause)
		}
		out, _ := r.lookedUp()
		return out
	}
	out := r.close(cause)
	r.goesOn(true)
	return out
}

func (r *relayed) close(cause bridge.Cause) []byte {
	err := r.reason
	switch {
	case err != nil:
	case r.status >= 300:
		err = r.refusal(r.status, r.whole, nil) // with as much of the body as has arrived
	case cause != bridge.Ended:
		err = upstream.Severed(cause)
	case r.status != 0 && r.rounds != nil:
		return r.stream.Take(r.whole, beginsLikeSSE(r.whole))
	case r.status != 0:
		var out []byte
		r.stream, out = streamOf(r.exchange, r.whole)
		return out
	}
	return r.stream.Close(err)
}

// follow returns the next request of the stream's rounds. If that request can't be made, the Call
// has no URL, so it fails, and r.reason is the client's error.
func (r *relayed) follow() bridge.Call {
	r.status, r.begun, r.whole = 0, false, nil
	call, err := r.rounds.next(r.stream.AppendNext)
	if err != nil {
		r.reason = err
	} else if !r.looksUp() {
		r.answer.last.billable = true
	}
	return call
}

// looksUp reports whether a web search or the fetch of a webpage is running for the stream.
func (r *relayed) looksUp() bool { return r.rounds != nil && r.rounds.lookup.Runs }

// lookedUp ends the lookup and pushes its result. If a webpage redirects, the lookup continues.
func (r *relayed) lookedUp() ([]byte, bool) {
	hits, code, again := r.rounds.lookup.End()
	if again {
		return nil, r.goesOn(true)
	}
	out, done := r.stream.Found(hits, code)
	return out, r.goesOn(done || r.exchange.Waits())
}

// goesOn records whether the answer needs another request after this output. It returns done.
func (r *relayed) goesOn(done bool) bool {
	r.again = done && r.rounds != nil && r.exchange.Waits()
	return done
}

// Again implements bridge.Chained.
func (r *relayed) Again() bool {
	again := r.again
	r.again = false
	return again
}

// kept is the stream of an answer that is stored. The client gets the last output after the answer
// is stored.
type kept struct {
	*relayed
	writer *stored.Writer
	last   []byte // the last output
	err    error  // the reason why the answer can't be stored
}

// Push is Push of the relayed stream, without the last output.
func (k *kept) Push(chunk []byte) (out []byte, done bool) {
	if out, done = k.relayed.Push(chunk); done && !k.again {
		k.last, out = out, nil
	}
	return out, done
}

// Close buffers the last output instead of returning it.
func (k *kept) Close(cause bridge.Cause) []byte {
	out := k.relayed.Close(cause)
	if k.again {
		return out
	}
	k.last = out
	return nil
}

// Keep returns the statements that store the answer. nil: the answer failed or can't be stored.
func (k *kept) Keep() (s *bridge.Statements) {
	s, k.err = k.writer.Statements()
	return s
}

// Kept returns the last output or, if the answer is not stored, a failure. failed is the error of
// the statements.
func (k *kept) Kept(failed error) []byte {
	if failed != nil {
		k.err = k.writer.Failed(failed)
	}
	if k.err != nil {
		k.answer.result.unstored = true
		return k.stream.Fail(k.err)
	}
	return k.last
}
