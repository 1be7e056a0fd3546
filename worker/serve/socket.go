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

// maxSockets is the limit of open WebSockets per endpoint and host. A host is a machine, or an
// isolate at the edge.
const maxSockets = 64

// upgradable returns the error for a GET that can't become a WebSocket, nil for others. A browser
// lets pages of any site open a WebSocket, without the preflight request before a POST. workerd
// rejects a wrong version only after the program's answer, without a message.
func upgradable(r *http.Request) error {
	switch {
	case session.Foreign(r.URL, r.Header):
		return &ir.Error{Kind: ir.Permission, Message: "WebSockets from pages of other sites are refused."}
	case r.Header.Get("sec-websocket-version") != "13" || r.Header.Get("sec-websocket-key") == "":
		return &ir.Error{Kind: ir.MethodNotAllowed, Status: http.StatusUpgradeRequired,
			Message: "The WebSocket protocol is served in version 13 (RFC 6455), with a sec-websocket-key."}
	}
	return nil
}

// upgrade turns the client's connection into a WebSocket. The checks are those of every request.
// The upgrade takes no slot of the open requests and does not count, but each frame does. Keys in
// the query or in sec-websocket-protocol are not read, since logs show them. Cookies are not read
// either.
//
//go:noinline
func (h *record) upgrade(r *http.Request, e *endpoint.Endpoint) (*reply, error) {
	if err := h.checkAccess(e); err != nil {
		return nil, err
	}
	if !h.host.Accept(e.Name, maxSockets, faults.Lifetime(r)) {
		// After 426 Codex 0.169.0 and Copilot CLI 1.0.102 continue with POST at once; after 429
		// Codex ends the user's turn.
		return nil, &ir.Error{Kind: ir.Overloaded, Status: http.StatusUpgradeRequired,
			Message: "This endpoint has " + strconv.Itoa(maxSockets) +
				" WebSockets open, and no more are served at once. " +
				"Close one, or send POST requests."}
	}
	return &reply{status: http.StatusNoContent, body: bridge.NoBody()}, nil
}

// prepare answers a request that only prepares the next one. The connection remembers the input. No
// model is called, and nothing counts.
//
//go:noinline
func (p *plan) prepare(e *endpoint.Endpoint, c *endpoint.Choice, body []byte) (*reply, error) {
	err := p.checkAccess(e)
	if err == nil {
		body, err = p.join(e, body)
	}
	if err == nil {
		body, err = p.preparedStream(c, body)
	}
	if err != nil {
		return nil, err
	}
	return p.streamReply(body)
}

// preparedStream returns the stream of an answer without output.
func (p *plan) preparedStream(c *endpoint.Choice, body []byte) ([]byte, error) {
	x, err := p.decode(c, body)
	if err != nil {
		return nil, p.conversation.Relocate(err)
	}
	p.conversation.Mark(x.Request)
	p.conversation.RelocateLost(&x.Lost)
	p.last.exchange = x
	out := p.last.inner().Prepared()
	return out, p.storeAnswer()
}

// appendNotes appends the notes that other answers have as headers, for the metadata of the
// answer's last event: a frame of a WebSocket has no head.
func (h *record) appendNotes(dst []byte) []byte {
	if x := h.last.exchange; x != nil {
		dst = appendNote(dst, headerLost, x.LostHeader())
	}
	return appendNote(dst, headerLoop, h.loop)
}

func appendNote(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return jsonw.AppendString(append(jsonw.AppendString(append(dst, ','), name), ':'), text)
}
