package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// hosted emits a call run by the upstream, once its result is known.
func (d *decoder) hosted(it *item) {
	h := hostedItem(ir.Raw(jsonw.View(it.raw)), d.finding)
	switch d.finding = nil; {
	case h == nil:
		d.loseItem(it)
	case h.Done:
		for i := range h.FoundTools {
			h.FoundTools[i] = d.names.Restore(h.FoundTools[i])
		}
		d.out.Hosted(h)
	default: // the call waits for its result, and its item is dropped
		d.finding = hostedItem(ir.Raw(strings.Clone(string(jsonw.View(it.raw)))), nil)
	}
}
