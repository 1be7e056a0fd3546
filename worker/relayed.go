//go:build js && wasm

package main

import (
	"errors"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/upstream"
)

// relayed is the stream of one answer as the pump drives it. It pushes through the translator's stream, but for an upstream
// whose late head says that its body is no stream, or whose body begins like none: that body is gathered and translated at its
// end.
type relayed struct {
	stream   *translator.Stream
	exchange *translator.Exchange
	status   int  // of an answer whose body is gathered; 0: none is
	begun    bool // the body has
	whole    []byte
	reason   *ir.Error // why there is no head at all, or no body to read
	storing  *storing
	last     []byte    // the end of an answer, until that is stored
	unkept   *ir.Error // why it can't be
	next     chan bool // wakes who asks the next upstream; nil: there is none
}

// Head takes a late head. Where its upstream can't answer, another one may.
func (r *relayed) Head(status int, lines string) (again bool) {
	var failed error
	if status == 0 {
		failed = errors.New(lines)
	}
	switch {
	case r.reason != nil:
	case r.next != nil && upstream.Fails(status, failed):
		r.next <- true
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
	if r.reason != nil {
		return r.hold(r.stream.Close(r.reason)), true
	}
	if !r.begun {
		lead := beginning(chunk)
		if r.begun = lead != ""; r.begun && r.status == 0 && (lead[0] == '{' || lead[0] == '[' || lead[0] == '<') {
			r.status = 200
		}
	}
	if r.status == 0 {
		out, done := r.stream.Push(chunk)
		if done {
			out = r.hold(out)
		}
		return out, done
	}
	if len(r.whole)+len(chunk) > upstream.MaxAnswer {
		return r.hold(r.stream.Close(refusal(r.exchange, r.status, r.whole, bridge.ErrTooLarge))), true
	}
	r.whole = append(r.whole, chunk...)
	return nil, false
}

// Complete reports whether only usage may still come.
func (r *relayed) Complete() bool { return r.status == 0 && r.stream.Complete() }

// Close takes the end of the upstream's body.
func (r *relayed) Close(cause bridge.Cause) []byte {
	err := r.reason
	switch {
	case err != nil:
	case r.status >= 300:
		err = refusal(r.exchange, r.status, r.whole, nil) // whatever could be read of it
	case cause != bridge.Ended:
		err = upstream.Severed(cause)
	case r.status != 0:
		var out []byte
		r.stream, out = streamOf(r.exchange, r.whole)
		return r.hold(out)
	}
	return r.hold(r.stream.Close(err))
}

// hold keeps the end of an answer back that is stored before the client sees it.
func (r *relayed) hold(out []byte) []byte {
	if r.storing.state() == "" {
		return out
	}
	r.last = out
	return nil
}

// Keep returns what stores the answer.
func (r *relayed) Keep() (s *bridge.Statements) {
	s, r.unkept = r.storing.statements()
	return s
}

// Kept returns the end that was held back, or what stands in its place where the answer is not stored.
func (r *relayed) Kept(failed error) []byte {
	if failed != nil {
		r.unkept = notStored(failed)
	}
	if r.unkept != nil {
		return r.stream.Fail(r.unkept)
	}
	return r.last
}
