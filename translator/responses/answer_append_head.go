package responses

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
)

// identify sets the ids and the time of the answer, which follow from the upstream's. One that has no id is told apart by its time.
func (a *answer) identify(ev *ir.Event) {
	a.created = ev.Created
	if a.created <= 0 {
		a.created = a.request.Received
	}
	if k := a.request.Keep; k != nil {
		a.id, a.stem = k.ID, k.ID[len("resp_"):]
		return
	}
	stem := ev.ID
	if len(stem) > 5 && stem[:5] == "resp_" {
		stem = stem[5:]
	}
	if stem == "" {
		stem = ir.Escaped(strconv.FormatInt(a.created, 10))
	}
	a.id = "resp_" + ir.Identifier(stem, maxResponseID-5)
	a.stem = ir.Escaped(strings.Clone(string(ir.Identifier(stem, maxStem))))
}

// appendHead appends a Response up to the elements of its output (API reference, "The response object").
func (a *answer) appendHead(dst []byte) []byte {
	dst = raw(dst, `{"id":"`)
	dst = append(dst, a.id...)
	dst = raw(dst, `","object":"response","created_at":`)
	dst = strconv.AppendInt(dst, a.created, 10)
	dst = raw(dst, `,"model":`)
	dst = literal(dst, a.model)
	return raw(dst, `,"output":[`)
}

const (
	maxResponseID = 64 // characters, as OpenAI's are
	maxStem       = 48 // of the id in an item's, which OpenAI takes back with 64 at most
)
