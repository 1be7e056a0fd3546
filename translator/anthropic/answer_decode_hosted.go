package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
)

// hosted takes the start of a block with a call that the upstream made by itself, or with its
// result, for a client of another API that has a form for both: they go out as one, when the result
// comes. It reports whether the block is one of these.
//
//go:noinline
func (d *decoder) hosted(c *block, f *startFields, v ir.Raw) bool {
	if !d.r.API.Client.Shows(ir.HostedBlock) {
		return false
	}
	if hostedCall(f.kind, f.id, f.name, "", "") != nil {
		if d.keep(c, v) {
			c.form = hostedForm
		}
		return true
	}
	for i := range d.ran {
		if h := &d.ran[i]; h.ID == f.toolUseID {
			hostedResult(h, f.content, f.failed)
			for n := range h.Found {
				h.Found[n] = d.names.Restore(h.Found[n])
			}
			d.out.Hosted(h)
			d.ran = append(d.ran[:i], d.ran[i+1:]...)
			return true
		}
	}
	return false
}

// closeHosted keeps a call, whose block has ended, until its result comes.
func (d *decoder) closeHosted(c *block) {
	whole := ir.Raw(strings.Clone(string(c.raw()))) // what is read of it stays
	var f startFields
	f.read(whole)
	if h := hostedCall(f.kind, f.id, f.name, f.server, f.input); h != nil && d.out.Keep(len(whole), tooMuch) {
		d.ran = append(d.ran, *h)
	}
}
