package translator

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// The functions of this file serve requests whose client and upstream speak the same protocol. Nothing is decoded there.

// HoldsForeign reports whether the body of a request, which may be anything, seems to give back reasoning, or a search of the web, that
// the client got from upstreams of other protocols, translated: an envelope, or what stands where there was nothing to put into one.
// The client's vendor would refuse it, so such a request is not passed but translated, which leaves it out. The body is only searched
// for bytes: where a text of the conversation has them, the request is translated in vain.
func HoldsForeign(client *ir.API, body []byte) bool {
	return ir.HoldsEnvelope(view(body)) || client.Client.HoldsForeign(view(body))
}

// ReplaceModel returns body with another name in its last top-level "model", the one that readers of JSON go by: rename says
// which. Every other byte stays as it is; where the name stays, or no such string is found, so does all of body, which may be
// anything. body is changed in place where it has the capacity.
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

// hidden stands for a secret where the upstream repeats it, unless that is shorter than shortestSecret: a word that short may stand
// there by itself.
const (
	hidden         = "[key]"
	shortestSecret = 16
)

// Redact returns what an upstream says without secrets, see Exchange.Secrets.
func Redact(text string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) >= shortestSecret {
			text = strings.ReplaceAll(text, secret, hidden)
		}
	}
	return text
}
