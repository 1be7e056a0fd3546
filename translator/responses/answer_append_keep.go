package responses

import (
	"edgelingua/translator/jsonw"
)

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

// keep leaves the answer, which ends so, in the form in which it is stored.
func (a *answer) keep(end *ending) {
	k := a.request.Keep
	if k == nil {
		return
	}
	k.Done = true
	k.Head, k.Tail = a.appendHead(nil), a.appendTail(nil, end)
	k.Items = a.out[a.first:a.whole:a.whole]
	if len(a.hidden) == 0 {
		return
	}
	size := len(k.Items)
	for i := range a.hidden {
		size += len(a.hidden[i].text)
	}
	items, from := make([]byte, 0, size), a.first
	for _, h := range a.hidden {
		items = append(items, a.out[from:h.at]...)
		items = literal(items, jsonw.View(h.text))
		from = h.at + len("null")
	}
	k.Items = append(items, a.out[from:a.whole]...)
}
