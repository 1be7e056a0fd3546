package serve

import (
	"errors"

	"edgelingua/translator"
	"edgelingua/worker/bridge"
	"edgelingua/worker/stored"
	"edgelingua/worker/upstream"
)

// translatedStream is the stream of a translated answer. The bridge's pump drives it, and it pushes
// the upstream's chunks through the translator's stream. Some upstream bodies are not streams, as
// their late head or their first bytes show. Such a body is buffered instead and translated at its
// end.
type translatedStream struct {
	upstreamRequest
	stream         translator.WorkerStream
	status         int     // the upstream's status for a body that is buffered; 0: the body is not buffered
	started        bool    // the body has begun: more than white space has arrived
	buffer         []byte  // the buffered body
	failure        error   // the reason why there is no head at all, or no readable body
	record         *record // the request's record
	hasFallback    bool    // there is a fallback left to try
	awaitsFallback bool    // the stream waits for the fallback's request: see nextRequests.run
	rounds         *rounds // the next rounds after the upstream's body; nil: none
	awaitsRound    bool    // the stream waits for the next request of rounds
}

// Head implements bridge.Stream for an upstream that answers after HeadWait, and for further
// requests. again: the upstream can't answer, and the fallback is tried.
func (s *translatedStream) Head(status int, lines string) (again bool) {
	if s.runsLookup() {
		s.rounds.head(status, lines)
		return false
	}
	if s.failure != nil { // there is no next round or no next upstream
		return false
	}
	var failed error
	if status == 0 {
		failed = errors.New(lines)
	}
	s.record.noteHead(s.upstream, status, lines, failed)
	switch {
	case s.hasFallback && !s.stream.Begun() && upstream.Fails(status, failed):
		s.awaitsFallback = true
		return true
	case failed != nil:
		s.failure = upstream.Unreached(lines)
	case upstream.Unread(status, lines) != nil:
		s.failure = upstream.Unread(status, lines)
	case status >= 300 || isJSON(lines):
		s.status = status
	}
	return false
}

// Push implements bridge.Stream.
func (s *translatedStream) Push(chunk []byte) ([]byte, bool) {
	if s.runsLookup() {
		if !s.rounds.push(chunk) {
			return nil, false
		}
		return s.endLookup()
	}
	if s.failure != nil {
		return s.stream.Close(s.failure), true
	}
	if !s.started {
		lead := beginning(chunk)
		if s.started = lead != ""; s.started && s.status == 0 && (lead[0] == '{' || lead[0] == '[' ||
			lead[0] == '<') {
			s.status = 200
		}
	}
	if s.status == 0 {
		out, done := s.stream.Push(chunk)
		s.record.timing.noteOutput(out)
		return out, s.noteRound(done)
	}
	if len(s.buffer)+len(chunk) > upstream.MaxAnswer {
		return s.stream.Close(s.refusal(s.status, s.buffer, bridge.ErrTooLarge)), true
	}
	s.buffer = append(s.buffer, chunk...)
	return nil, false
}

// Pieces implements bridge.PieceStream.
func (s *translatedStream) Pieces() [][]byte { return s.stream.Pieces() }

// Complete reports whether the upstream's stream is complete except for its usage.
func (s *translatedStream) Complete() bool {
	return s.status == 0 && !s.runsLookup() && s.stream.Complete()
}

// Close implements bridge.Stream.
func (s *translatedStream) Close(cause bridge.Cause) []byte {
	if s.runsLookup() {
		if cause != bridge.Ended {
			s.rounds.sever(cause)
		}
		out, _ := s.endLookup()
		return out
	}
	out := s.close(cause)
	s.noteRound(true)
	return out
}

func (s *translatedStream) close(cause bridge.Cause) []byte {
	err := s.failure
	switch {
	case err != nil:
	case s.status >= 300:
		err = s.refusal(s.status, s.buffer, nil) // with as much of the body as has arrived
	case cause != bridge.Ended:
		err = upstream.Severed(cause)
	case s.status != 0 && s.rounds != nil:
		return s.stream.Take(s.buffer, beginsLikeSSE(s.buffer))
	case s.status != 0:
		var out []byte
		s.stream.Stream, out = streamOf(s.exchange, s.buffer)
		return out
	}
	return s.stream.Close(err)
}

// nextRequest returns the next request of the stream's rounds. If that request can't be made, the
// Call has no URL, so it fails, and s.failure is the client's error.
func (s *translatedStream) nextRequest() bridge.Call {
	s.status, s.started, s.buffer = 0, false, nil
	call, err := s.rounds.nextRequest(s.stream.AppendNext)
	if err != nil {
		s.failure = err
	} else if !s.runsLookup() {
		s.record.last.billable = true
		if s.record.account.counts {
			s.record.insure(true)
		}
	}
	return call
}

// runsLookup reports whether a web search, the fetch of a webpage or a consultation is running for the
// stream.
func (s *translatedStream) runsLookup() bool { return s.rounds != nil && s.rounds.waits() }

// endLookup ends the lookup and pushes its result. If a webpage redirects, the lookup continues.
func (s *translatedStream) endLookup() ([]byte, bool) {
	hits, code, again := s.rounds.end()
	if again {
		return nil, s.noteRound(true)
	}
	out, done := s.stream.Found(hits, code)
	return out, s.noteRound(done || s.exchange.Waits())
}

// noteRound records whether the answer needs another request after this output. It returns done.
func (s *translatedStream) noteRound(done bool) bool {
	s.awaitsRound = done && s.rounds != nil && s.exchange.Waits()
	return done
}

// NextRound implements bridge.Rounds.
func (s *translatedStream) NextRound() bool {
	again := s.awaitsRound
	s.awaitsRound = false
	return again
}

// storedStream is the stream of an answer that is stored. The client gets the last output after the
// answer is stored.
type storedStream struct {
	*translatedStream
	writer     *stored.Writer
	lastOutput []byte // the last output
	err        error  // the reason why the answer can't be stored
}

// Push is Push of the translated stream, without the last output.
func (s *storedStream) Push(chunk []byte) (out []byte, done bool) {
	if out, done = s.translatedStream.Push(chunk); done && !s.awaitsRound {
		s.lastOutput, out = out, nil
	}
	return out, done
}

// Close buffers the last output instead of returning it.
func (s *storedStream) Close(cause bridge.Cause) []byte {
	out := s.translatedStream.Close(cause)
	if s.awaitsRound {
		return out
	}
	s.lastOutput = out
	return nil
}

// Store returns the statements that store the answer. nil: the answer failed or can't be stored.
func (s *storedStream) Store() (statements *bridge.Statements) {
	statements, s.err = s.writer.Statements()
	return statements
}

// Stored returns the last output or, if the answer is not stored, a failure. failed is the error of
// the statements.
func (s *storedStream) Stored(failed error) []byte {
	if failed != nil {
		s.err = s.writer.Failed(failed)
	}
	if s.err != nil {
		s.record.result.unstored = true
		return s.stream.Fail(s.err)
	}
	return s.lastOutput
}
