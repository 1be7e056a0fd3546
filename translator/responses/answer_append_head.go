package responses

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

const (
	maxResponseID = 64 // characters of a response's id, like OpenAI's
	maxStem       = 48 // characters of a response's id in an item's id: OpenAI accepts item ids of at most 64
)

// identify sets the ids and the time of the answer. The ids (resp_ID and the ids of items) contain
// the upstream's id or, if there is none, the time. A stored answer has the id chosen by the
// caller. ev is the answer's Start.
func (w *itemWriter) identify(ev *ir.Event) {
	w.created, w.tier = ev.Created, ev.Tier
	if w.created <= 0 {
		w.created = w.request.Received
	}
	if k := w.request.AnswerCopy; k != nil {
		w.id, w.stem = k.ID, k.ID[len("resp_"):]
		return
	}
	stem := ev.ID
	if len(stem) > 5 && stem[:5] == "resp_" {
		stem = stem[5:]
	}
	if stem == "" {
		stem = ir.Escaped(strconv.FormatInt(w.created, 10))
	}
	w.id = "resp_" + ir.Identifier(stem, maxResponseID-5)
	w.stem = ir.Escaped(strings.Clone(string(ir.Identifier(stem, maxStem))))
}

// appendHead appends the beginning of a Response, up to the elements of its output (API reference,
// "The response object").
func (w *itemWriter) appendHead(dst []byte) []byte {
	dst = jsonw.AppendTextMember(dst, `{"id":`, w.id)
	dst = jsonw.AppendIntMember(dst, `,"object":"response","created_at":`, w.created)
	dst = jsonw.AppendTextMember(dst, `,"model":`, w.model)
	return raw(dst, `,"output":[`)
}
