package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

const maxUpstreamID = 64 // characters of an upstream's id of a reasoning item that the client gets as it is

// keepsUpstreamID reports whether the open reasoning item has the upstream's id, which has to be
// one of this API. Items that are stored have ids of their own, by which Place finds them.
func (w *itemWriter) keepsUpstreamID() bool {
	id := ir.Escaped(jsonw.View(w.upstreamID))
	return w.request.Keep == nil && strings.HasPrefix(string(id), "rs_") && len(id) <= maxUpstreamID &&
		ir.Identifier(id, maxUpstreamID) == id
}

// sign holds the open item's encrypted_content, which the client sends back with the next turn.
// What an upstream of this API has encrypted stays as it is, as long as it goes back with the id
// that it came with: OpenAI refuses it with another one (FAULTS 74). Everything else goes into an
// envelope, which says whose it is (ir.Envelope).
func (w *itemWriter) sign(ev *ir.Event) {
	if ev.Origin == Name && w.request.Keep == nil && (len(w.upstreamID) == 0 || w.keepsUpstreamID()) {
		w.held = append(w.held[:0], ev.Text...)
		return
	}
	w.held = ir.AppendEnvelope(w.held[:0], ev.Origin, w.redacted, jsonw.View(w.upstreamID), ev.Text)
}

// signUnsigned gives the open item an encrypted_content where its vendor has not signed it. Without
// one OpenAI would look for the item among those that it stores.
func (w *itemWriter) signUnsigned() {
	if w.family == reasoningFamily && len(w.held) == 0 {
		w.held = append(w.held, ir.Unsigned...)
	}
}

// encryptedMember stands between the summary of a reasoning item and its encrypted_content. An item
// without one lacks the member, as OpenAI's do: null is no value that Open Responses' schema of the
// item has.
const encryptedMember = `,"encrypted_content":`

// withheld is an encrypted_content that is stored but not shown: the client's item lacks it.
type withheld struct {
	at   int // where the member would stand in out
	text []byte
}

// hides reports whether the client does not get encrypted_content: it did not ask for it, and the
// answer is stored.
func (w *itemWriter) hides() bool { return w.request.Keep != nil && w.request.Keep.Hide }

// withhold notes the encrypted_content that the open item, which is about to end, does not show.
func (w *itemWriter) withhold() {
	if w.family == reasoningFamily && len(w.held) > 0 && w.hides() {
		w.withheld = append(w.withheld, withheld{len(w.out) + len("]"), append([]byte(nil), w.held...)})
	}
}
