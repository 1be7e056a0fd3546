package serve

import (
	"edgelingua/translator"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
	"edgelingua/worker/web"
)

// rounds makes the further requests of an answer in several rounds, one at a time: web searches,
// webpages, and new requests to the upstream of the first round. It serves plain answers
// (plainAnswer) and streams (translatedStream).
type rounds struct {
	plan     *plan
	exchange *translator.Exchange
	upstream *endpoint.Upstream
	call     bridge.Call // the last request to the upstream; the body differs per round
	lookup   web.Lookup  // the running search or webpage
}

// newRounds returns the rounds of an answer; nil: the answer has only one round.
func (p *plan) newRounds(t translation, u *endpoint.Upstream) *rounds {
	if !t.exchange.Rounds() {
		return nil
	}
	return &rounds{plan: p, exchange: t.exchange, upstream: u, call: t.call, lookup: web.Lookup{Host: p.host,
		Own: p.hostname, Endpoint: u.Endpoint, Lost: &t.exchange.Lost, Since: p.timing.start}}
}

// nextRequest returns the answer's next request: a search or a webpage, for lookup, or the next
// round's request. appendNext appends the body of the next round. The client's idempotency-key is
// left out: it belongs to the first round, and an upstream would repeat the first round's answer.
func (s *rounds) nextRequest(appendNext func(dst []byte) ([]byte, error)) (bridge.Call, error) {
	if search, ok := s.exchange.Search(); ok {
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
		if s.lookup.Runs {
			s.lookup.Run(call)
			if upstream.Aborted(s.lookup.Failed) {
				return nil, upstream.Unreached(s.lookup.Failed.Error())
			}
			if hits, code, again := s.lookup.End(); !again {
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
