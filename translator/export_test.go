package translator

import "edgelingua/translator/ir"

// As returns the exchange as if another client had asked for the same: to see what each client gets for one answer.
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

// Upstream returns the name of the protocol that answers.
func (x *Exchange) Upstream() string { return x.pair.upstream.Name() }

// WatchesStops reports whether stop sequences are watched for here.
func (x *Exchange) WatchesStops() bool { return x.watchesStops() }

// PairOf returns the pair of two protocols that need not be in the tables of Lookup.
func PairOf(client ir.Client, upstream ir.Upstream) Pair { return Pair{client, upstream} }

// ClientByName and UpstreamByName are the tables of Lookup.
var (
	ClientByName   = clientByName
	UpstreamByName = upstreamByName
)
