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
	return &Exchange{pair: Pair{c, x.pair.upstream}, asked: x.asked, target: x.target, Request: &r}, true
}

// Upstream returns the name of the protocol that answers.
func (x *Exchange) Upstream() string { return x.pair.upstream.Name() }

// WatchesStops reports whether stop sequences are watched for here.
func (x *Exchange) WatchesStops() bool { return x.watchesStops() }

// Record hands the events of an answer to sink: of a stream, or of a plain body.
func (x *Exchange) Record(sink ir.Sink, answer []byte, plain bool) {
	d := x.decoder(sink, false, false)
	if plain {
		d.Body(string(answer))
		return
	}
	c := cutter{decoder: d}
	c.push(answer)
	c.close(nil)
}
