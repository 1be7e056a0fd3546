package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

const maxUpstreamID = 64 // maximum length of an upstream's reasoning item id passed on to the client

// keepsUpstreamID reports whether the open reasoning item has the upstream's id, an id of this API.
// Stored items have ids of their own, because Place finds them by id.
func (w *itemWriter) keepsUpstreamID() bool {
	id := ir.Escaped(jsonw.View(w.upstreamID))
	return w.request.AnswerCopy == nil && strings.HasPrefix(string(id), "rs_") && len(id) <= maxUpstreamID &&
		ir.Identifier(id, maxUpstreamID) == id
}

// sign sets the open item's encrypted_content. The client sends it back in the next request. Text
// encrypted by an upstream of this API stays unchanged as long as the item keeps its original id:
// OpenAI rejects the text with a different id (FAULTS 74). Any other signature goes into an
// envelope, together with its origin (ir.Envelope).
func (w *itemWriter) sign(ev *ir.Event) {
	if ev.Origin == Name && w.request.AnswerCopy == nil && (len(w.upstreamID) == 0 || w.keepsUpstreamID()) {
		w.held = append(w.held[:0], ev.Text...)
		return
	}
	w.held = ir.AppendEnvelope(w.held[:0], ev.Origin, w.redacted, jsonw.View(w.upstreamID), ev.Text)
}

// signUnsigned sets an encrypted_content for an open item not signed by its vendor. Without
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

// withheld is a stored encrypted_content left out of the client's item.
type withheld struct {
	at   int // the position in out for the member
	text []byte
}

// hides reports whether encrypted_content is withheld from the client: the answer is stored, and
// the client did not ask for encrypted_content.
func (w *itemWriter) hides() bool { return w.request.AnswerCopy != nil && w.request.AnswerCopy.Hide }

// withhold records the encrypted_content withheld from the open item, which is about to end.
func (w *itemWriter) withhold() {
	if w.family == reasoningFamily && len(w.held) > 0 && w.hides() {
		w.withheld = append(w.withheld, withheld{len(w.out) + len("]"), append([]byte(nil), w.held...)})
	}
}
