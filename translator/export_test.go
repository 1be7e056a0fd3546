package translator

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/stages"
)

// As returns the exchange as if another client had sent the same request, so tests can compare all
// clients' answers to one answer of an upstream.
func (x *Exchange) As(client string) (*Exchange, bool) {
	api := API(client)
	if api == nil {
		return nil, false
	}
	r := *x.Request
	r.API, r.Echo, r.Legacy, r.HideThoughts = api, nil, false, r.HideThoughts && api == x.pair.Client
	if r.Edits != nil { // the new exchange decides by itself who makes them
		edits := *r.Edits
		edits.Made = false
		r.Edits = &edits
	}
	y := &Exchange{pair: Pair{Client: api, Upstream: x.pair.Upstream}, clientModel: x.clientModel,
		target:  x.target,
		Request: &r, form: x.form, Policy: x.Policy}
	if api != x.pair.Upstream {
		y.keys = x.keys
	}
	y.upstreamRequest = y.Edited()
	if x.Policy != nil {
		y.upstreamRequest, _ = x.Policy.Apply(y.upstreamRequest, &ir.Lost{})
	}
	return y, true
}

// Edited returns the request after its context edits.
func (x *Exchange) Edited() *ir.Request {
	lost := x.Lost
	defer func() { x.Lost = lost }()
	return x.edited()
}

// Upstream returns the name of the upstream's protocol.
func (x *Exchange) Upstream() string { return x.pair.Upstream.Name }

// WatchesStops reports whether the translator watches for stop sequences itself, because the
// upstream can't be sent all of them.
func (x *Exchange) WatchesStops() bool { return x.watchesStops() }

// Estimate returns the count of input tokens at the beginning of a client's stream.
func (x *Exchange) Estimate() int64 { return x.started(&ir.Event{}).Usage.Input }

// AsksInOtherWords reports whether the request asks for the format of the answer in other ways than
// the upstream's own field.
func (x *Exchange) AsksInOtherWords() bool { return x.form != stages.Plain }
