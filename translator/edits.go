package translator

import (
	"edgelingua/translator/compact"
	"edgelingua/translator/ir"
)

// edited returns the request with the edits of the history that the client asks for made, unless the upstream of an Exchange that has its
// target makes them itself.
func (x *Exchange) edited() *ir.Request {
	r := x.Request
	if r.Edits == nil || x.pair.Client == x.pair.Upstream && x.target.OwnCompaction {
		return r
	}
	for _, path := range r.Edits.Only {
		x.Lost.Add(path)
	}
	r.Edits.Made = true
	sent, cleared := compact.Clear(r)
	r.Edits.Cleared = cleared
	return sent
}
