package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
)

// hosted reads the start of a block with a call that ran at the upstream, or with its result, for a
// client of another API. If the client's API has a form for such calls, the call and its result are
// yielded together, when the result comes. hosted reports whether the block was read.
//
//go:noinline
func (d *decoder) hosted(c *block, f *startFields, v ir.Raw) bool {
	if !d.r.API.Client.Shows(ir.HostedBlock) {
		return false
	}
	if hostedCall(f.kind, f.id, f.name, "", "") != nil {
		if d.buffer(c, v) {
			c.form = hostedForm
		}
		return true
	}
	for i := range d.ran {
		if h := &d.ran[i]; h.ID == f.toolUseID {
			hostedResult(h, f.content, f.failed)
			for n := range h.FoundTools {
				h.FoundTools[n] = d.names.Restore(h.FoundTools[n])
			}
			d.out.Hosted(h)
			d.ran = append(d.ran[:i], d.ran[i+1:]...)
			return true
		}
	}
	return false
}

// closeHosted buffers a call whose block has ended, until the result comes.
func (d *decoder) closeHosted(c *block) {
	whole := ir.Raw(strings.Clone(string(c.raw()))) // the call has views of the copy
	var f startFields
	f.read(whole)
	h := hostedCall(f.kind, f.id, f.name, f.server, f.input)
	if h != nil && d.out.Reserve(len(whole), tooMuch) {
		d.ran = append(d.ran, *h)
	}
}
