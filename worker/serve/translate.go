package serve

import (
	"net/http"
	"time"

	"edgelingua/translator"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
)

// translation is a client's request for one upstream.
type translation struct {
	exchange *translator.Exchange
	call     bridge.Call
}

// translate translates a client's request for an upstream. The new body has only the positions of
// long texts: the client's body contains nearly all of them. The buffer for the rest is as large as
// the rest of the client's body and an eighth more. The heap is never garbage-collected, so a buffer
// that grows would also retain its earlier copies. Only an upstream of the client's own protocol gets
// the client's headers and query.
func (p *plan) translate(r *http.Request, c *endpoint.Choice, body []byte) (t translation, err error) {
	if len(body) > maxTranslatedBody {
		return t, tooLarge(maxTranslatedBody)
	}
	x, err := p.decode(c, body)
	if err != nil {
		return t, p.conversation.Relocate(err)
	}
	x.AskUsage, x.FindTools = p.account.counts, true
	p.conversation.Mark(x.Request)
	target := c.Target(c.Model)
	p.noteTarget(target)
	if named := version(r, c); p.client == c.API && named != "" && named > c.API.Version.Oldest &&
		!c.Sets(c.API.Version.Header) && c.PassesVersion(c.API.Version, named) {
		c.API.Version.Restrict(target)
	}
	if err := p.compact(r, c, x, target, len(body)); err != nil {
		return t, err
	}
	inner := translator.ForWorker(x)
	if inner.IsAnswered() {
		return translation{exchange: x}, nil
	}
	room := len(body)
	if !c.IsVertex() { // bodies for Vertex AI are changed once more
		room = max(room-inner.UsePieces(), 0)
	}
	room += room/8 + 2<<10
	bridge.Reserve(room + room/8)
	translated, err := x.AppendRequest(make([]byte, 0, room), target)
	if err != nil {
		return t, p.conversation.Relocate(err)
	}
	p.conversation.RelocateLost(&x.Lost)
	path := c.Path(x.Request.Stream)
	if p.client == c.API {
		t = translation{x, upstream.Call(p.host, c.Upstream, upstream.WithQuery(path, r, p.client,
			c.Upstream), upstream.PassedHeaders(r, c.Upstream, false), translated)}
	} else {
		t = translation{x, upstream.Call(p.host, c.Upstream, path, upstream.NeededHeaders(x.Headers(),
			c.Upstream), translated)}
	}
	t.call.Pieces = inner.Pieces(translated)
	upstream.Affine(&t.call, c.Upstream, x.Request)
	if x.Request.Stream {
		// Until the client's head is out, the upstream's status, retry-after and request id can
		// still become the client's. After HeadWait the head goes out with keep-alives, since
		// proxies cut silent connections, and errors are in the stream from then on. Then the
		// client gets no retry-after.
		t.call.HeadWait = int(c.Endpoint.HeadWait.Milliseconds())
	}
	return t, nil
}

// relay sends the translated request to the first of choices, and answers with the translated
// response. It returns errNext if the next upstream is to be tried. body is the client's body: a
// stream may fall back later and translate it again.
func (p *plan) relay(r *http.Request, t translation, body []byte, choices []endpoint.Choice) (*reply, error) {
	x := t.exchange
	p.reportLosses(x)
	u := choices[0].Upstream
	head, failed := p.fetch(u, t.call)
	unread := upstream.Unread(head.Status, head.Lines)
	switch {
	case len(choices) > 1 && upstream.Fails(head.Status, failed):
		return nil, errNext
	case failed != nil:
		return nil, upstream.Unreached(failed.Error())
	case unread != nil:
		p.copyHeaders(head.Lines, u)
		return nil, unread
	case x.Request.Stream && head.Status == 0:
		return p.stream(t, u, &nextRequests{plan: p, request: r, body: body, choices: choices[1:]})
	case x.Request.Stream && head.Status < 300 && (x.Rounds() || !isJSON(head.Lines)):
		p.copyHeaders(head.Lines, u)
		return p.stream(t, u, &nextRequests{plan: p})
	}
	return p.plain(t, head, u)
}

// stream answers with the pump's stream of the upstream's answer. The upstream's head may be
// outstanding: if it is then a failure, f makes the fallback's request.
func (p *plan) stream(t translation, u *endpoint.Upstream, f *nextRequests) (*reply, error) {
	s := &translatedStream{upstreamRequest: upstreamRequest{t.exchange, u, t.call.URL},
		stream: translator.WorkerStream{Stream: t.exchange.Stream()}, record: p.record}
	s.rounds = p.newRounds(t, u)
	var pumped bridge.Stream = s
	object := ""
	if w := p.conversation.Writer; w != nil {
		pumped, object = &storedStream{translatedStream: s, writer: w}, w.Object
	} else {
		s.stream.UsePieces()
	}
	p.result.pumped = true
	p.header.Set("cache-control", "no-cache")
	body := p.host.Pump(pumped, s.stream.KeepAlive(), beat(u.Endpoint.HeadWait), s.stream.Trap(), object,
		u.Endpoint.Batch)
	return &reply{http.StatusOK, typeSSE, body, f.attach(s)}, nil
}

// beat returns the keepAliveEvery of a stream (worker/bridge) in milliseconds: half of the client's
// wait for the head.
func beat(headWait time.Duration) int { return max(int(headWait.Milliseconds()/2), 1) }

// plain answers with the upstream's whole body: an error or a plain answer.
//
//go:noinline
func (p *plan) plain(t translation, head bridge.Head, u *endpoint.Upstream) (*reply, error) {
	x := t.exchange
	body, failed := p.readBody(head.Status)
	p.copyHeaders(head.Lines, u)
	if err := (&upstreamRequest{x, u, t.call.URL}).refusal(head.Status, body, failed); err != nil {
		return nil, err
	}
	var out []byte
	var err error
	if rounds := p.newRounds(t, u); rounds != nil {
		out, err = rounds.plainAnswer(body)
	} else {
		out, err = answerOf(x, body)
	}
	if err == nil {
		err = p.storeAnswer()
	}
	if err != nil {
		return nil, err
	}
	p.reportLosses(x)
	p.reportCost()
	return p.wholeReply(x, out)
}

// wholeReply answers with a complete answer: as a stream if the client asks for a stream.
func (h *record) wholeReply(x *translator.Exchange, out []byte) (*reply, error) {
	if x.Request.Stream {
		return h.streamReply(out)
	}
	return jsonReply(out, nil)
}
