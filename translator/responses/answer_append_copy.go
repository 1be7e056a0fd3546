package responses

import "edgelingua/translator/jsonw"

// store puts the answer, ended in state s, into request.AnswerCopy in its stored form, including the parts
// withheld from the client.
func (w *itemWriter) store(s *responseState) {
	k := w.request.AnswerCopy
	if k == nil {
		return
	}
	k.Done = true
	notes := k.Notes
	k.Notes = nil // Notes are for this event only, not for the stored response
	k.Head, k.Tail = w.appendHead(nil), w.appendTail(nil, s)
	k.Notes = notes
	k.Items = w.out[w.first:w.whole:w.whole]
	if len(w.withheld) == 0 {
		return
	}
	size := len(k.Items)
	for i := range w.withheld {
		size += len(encryptedMember) + len(w.withheld[i].text) + len(`""`)
	}
	items, from := make([]byte, 0, size), w.first
	for _, h := range w.withheld {
		items = append(items, w.out[from:h.at]...)
		items = jsonw.AppendTextMember(items, encryptedMember, jsonw.View(h.text))
		from = h.at
	}
	k.Items = append(items, w.out[from:w.whole]...)
}
