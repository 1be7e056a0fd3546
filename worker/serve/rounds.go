package serve

import (
	"edgelingua/translator"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
	"edgelingua/worker/web"
)

// rounds makes the further requests of an answer in several rounds, one at a time: web searches,
// webpages, and new requests to the upstream that answered the first round. It serves plain answers
// (whole) and streams (relayed).
type rounds struct {
	h        *plan
	exchange *translator.Exchange
	of       *endpoint.Upstream
	call     bridge.Call // the last request to the upstream; the body differs per round
	lookup   web.Lookup  // the search or webpage that is running
}

// rounds returns the rounds of an answer; nil if the answer has only one round.
func (h *plan) rounds(t translation, u *endpoint.Upstream) *rounds {
	if !t.exchange.Rounds() {
		return nil
	}
	return &rounds{h: h, exchange: t.exchange, of: u, call: t.call, lookup: web.Lookup{Host: h.host,
		Own: h.hostname, Endpoint: u.Endpoint, Lost: &t.exchange.Lost, Since: h.timing.start}}
}

// next returns the request that the answer waits for: a search or a webpage by lookup, which then
// runs, or the next round's request. appendNext appends the body of the next round. The client's
// idempotency-key is left out: it belongs to the first round, and an upstream would repeat that
// round's answer.
func (s *rounds) next(appendNext func(dst []byte) ([]byte, error)) (bridge.Call, error) {
	if asked, ok := s.exchange.Search(); ok {
		return s.lookup.Begin(&asked), nil
	}
	room := len(s.call.Body) + len(s.call.Body)/4 + 64<<10
	bridge.Reserve(room)
	body, err := appendNext(make([]byte, 0, room))
	if err != nil {
		return bridge.Call{}, s.h.turn.Relocate(err)
	}
	s.call = upstream.Again(s.of, s.call, body)
	s.call.Pieces = s.exchange.Pieces(body)
	s.call.HeadWait = 0
	s.call.Head = bridge.WithoutHeader(s.call.Head, "idempotency-key")
	if s.h.account.counts {
		s.h.attempts.repeat()
	}
	return s.call, nil
}

// whole returns the client's plain answer. body is the upstream's answer of the first round.
//
//go:noinline
func (s *rounds) whole(body []byte) ([]byte, error) {
	x := s.exchange
	p := x.Plain(make([]byte, 0, len(body)+1<<10))
	p.Take(body, beginsLikeSSE(body))
	for x.Waits() {
		call, err := s.next(p.AppendNext)
		if err != nil {
			return nil, err
		}
		if s.lookup.Runs {
			s.lookup.Run(call)
			if hits, code, again := s.lookup.End(); !again {
				p.Found(hits, code)
			}
			continue
		}
		head, failed := s.h.fetch(s.of, call)
		if failed != nil {
			return nil, upstream.Unreached(failed.Error())
		}
		if err := upstream.Unread(head.Status, head.Lines); err != nil {
			return nil, err
		}
		answer, failed := s.h.readBody(head.Status)
		if err := (&asked{x, s.of, call.URL}).refusal(head.Status, answer, failed); err != nil {
			return nil, err
		}
		p.Take(answer, beginsLikeSSE(answer))
	}
	return p.Body()
}
