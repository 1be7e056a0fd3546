package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// hosted yields a call that the upstream made by itself, when its result is there.
func (d *decoder) hosted(it *item) {
	item := ir.Raw(strings.Clone(string(jsonw.View(it.raw)))) // what is read of it stays
	h := hostedItem(item, d.finding)
	switch d.finding = nil; {
	case h == nil:
		d.loseItem(it)
	case h.Done:
		for i := range h.Found {
			h.Found[i] = d.names.Restore(h.Found[i])
		}
		d.out.Hosted(h)
	default:
		d.finding = h
	}
}
