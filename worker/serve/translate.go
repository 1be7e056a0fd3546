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
// long texts: the client's body contains the texts. The buffer for the rest is as large as the rest
// of the client's body and an eighth more. The heap is never garbage-collected, so a buffer that
// grows would leave its earlier copies behind. Only an upstream of the client's own protocol gets
// the client's headers and query.
func (h *plan) translate(r *http.Request, c *endpoint.Choice, body []byte) (t translation, err error) {
	if len(body) > maxTranslatedBody {
		return t, tooLarge(maxTranslatedBody)
	}
	x, err := h.decode(c, body)
	if err != nil {
		return t, h.conversation.Relocate(err)
	}
	x.AskUsage = h.account.counts
	h.conversation.Mark(x.Request)
	target := c.Target(c.Model)
	if named := version(r, c); h.client == c.API && named != "" && named > c.API.Version.Oldest &&
		c.PassesVersion(c.API.Version, named) {
		c.API.Version.Restrict(target)
	}
	if err := h.compact(r, c, x, target, len(body)); err != nil {
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
		return t, h.conversation.Relocate(err)
	}
	h.conversation.RelocateLost(&x.Lost)
	path := c.Path(x.Request.Stream)
	if h.client == c.API {
		t = translation{x, upstream.Call(h.host, c.Upstream, upstream.WithQuery(path, r, h.client,
			c.Upstream), upstream.PassedHeaders(r, c.Upstream, false), translated)}
	} else {
		t = translation{x, upstream.Call(h.host, c.Upstream, path, upstream.NeededHeaders(x.Headers(),
			c.Upstream), translated)}
	}
	t.call.Pieces = inner.Pieces(translated)
	upstream.Affine(&t.call, c.Upstream, x.Request)
	if x.Request.Stream {
		// Until the client's head is out, the upstream's status, retry-after and request id can
		// still become the client's. After HeadWait the head goes out with keep-alives, since
		// proxies cut silent connections, and errors are in the stream from then on.
		t.call.HeadWait = int(c.Endpoint.HeadWait.Milliseconds())
	}
	return t, nil
}

// relay sends the translated request to the first of choices, and answers with the translated
// response. It returns errNext if the next upstream is to be tried. body is the client's body: a
// stream may fall back later and translate it again.
func (h *plan) relay(r *http.Request, t translation, body []byte, choices []endpoint.Choice) (*reply, error) {
	x := t.exchange
	h.reportLosses(x)
	u := choices[0].Upstream
	head, failed := h.fetch(u, t.call)
	unread := upstream.Unread(head.Status, head.Lines)
	switch {
	case len(choices) > 1 && upstream.Fails(head.Status, failed):
		return nil, errNext
	case failed != nil:
		return nil, upstream.Unreached(failed.Error())
	case unread != nil:
		h.copyHeaders(head.Lines, u)
		return nil, unread
	case x.Request.Stream && head.Status == 0:
		return h.stream(t, u, &nextRequests{plan: h, request: r, body: body, choices: choices[1:]})
	case x.Request.Stream && head.Status < 300 && (x.Rounds() || !isJSON(head.Lines)):
		h.copyHeaders(head.Lines, u)
		return h.stream(t, u, &nextRequests{plan: h})
	}
	return h.plain(t, head, u)
}

// stream answers with the pump's stream of the upstream's answer. The upstream's head may be
// outstanding: if it is then a failure, f makes the fallback's request.
func (h *plan) stream(t translation, u *endpoint.Upstream, f *nextRequests) (*reply, error) {
	s := &translatedStream{upstreamRequest: upstreamRequest{t.exchange, u, t.call.URL},
		stream: translator.WorkerStream{Stream: t.exchange.Stream()}, record: h.record}
	s.rounds = h.newRounds(t, u)
	var pumped bridge.Stream = s
	object := ""
	if w := h.conversation.Writer; w != nil {
		pumped, object = &storedStream{translatedStream: s, writer: w}, w.Object
	} else {
		s.stream.UsePieces()
	}
	h.result.pumped = true
	h.header.Set("cache-control", "no-cache")
	body := h.host.Pump(pumped, s.stream.KeepAlive(), beat(u.Endpoint.HeadWait), s.stream.Trap(), object,
		u.Endpoint.Batch)
	return &reply{http.StatusOK, typeSSE, body, f.attach(s)}, nil
}

// beat returns the keepAliveEvery of a stream (worker/bridge) in milliseconds: half of the client's
// wait for the head.
func beat(headWait time.Duration) int { return max(int(headWait.Milliseconds()/2), 1) }

// plain answers with the upstream's whole body: an error or a plain answer.
//
//go:noinline
func (h *plan) plain(t translation, head bridge.Head, u *endpoint.Upstream) (*reply, error) {
	x := t.exchange
	body, failed := h.readBody(head.Status)
	h.copyHeaders(head.Lines, u)
	if err := (&upstreamRequest{x, u, t.call.URL}).refusal(head.Status, body, failed); err != nil {
		return nil, err
	}
	var out []byte
	var err error
	if rounds := h.newRounds(t, u); rounds != nil {
		out, err = rounds.plainAnswer(body)
	} else {
		out, err = answerOf(x, body)
	}
	if err == nil {
		err = h.storeAnswer()
	}
	if err != nil {
		return nil, err
	}
	h.reportLosses(x)
	h.reportCost()
	return h.wholeReply(x, out)
}

// wholeReply answers with a complete answer: as a stream if the client asks for a stream.
func (h *record) wholeReply(x *translator.Exchange, out []byte) (*reply, error) {
	if x.Request.Stream {
		return h.streamReply(out)
	}
	return jsonReply(out, nil)
}
