package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// isUpstreamsOwn reports whether the upstream has given the open reasoning item an id of this API, which the client gets to see: items
// that are stored have ids of their own, by which they are found.
func (a *answer) isUpstreamsOwn() bool {
	id := string(a.upstream)
	return a.request.Keep == nil && strings.HasPrefix(id, "rs_") && len(id) <= maxUpstream && ir.Identifier(ir.Escaped(id), maxUpstream) == ir.Escaped(id)
}

// sign keeps what carries reasoning to the next turn: the vendor's own for an upstream that speaks this API, as long as its item
// has the id that belongs to it; any other in an envelope.
func (a *answer) sign(ev *ir.Event) {
	if ev.Origin == Name && a.request.Keep == nil && (len(a.upstream) == 0 || a.isUpstreamsOwn()) {
		a.held = append(a.held[:0], ev.Text...)
		return
	}
	a.held = ir.AppendEnvelope(a.held[:0], ev.Origin, a.redacted, jsonw.View(a.upstream), ev.Text)
}

// encryptedMember stands between the summary of a reasoning item and what carries it to the next turn.
const encryptedMember = `],"encrypted_content":`

// hidden is what carries reasoning to the next turn, where the item that is shown has null.
type hidden struct {
	at   int // of the null, in the items
	text []byte
}

// hides reports whether that is not shown.
func (a *answer) hides() bool { return a.request.Keep != nil && a.request.Keep.Hide }

// hide notes what the open item, which is about to end, does not show.
func (a *answer) hide() {
	if a.family == reasoningFamily && len(a.held) > 0 && a.hides() {
		a.hidden = append(a.hidden, hidden{len(a.out) + len(encryptedMember), append([]byte(nil), a.held...)})
	}
}
