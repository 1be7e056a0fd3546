package serve

import (
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
)

// answerOf returns the client's answer for an upstream's whole answer. Two mistakes of upstreams
// are corrected. If the client asks for a stream and the upstream sends a plain answer (OmniRoute
// 3.8.51 with web_search, diegosouzapw/OmniRoute#13050), the plain answer becomes a stream. If the
// upstream sends a stream instead of a plain answer (sgl-project/mini-sglang#51,
// kaito-project/kaito#1880), the stream becomes a plain answer.
func answerOf(x *translator.Exchange, body []byte) (out []byte, err error) {
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

// storeAnswer stores a complete answer if the client's request asks to store it.
func (p *plan) storeAnswer() error {
	if p.conversation.Writer == nil {
		return nil
	}
	return p.conversation.Writer.Write()
}

// upstreamRequest is a translated request to an upstream: the translation, the upstream and the URL.
type upstreamRequest struct {
	exchange *translator.Exchange
	upstream *endpoint.Upstream
	url      string
}

// refusal returns the error for an upstream's failed response, nil for an answer. failed is the
// error of reading the body.
func (a *upstreamRequest) refusal(status int, body []byte, failed error) error {
	switch {
	case status >= 300 && status < 400:
		return upstream.Redirected(status)
	case status >= 400:
		// This includes a body that broke off, with as much of it as arrived.
		err := upstream.Advise(a.upstream, a.url, a.exchange.UpstreamError(status, body), string(body))
		return upstream.OtherKind(err, jsonw.Unescape(a.exchange.Request.Model), false)
	case failed == bridge.ErrTooLarge:
		return &ir.Error{Kind: ir.Unavailable,
			Message: "The upstream's answer is over 16 MB, which is more than is translated."}
	case failed != nil:
		return upstream.BrokenOff(failed.Error())
	}
	return nil
}

func isJSON(lines string) bool {
	return strings.Contains(strings.ToLower(bridge.HeaderOf(lines, "content-type")), "json")
}

// beginsLikeSSE reports whether a body is an SSE stream, regardless of its content-type. No JSON
// text begins with such a line.
func beginsLikeSSE(body []byte) bool {
	text := beginning(body)
	for _, lead := range [...]string{"data:", "event:", ":", "id:", "retry:"} {
		if strings.HasPrefix(text, lead) {
			return true
		}
	}
	return false
}

// beginning returns the first 64 bytes of a body without a byte order mark and leading white space.
func beginning(body []byte) string {
	return strings.TrimLeft(strings.TrimPrefix(string(body[:min(len(body), 64)]), "\ufeff"), " \t\r\n")
}

// streamOf returns the client's whole stream for an upstream's whole body: a plain answer, or a
// stream with a wrong content-type.
func streamOf(x *translator.Exchange, body []byte) (s *translator.Stream, out []byte) {
	if beginsLikeSSE(body) {
		s = x.Stream()
		return s, s.Take(body, true)
	}
	return x.StreamOfBody(body)
}
