//go:build js && wasm

package main

import (
	"bytes"
	"net/http"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Limits of an upstream's plain body and of its error body, in bytes.
const (
	maxAnswer = 16 << 20
	maxError  = 1 << 20
)

// relay sends the translated request upstream, and the translated response to the client. size is that of the client's body:
// the upstream's is given room for as much and an eighth at once, since a buffer that grows leaves all its earlier ones behind. What
// the client says in headers and query is for an upstream of its own protocol.
func (a *answer) relay(r *http.Request, x *translator.Exchange, size int, e *endpoint.Endpoint) {
	room := size + size/8 + 4<<10
	bridge.Reserve(room + size/8)
	t := e.Target(jsonw.Unescape(x.Request.Model))
	body, err := x.AppendRequest(make([]byte, 0, room), &t)
	if err != nil {
		a.fail(err)
		return
	}
	a.lost(&x.Lost)
	call := upstreamCall(e, e.Path(), "", body)
	if a.client == e.Protocol {
		call = upstreamCall(e, e.Path(), passedHeaders(r, e, false), body)
		call.URL = withQuery(call.URL, r)
	}
	if x.Request.Stream {
		call.HeadWait = int(e.HeadWait.Milliseconds())
	}
	head, failed := bridge.Fetch(call)
	if failed != nil {
		a.fail(unreached(failed.Error()))
		return
	}
	if x.Request.Stream && (head.Status == 0 || head.Status < 300 && !isJSON(head.Lines)) {
		a.keep(head.Lines)
		a.stream(x, e)
		return
	}
	a.plain(x, head)
}

// stream answers with the pump's stream. The upstream's head may still be to come.
func (a *answer) stream(x *translator.Exchange, e *endpoint.Endpoint) {
	s := x.Stream()
	every := int(e.HeadWait.Milliseconds() / 2)
	a.w.Header().Set("cache-control", "no-cache")
	a.send(200, typeSSE, bridge.Pump(&relayed{stream: s, exchange: x}, s.KeepAlive(), max(every, 1), s.Trap()))
}

// plain answers once the upstream's whole body is there: an error, a plain answer, or a plain answer in place of a stream and
// the reverse, which some upstreams send whatever was asked.
func (a *answer) plain(x *translator.Exchange, head bridge.Head) {
	limit := maxAnswer
	if head.Status >= 300 {
		limit = maxError
	}
	body, failed := bridge.Read(limit)
	a.keep(head.Lines)
	if err := refusal(x, head.Status, body, failed); err != nil {
		a.fail(err)
		return
	}
	bridge.Reserve(2 * len(body))
	if x.Request.Stream {
		out := streamOf(x, body)
		a.lost(&x.Lost)
		a.w.Header().Set("cache-control", "no-cache")
		a.send(200, typeSSE, bridge.Bytes(out))
		return
	}
	translate := x.AppendBody
	if beginsLikeSSE(body) {
		translate = x.AppendFolded
	}
	out, err := translate(make([]byte, 0, len(body)+1<<10), body)
	if err != nil {
		a.fail(err)
		return
	}
	a.lost(&x.Lost)
	a.send(200, typeJSON, bridge.Bytes(out))
}

// refusal returns the error that an upstream's response stands for, nil where it is an answer.
func refusal(x *translator.Exchange, status int, body []byte, failed error) *ir.Error {
	switch {
	case status >= 300 && status < 400:
		return redirected(status)
	case status >= 400:
		return x.UpstreamError(status, body) // whatever could be read of it
	case failed == bridge.ErrTooLarge:
		return &ir.Error{Kind: ir.Unavailable, Message: "The upstream's answer is over 16 MB, which is more than is translated."}
	case failed != nil:
		return unreached(failed.Error())
	}
	return nil
}

func isJSON(lines string) bool {
	return strings.Contains(strings.ToLower(bridge.HeaderOf(lines, "content-type")), "json")
}

// beginsLikeSSE reports whether a body is a stream, whatever its head calls it: no JSON begins so.
func beginsLikeSSE(body []byte) bool {
	text := beginning(body)
	for _, lead := range [...]string{"data:", "event:", ":", "id:", "retry:"} {
		if strings.HasPrefix(text, lead) {
			return true
		}
	}
	return false
}

// beginning returns the first bytes of a body, but for what may stand before either kind.
func beginning(body []byte) string {
	return strings.TrimLeft(strings.TrimPrefix(string(body[:min(len(body), 64)]), "\ufeff"), " \t\r\n")
}

// streamOf returns the client's stream for an upstream's whole body, which is a plain answer or a stream under a wrong name.
func streamOf(x *translator.Exchange, body []byte) []byte {
	if !beginsLikeSSE(body) {
		return x.AppendStreamOfBody(nil, body)
	}
	s := x.Stream()
	out, done := s.Push(body)
	if done {
		return out
	}
	out = bytes.Clone(out) // Close uses the stream's buffer again
	return append(out, s.Close(nil)...)
}
