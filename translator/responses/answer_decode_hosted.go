package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// hosted yields a call that the upstream made by itself, when its result is there.
func (d *decoder) hosted(it *item) {
	h := hostedItem(ir.Raw(jsonw.View(it.raw)), d.finding)
	switch d.finding = nil; {
	case h == nil:
		d.loseItem(it)
	case h.Done:
		for i := range h.Found {
			h.Found[i] = d.names.Restore(h.Found[i])
		}
		d.out.Hosted(h)
	default: // it is kept until the result comes, its item is not
		d.finding = hostedItem(ir.Raw(strings.Clone(string(jsonw.View(it.raw)))), nil)
	}
}
