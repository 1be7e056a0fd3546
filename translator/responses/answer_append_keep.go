package responses

import "edgelingua/translator/jsonw"

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
