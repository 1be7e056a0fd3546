package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

const maxUpstreamID = 64 // maximum length of an upstream's reasoning item id that the client gets unchanged

// keepsUpstreamID reports whether the open reasoning item has the upstream's id. The id must be one
// of this API. Stored items have ids of their own, by which Place finds them.
func (w *itemWriter) keepsUpstreamID() bool {
	id := ir.Escaped(jsonw.View(w.upstreamID))
	return w.request.Keep == nil && strings.HasPrefix(string(id), "rs_") && len(id) <= maxUpstreamID &&
		ir.Identifier(id, maxUpstreamID) == id
}

// sign sets the open item's encrypted_content, which the client sends back in the next request. The
// encrypted text of an upstream of this API stays unchanged as long as the item keeps its original
// id: OpenAI rejects the text with a different id (FAULTS 74). All other signatures go into an
// envelope, which names their origin (ir.Envelope).
func (w *itemWriter) sign(ev *ir.Event) {
	if ev.Origin == Name && w.request.Keep == nil && (len(w.upstreamID) == 0 || w.keepsUpstreamID()) {
		w.held = append(w.held[:0], ev.Text...)
		return
	}
	w.held = ir.AppendEnvelope(w.held[:0], ev.Origin, w.redacted, jsonw.View(w.upstreamID), ev.Text)
}

// signUnsigned sets an encrypted_content for an open item that its vendor has not signed. Without
// encrypted_content, OpenAI would look for the item among its stored items.
func (w *itemWriter) signUnsigned() {
	if w.family == reasoningFamily && len(w.held) == 0 {
		w.held = append(w.held, ir.Unsigned...)
	}
}

// encryptedMember begins the encrypted_content of a reasoning item, after its summary. Without a
// value the member is left out, as in OpenAI's items: Open Responses' schema of the item does not
// allow null.
const encryptedMember = `,"encrypted_content":`

// withheld is an encrypted_content that is stored, but left out of the client's item.
type withheld struct {
	at   int // the position in out for the member
	text []byte
}

// hides reports whether encrypted_content is withheld from the client: the answer is stored, and
// the client did not ask for encrypted_content.
func (w *itemWriter) hides() bool { return w.request.Keep != nil && w.request.Keep.Hide }

// withhold records the encrypted_content withheld from the open item, which is about to end.
func (w *itemWriter) withhold() {
	if w.family == reasoningFamily && len(w.held) > 0 && w.hides() {
		w.withheld = append(w.withheld, withheld{len(w.out) + len("]"), append([]byte(nil), w.held...)})
	}
}
