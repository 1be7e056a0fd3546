package translator

import "edgelingua/translator/ir"

// Prepared returns the client's whole stream for a request that no model is asked for: an answer that is complete and says nothing.
func (x *Exchange) Prepared() []byte {
	o := output{exchange: x, encoder: x.pair.Client.Client.NewEncoder(x.Request, x.asked)}
	o.Event(&ir.Event{Kind: ir.Start})
	o.Event(&ir.Event{Kind: ir.Finish, Stop: ir.EndTurn})
	return o.buf
}
