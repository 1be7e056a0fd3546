package serve

import (
	"net/http"
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/session"
)

// maxSockets is how many WebSockets an endpoint may have open at one host: a machine, or an isolate at the edge.
const maxSockets = 64

// upgradable returns the error for a GET that no WebSocket is made of, nil for others. Browsers let a page of any site open one, without
// asking the server first as they do before a POST. workerd refuses a wrong version only behind the program's answer, and does not say so.
func upgradable(r *http.Request) error {
	switch {
	case session.Foreign(r.URL, r.Header):
		return &ir.Error{Kind: ir.Permission, Message: "WebSockets from pages of other sites are refused."}
	case r.Header.Get("sec-websocket-version") != "13" || r.Header.Get("sec-websocket-key") == "":
		return &ir.Error{Kind: ir.MethodNotAllowed, Status: http.StatusUpgradeRequired, Message: "The WebSocket protocol is served in version 13 (RFC 6455), with a sec-websocket-key."}
	}
	return nil
}

// upgrade makes a WebSocket of the client's connection. It asks what every request is asked, but takes no place among the open requests and
// does not count: each frame is a request that does. A key in the query or in sec-websocket-protocol, which logs show, is not read, nor is
// a cookie.
func (h *record) upgrade(r *http.Request, e *endpoint.Endpoint) (reply, error) {
	if err := h.mayUse(e); err != nil {
		return reply{}, err
	}
	if !h.host.Accept(e.Name, maxSockets, faults.Lifetime(r)) {
		// At 426 Codex 0.169.0 and Copilot CLI 1.0.102 go on with POST at once; at 429 Codex ends the user's turn.
		return reply{}, &ir.Error{Kind: ir.Overloaded, Status: http.StatusUpgradeRequired, Message: "This endpoint has " + strconv.Itoa(maxSockets) + " WebSockets open, and no more are served at once. " +
			"Close one, or send POST requests."}
	}
	return reply{status: http.StatusNoContent, body: bridge.NoBody()}, nil
}

// prepare answers a request that only prepares the next one: the connection remembers its input. No model is asked, and nothing counts.
//
//go:noinline
func (h *plan) prepare(e *endpoint.Endpoint, c *endpoint.Choice, body []byte) (reply, error) {
	err := h.mayUse(e)
	if err == nil {
		body, err = h.join(e, body)
	}
	if err == nil {
		body, err = h.prepared(c, body)
	}
	if err != nil {
		return reply{}, err
	}
	return h.streamReply(body)
}

// prepared returns the stream of an answer without output to a body.
func (h *plan) prepared(c *endpoint.Choice, body []byte) ([]byte, error) {
	x, err := h.decode(c, body)
	if err != nil {
		return nil, h.turn.Relocate(err)
	}
	h.turn.Mark(x.Request)
	h.turn.RelocateLost(&x.Lost)
	h.exchange = x
	out := x.Prepared()
	return out, h.storeAnswer()
}

// appendNotes appends what the head of an answer says in headers, for the metadata of its last event: a frame of a WebSocket has no head.
func (h *record) appendNotes(dst []byte) []byte {
	if x := h.exchange; x != nil {
		dst = appendNote(dst, headerLost, x.LostHeader())
	}
	return appendNote(dst, headerLoop, h.looped)
}

func appendNote(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return jsonw.AppendString(append(jsonw.AppendString(append(dst, ','), name), ':'), text)
}
