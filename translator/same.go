package translator

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// The functions of this file serve requests whose client and upstream speak the same protocol. Nothing is decoded there.

// HoldsForeign reports whether the body of a request, which may be anything, seems to give back reasoning or a web search that the client
// got translated from an upstream of another protocol: an envelope, or the form that stands where there was nothing to put into one.
// The client's own vendor would refuse these, so such a request is not passed but translated, which leaves them out. The body is only
// searched for bytes: a request with a text that has them is translated without need.
func HoldsForeign(client *ir.API, body []byte) bool {
	return ir.HoldsEnvelope(view(body)) || client.Client.HoldsForeign(view(body))
}

// MentionsTools reports whether a client's body, which may be anything, seems to ask for searches of the web and for pages. The body is only
// searched for bytes: a text of the conversation that has them makes it true too.
func MentionsTools(body []byte) (search, fetch bool) {
	s := view(body)
	return strings.Contains(s, `"web_search`), strings.Contains(s, `"web_fetch`)
}

// ReplaceModel returns body, which may be anything, with the name that rename returns in its last top-level "model", which is the one
// that most readers of JSON take. Every other byte stays as it is. Where rename returns the same name, or there is no such string, it
// returns body unchanged. body is changed in place where it has the capacity.
func ReplaceModel(body []byte, rename func(model string) string) []byte {
	old, at, _ := jsonr.LastMember(view(body), "model")
	text, ok := jsonr.Text(old)
	if !ok || at+len(old) == len(body) { // no string, or one without an end
		return body
	}
	name := jsonw.Unescape(text)
	renamed := rename(name)
	if renamed == name {
		return body
	}
	return replace(body, at, at+len(old), jsonw.AppendString(nil, renamed))
}

// replace returns b with text in place of b[from:to].
func replace(b []byte, from, to int, text []byte) []byte {
	tail, size := b[to:], len(b)+len(text)-(to-from)
	if size > cap(b) {
		grown := make([]byte, size)
		copy(grown, b[:from])
		b = grown
	}
	b = b[:size]
	copy(b[from+len(text):], tail)
	copy(b[from:], text)
	return b
}
