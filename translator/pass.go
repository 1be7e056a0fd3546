package translator

import (
	"strings"

	"edgelingua/translator/anthropic"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/responses"
)

// The functions of this file serve requests whose client and upstream speak the same protocol. Nothing is decoded there.

// HoldsForeign reports whether a body of a protocol seems to give back reasoning, or a search of the web, that the client got from
// upstreams of other protocols, translated: an envelope, or what stands where there was nothing to put into one. The vendor would
// refuse it, so such a request is not passed but translated, which leaves it out. It only looks for the bytes: taking a text for one of them
// costs a translation. Null stands for the vendor's own reasoning too, where that is stored.
func HoldsForeign(protocol string, body []byte) bool {
	text := view(body)
	if ir.HoldsEnvelope(text) {
		return true
	}
	switch protocol {
	case anthropic.Name:
		return strings.Contains(text, `"signature":""`) || strings.Contains(text, `"signature": ""`) ||
			strings.Contains(text, `"`+anthropic.MadeSearch) || strings.Contains(text, `"encrypted_index":""`) || strings.Contains(text, `"encrypted_index": ""`)
	case responses.Name:
		null := strings.Contains(text, `"encrypted_content":null`) || strings.Contains(text, `"encrypted_content": null`)
		return null && (strings.Contains(text, `"store":false`) || strings.Contains(text, `"store": false`))
	}
	return false
}

// ReplaceModel returns body with another name in its last top-level "model", the one that readers of JSON go by: rename says
// which. Every other byte stays as it is; where the name stays, or no such string is found, so does all of body, which may be
// anything. body is changed in place where it has the capacity.
func ReplaceModel(body []byte, rename func(model string) string) []byte {
	at, old := lastModel(view(body))
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

// lastModel returns the value of the last "model" of a body, and where it stands.
func lastModel(body string) (at int, value jsonw.Raw) {
	r := jsonr.NewReader(body)
	if r.Kind() != jsonr.Object {
		return 0, ""
	}
	for r.OpenObject(); r.Member(); {
		if r.Key() == "model" {
			at = r.Offset()
			value = r.Value()
		}
	}
	return at, value
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
