package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

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

// AppendQueued appends the response to r before its answer begins: what the client of a background
// response gets at once or, if failed is not nil, after this failure. The response names model as its
// model.
//
//go:noinline
func AppendQueued(dst []byte, r *ir.Request, model ir.Escaped, failed *ir.Error) []byte {
	w := itemWriter{request: r, model: model}
	w.identify(&ir.Event{})
	s := responseState{status: "queued", err: failed, usage: ir.NoUsage}
	if failed != nil {
		s.status = "failed"
	}
	return w.appendTail(w.appendHead(dst), &s)
}

// InBackground reports whether a stored response was made in the background. tail is the end of its
// JSON, after the output.
func InBackground(tail string) bool { return memberOf("{"+tail[len("],"):], "background") == "true" }
