package translator

import "edgelingua/translator/ir"

// As returns the exchange as if another client had asked for the same, so that tests see what each client gets for one answer.
func (x *Exchange) As(client string) (*Exchange, bool) {
	c := clientByName(client)
	if c == nil {
		return nil, false
	}
	r := *x.Request
	r.Client, r.Echo, r.Legacy = c, nil, false
	sent := &r
	if x.Policy != nil {
		sent, _ = x.Policy.Apply(&r, &ir.Lost{})
	}
	return &Exchange{pair: Pair{c, x.pair.upstream}, asked: x.asked, target: x.target, Request: &r, sent: sent, Policy: x.Policy}, true
}

// Upstream returns the name of the upstream's protocol.
func (x *Exchange) Upstream() string { return x.pair.upstream.Name() }

// WatchesStops reports whether the translator watches for stop sequences itself, since the upstream can't be told of them.
func (x *Exchange) WatchesStops() bool { return x.watchesStops() }

// PairOf returns a pair of two protocols that need not be among those that Lookup knows.
func PairOf(client ir.Client, upstream ir.Upstream) Pair { return Pair{client, upstream} }

// ClientByName and UpstreamByName are the tables of Lookup.
var (
	ClientByName   = clientByName
	UpstreamByName = upstreamByName
)
