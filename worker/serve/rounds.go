package serve

import (
	"errors"

	"edgelingua/translator"
	"edgelingua/translator/stages"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
	"edgelingua/worker/web"
)

// rounds makes the further requests of an answer in several rounds, one at a time: web searches,
// webpages, consultations of the advisor, and new requests to the upstream of the first round. It
// serves plain answers (plainAnswer) and streams (translatedStream).
type rounds struct {
	plan     *plan
	exchange *translator.Exchange
	upstream *endpoint.Upstream
	call     bridge.Call // the last request to the upstream; the body differs per round
	lookup   web.Lookup  // the running search or webpage
	consult  consultation
}

// newRounds returns the rounds of an answer; nil: the answer has only one round.
func (p *plan) newRounds(t translation, u *endpoint.Upstream) *rounds {
	if !t.exchange.Rounds() {
		return nil
	}
	return p.someRounds(t, u)
}

// someRounds is newRounds of an answer with rounds.
//
//go:noinline
func (p *plan) someRounds(t translation, u *endpoint.Upstream) *rounds {
	return &rounds{plan: p, exchange: t.exchange, upstream: u, call: t.call, lookup: web.Lookup{Host: p.host,
		Own: p.hostname, Endpoint: u.Endpoint, Lost: &t.exchange.Lost, Since: p.timing.start},
		consult: consultation{plan: p}}
}

// waits reports whether the answer waits for a search, a webpage or the advisor.
func (s *rounds) waits() bool { return s.lookup.Runs || s.consult.runs }

// head receives the head for which the answer waits. status 0: there is no answer, and lines is the
// reason.
func (s *rounds) head(status int, lines string) {
	if s.consult.runs {
		s.consult.head(status, lines, lines)
		return
	}
	s.lookup.Head(status, lines)
}

// push receives a chunk of the body for which the answer waits. over: the rest is not needed.
func (s *rounds) push(chunk []byte) (over bool) {
	if s.consult.runs {
		return s.consult.push(chunk)
	}
	return s.lookup.Push(chunk)
}

// sever notes that the body for which the answer waits ended too early.
func (s *rounds) sever(cause bridge.Cause) {
	switch {
	case s.consult.runs && s.consult.failed == nil && cause == bridge.TimedOut:
		s.consult.failed = errors.New("timeout")
	case s.consult.runs && s.consult.failed == nil:
		s.consult.failed = errors.New("")
	case !s.consult.runs && s.lookup.Failed == nil:
		s.lookup.Failed = upstream.Severed(cause)
	}
}

// end returns the results for which the answer has waited, or the code of the failure. again: a webpage
// redirects.
func (s *rounds) end() (hits []stages.Hit, code string, again bool) {
	if s.consult.runs {
		return nil, s.consult.end(s.exchange), false
	}
	return s.lookup.End()
}

// nextRequest returns the answer's next request: a search or a webpage, for lookup, a consultation, or
// the next round's request. appendNext appends the body of the next round. The client's idempotency-key is
// left out: it belongs to the first round, and an upstream would repeat the first round's answer.
func (s *rounds) nextRequest(appendNext func(dst []byte) ([]byte, error)) (bridge.Call, error) {
	if search, ok := s.exchange.Search(); ok {
		if search.Advice {
			return s.consult.begin(s.exchange, &search), nil
		}
		return s.lookup.Begin(&search), nil
	}
	room := len(s.call.Body) + len(s.call.Body)/4 + 64<<10
	bridge.Reserve(room)
	body, err := appendNext(make([]byte, 0, room))
	if err != nil {
		return bridge.Call{}, s.plan.conversation.Relocate(err)
	}
	s.call = upstream.NextCall(s.upstream, s.call, body)
	s.call.Pieces = translator.ForWorker(s.exchange).Pieces(body)
	s.call.HeadWait = 0
	s.call.Head = bridge.WithoutHeader(s.call.Head, "idempotency-key")
	if s.plan.account.counts {
		s.plan.attempts.repeat(s.plan.host)
	}
	return s.call, nil
}

// plainAnswer returns the client's plain answer. body is the upstream's answer of the first round.
//
//go:noinline
func (s *rounds) plainAnswer(body []byte) ([]byte, error) {
	x := s.exchange
	p := x.Plain(make([]byte, 0, len(body)+1<<10))
	p.Take(body, beginsLikeSSE(body))
	for x.Waits() {
		call, err := s.nextRequest(p.AppendNext)
		if err != nil {
			return nil, err
		}
		if s.waits() {
			failed := &s.lookup.Failed
			if s.consult.runs {
				failed = &s.consult.failed
				s.consult.run(call)
			} else {
				s.lookup.Run(call)
			}
			if upstream.Aborted(*failed) {
				return nil, upstream.Unreached("aborted")
			}
			if hits, code, again := s.end(); !again {
				p.Found(hits, code)
			}
			continue
		}
		head, failed := s.plan.fetch(s.upstream, call)
		if failed != nil {
			return nil, upstream.Unreached(failed.Error())
		}
		if err := upstream.Unread(head.Status, head.Lines); err != nil {
			return nil, err
		}
		answer, failed := s.plan.readBody(head.Status)
		err = (&upstreamRequest{x, s.upstream, call.URL}).refusal(head.Status, answer, failed)
		if err != nil {
			return nil, err
		}
		p.Take(answer, beginsLikeSSE(answer))
	}
	return p.Body()
}
