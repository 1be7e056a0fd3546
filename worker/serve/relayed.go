package serve

import (
	"errors"

	"edgelingua/translator"
	"edgelingua/worker/bridge"
	"edgelingua/worker/stored"
	"edgelingua/worker/upstream"
)

// relayed is the stream of one translated answer, which the bridge's pump drives. It pushes the upstream's chunks through the
// translator's stream. An upstream's body that is no stream, by its late head or by how it begins, is gathered instead, and translated
// at its end.
type relayed struct {
	asked
	stream     *translator.Stream
	status     int     // the upstream's, of a body that is gathered; 0: none is
	begun      bool    // more than space has come of the body
	whole      []byte  // what is gathered
	reason     error   // why there is no head at all, or no body to read
	answer     *record // of the request
	rest       bool    // there is another upstream to ask
	failedOver bool    // the stream waits for the call of that one: see further.goOn
	rounds     *rounds // what the answer goes on with behind the upstream's body; nil: nothing
	again      bool    // the stream waits for the next call of these
}

// Head takes the status and the head of an upstream that answers after HeadWait. again: the upstream can't answer, and the next one is
// asked.
func (r *relayed) Head(status int, lines string) (again bool) {
	if r.looksUp() {
		r.rounds.lookup.Head(status, lines)
		return false
	}
	if r.reason != nil { // there is no next round, or no next upstream
		return false
	}
	var failed error
	if status == 0 {
		failed = errors.New(lines)
	}
	r.answer.came(r.of, status, lines, failed)
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

// Push takes a chunk of the upstream's body.
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
		if r.begun = lead != ""; r.begun && r.status == 0 && (lead[0] == '{' || lead[0] == '[' || lead[0] == '<') {
			r.status = 200
		}
	}
	if r.status == 0 {
		out, done := r.stream.Push(chunk)
		r.answer.times.ofFirst(out)
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

// Complete reports whether the upstream's stream is complete, so that only its usage may still come.
func (r *relayed) Complete() bool {
	return r.status == 0 && !r.looksUp() && r.stream.Complete()
}

// Close takes the end of the upstream's body.
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
		err = r.refusal(r.status, r.whole, nil) // of however much of the body has come
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

// follow returns the call that the stream goes on with. One without a URL fails, and its outcome is known.
func (r *relayed) follow() bridge.Call {
	r.status, r.begun, r.whole = 0, false, nil
	call, err := r.rounds.next(r.stream.AppendNext)
	if err != nil {
		r.reason = err
	} else if !r.looksUp() {
		r.answer.taken = true
	}
	return call
}

// looksUp reports whether the stream goes on with a search or a page.
func (r *relayed) looksUp() bool { return r.rounds != nil && r.rounds.lookup.Runs }

// lookedUp ends that.
func (r *relayed) lookedUp() ([]byte, bool) {
	hits, code, again := r.rounds.lookup.End()
	if again {
		return nil, r.goesOn(true)
	}
	out, done := r.stream.Found(hits, code)
	return out, r.goesOn(done || r.exchange.Waits())
}

// goesOn notes that the stream goes on with another call, if the answer waits for one. It returns done.
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

// kept is the relayed stream of an answer that is stored. The client gets the stream's last output once that has happened.
type kept struct {
	*relayed
	writer *stored.Writer
	last   []byte // the last output
	err    error  // why the answer can't be stored
}

// Push is that of the relayed stream, but for the last output.
func (k *kept) Push(chunk []byte) (out []byte, done bool) {
	if out, done = k.relayed.Push(chunk); done && !k.again {
		k.last, out = out, nil
	}
	return out, done
}

// Close holds the last output back.
func (k *kept) Close(cause bridge.Cause) []byte {
	out := k.relayed.Close(cause)
	if k.again {
		return out
	}
	k.last = out
	return nil
}

// Keep returns the statements that store the answer; nil: it has failed, or can't be stored.
func (k *kept) Keep() (s *bridge.Statements) {
	s, k.err = k.writer.Statements()
	return s
}

// Kept returns the last output, or a failure where the answer is not stored. failed is that of the statements.
func (k *kept) Kept(failed error) []byte {
	if failed != nil {
		k.err = k.writer.Failed(failed)
	}
	if k.err != nil {
		k.answer.unstored = true
		return k.stream.Fail(k.err)
	}
	return k.last
}
