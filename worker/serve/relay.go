package serve

import (
	"net/http"
	"strings"
	"time"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
)

// translation is a client's request as it goes to one upstream.
type translation struct {
	exchange *translator.Exchange
	call     bridge.Call
}

// translate translates a client's request for an upstream. Of the new body's long texts only the places are noted, since the client's body has
// them. The rest gets room for the size of the client's rest and an eighth more at once: the heap is never collected, so that a buffer which grows
// leaves each earlier one behind. Only an upstream of the client's
// own protocol gets headers and the query of the client.
func (h *handler) translate(r *http.Request, c *endpoint.Choice, body []byte) (t translation, err *ir.Error) {
	if len(body) > maxTranslatedBody {
		return t, tooLarge(maxTranslatedBody)
	}
	x, err := h.decode(c, body)
	if err != nil {
		return t, h.turn.Relocate(err)
	}
	x.AskUsage = h.counted
	h.turn.Mark(x.Request)
	target := c.Target(c.Model)
	if err := h.compact(r, c, x, target, len(body)); err != nil {
		return t, err
	}
	if x.IsAnswered() {
		return translation{exchange: x}, nil
	}
	room := len(body)
	if !c.IsVertex() { // whose bodies are changed once more
		room = max(room-x.Scatter(), 0)
	}
	room += room/8 + 2<<10
	bridge.Reserve(room + room/8)
	translated, err := x.AppendRequest(make([]byte, 0, room), target)
	if err != nil {
		return t, h.turn.Relocate(err)
	}
	h.turn.RelocateLost(&x.Lost)
	path := c.Path(x.Request.Stream)
	if h.client == c.API {
		t = translation{x, upstream.Call(h.host, c.Upstream, upstream.WithQuery(path, r, h.client, c.Upstream), upstream.PassedHeaders(r, c.Upstream, false), translated)}
	} else {
		t = translation{x, upstream.Call(h.host, c.Upstream, path, upstream.NeededHeaders(x.Headers(), c.Upstream), translated)}
	}
	t.call.Pieces = x.Pieces(translated)
	upstream.Affine(&t.call, c.Upstream, x.Request)
	if x.Request.Stream {
		t.call.HeadWait = int(c.Endpoint.HeadWait.Milliseconds())
	}
	return t, nil
}

// relay sends the translated request to the first of choices, and the translated response to the client. It returns false, and has not
// answered, where the next is to be tried. body is the client's, for a stream that tries the next ones later.
func (h *handler) relay(r *http.Request, t translation, body []byte, choices []endpoint.Choice) (answered bool) {
	x := t.exchange
	h.lost(x)
	u := choices[0].Upstream
	head, failed := h.fetch(u, t.call)
	unread := upstream.Unread(head.Status, head.Lines)
	switch {
	case len(choices) > 1 && upstream.Fails(head.Status, failed):
		return false
	case failed != nil:
		h.fail(upstream.Unreached(failed.Error()))
	case unread != nil:
		h.copyHeaders(head.Lines, u)
		h.fail(unread)
	case x.Request.Stream && head.Status == 0:
		h.goOn(r, h.stream(t, u), body, choices[1:])
	case x.Request.Stream && head.Status < 300 && (x.Rounds() || !isJSON(head.Lines)):
		h.copyHeaders(head.Lines, u)
		h.goOn(r, h.stream(t, u), nil, nil)
	default:
		h.plain(t, head, u)
	}
	return true
}

// stream answers with the stream that the bridge's pump makes of the upstream's, whose head may still be to come.
func (h *handler) stream(t translation, u *endpoint.Upstream) *relayed {
	s := &relayed{stream: t.exchange.Stream(), asked: asked{t.exchange, u, t.call.URL}, answer: &h.response}
	h.chain(s, t)
	var pumped bridge.Stream = s
	object := ""
	if w := h.turn.Writer; w != nil {
		pumped, object = &kept{relayed: s, writer: w}, w.Object
	} else {
		s.stream.Scatter()
	}
	h.pumped = true
	h.w.Header().Set("cache-control", "no-cache")
	h.send(200, typeSSE, h.host.Pump(pumped, s.stream.KeepAlive(), beat(u.Endpoint.HeadWait), s.stream.Trap(), object, u.Endpoint.Batch))
	return s
}

// beat returns the keepAliveEvery of a stream (worker/bridge) in milliseconds: half of the time that a client waits for the head.
func beat(headWait time.Duration) int { return max(int(headWait.Milliseconds()/2), 1) }

// plain answers once the upstream's whole body is there: an error or a plain answer.
//
//go:noinline
func (h *handler) plain(t translation, head bridge.Head, u *endpoint.Upstream) {
	x := t.exchange
	body, failed := h.read(head.Status)
	h.copyHeaders(head.Lines, u)
	if err := (&asked{x, u, t.call.URL}).refusal(head.Status, body, failed); err != nil {
		h.fail(err)
		return
	}
	var out []byte
	var err *ir.Error
	if x.Rounds() {
		out, err = h.rounds(t, u).whole(body)
	} else {
		out, err = answerOf(x, body)
	}
	if err == nil {
		err = h.storeAnswer()
	}
	if err != nil {
		h.fail(err)
		return
	}
	h.lost(x)
	h.priced()
	contentType := typeJSON
	if x.Request.Stream {
		h.w.Header().Set("cache-control", "no-cache")
		contentType = typeSSE
	}
	h.send(200, contentType, bridge.Bytes(out))
}

// answerOf returns the client's answer for an upstream's whole one. Where the client has asked for a stream and gets a plain answer from the
// upstream (OmniRoute 3.8.51 with web_search, diegosouzapw/OmniRoute#13050), that becomes a stream; a stream that comes in place of a plain
// answer (sgl-project/mini-sglang#51, kaito-project/kaito#1880) becomes a plain answer.
func answerOf(x *translator.Exchange, body []byte) (out []byte, err *ir.Error) {
	bridge.Reserve(2 * len(body))
	if x.Request.Stream {
		_, out = streamOf(x, body)
		return out, nil
	}
	translate := x.AppendBody
	if beginsLikeSSE(body) {
		translate = x.AppendFolded
	}
	return translate(make([]byte, 0, len(body)+1<<10), body)
}

// storeAnswer stores an answer that is there as a whole, where the client's request asks for that.
func (h *handler) storeAnswer() *ir.Error {
	if h.turn.Writer == nil {
		return nil
	}
	return h.turn.Writer.Write()
}

// asked is an upstream that was asked at a URL, and the translation for it.
type asked struct {
	exchange *translator.Exchange
	of       *endpoint.Upstream
	url      string
}

// refusal returns the error that the upstream's response stands for, nil where it is an answer. failed is that of reading its body.
func (a *asked) refusal(status int, body []byte, failed error) *ir.Error {
	switch {
	case status >= 300 && status < 400:
		return upstream.Redirected(status)
	case status >= 400:
		// Of a body that broke off, too, with as much of it as came.
		return upstream.Told(a.of, a.url, a.exchange.UpstreamError(status, body), string(body))
	case failed == bridge.ErrTooLarge:
		return &ir.Error{Kind: ir.Unavailable, Message: "The upstream's answer is over 16 MB, which is more than is translated."}
	case failed != nil:
		return upstream.BrokenOff(failed.Error())
	}
	return nil
}

func isJSON(lines string) bool {
	return strings.Contains(strings.ToLower(bridge.HeaderOf(lines, "content-type")), "json")
}

// beginsLikeSSE reports whether a body is a stream of events, whatever its content-type says: no JSON text begins with such a line.
func beginsLikeSSE(body []byte) bool {
	text := beginning(body)
	for _, lead := range [...]string{"data:", "event:", ":", "id:", "retry:"} {
		if strings.HasPrefix(text, lead) {
			return true
		}
	}
	return false
}

// beginning returns the first 64 bytes of a body without a byte order mark and the space before the text.
func beginning(body []byte) string {
	return strings.TrimLeft(strings.TrimPrefix(string(body[:min(len(body), 64)]), "\ufeff"), " \t\r\n")
}

// streamOf returns the client's whole stream for an upstream's whole body: a plain answer, or a stream whose content-type says that it
// is something else.
func streamOf(x *translator.Exchange, body []byte) (s *translator.Stream, out []byte) {
	if beginsLikeSSE(body) {
		return x.StreamOfStream(body)
	}
	return x.StreamOfBody(body)
}
