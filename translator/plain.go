package translator

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/stages"
)

// Plain translates one answer into a plain body for the client.
type Plain struct {
	exchange *Exchange
	encoder  ir.PlainEncoder
	cutter   cutter
}

// Plain returns a Plain that appends the client's body to dst.
func (x *Exchange) Plain(dst []byte) *Plain {
	p := &Plain{exchange: x, encoder: x.pair.Client.Client.NewPlainEncoder(x.Request, x.clientModel, dst)}
	p.cutter.decoder = x.decoder(stages.Limit(x.MaxOutput, &watched{x, p.encoder}), stages.Complete)
	return p
}

// Take reads an upstream's whole answer, valid or not: a stream, or a plain body. body is not
// retained.
func (p *Plain) Take(body []byte, isStream bool) {
	x := p.exchange
	x.whole = !isStream && x.web == nil && x.summary == nil
	p.cutter.take(body, isStream)
	if x.whole && x.AskUsage && !x.counted() {
		x.estimate(body)
	}
}

// Found is Stream.Found without output.
func (p *Plain) Found(hits []stages.Hit, code string) { p.exchange.found(hits, code) }

// AppendNext is Stream.AppendNext; Take reads the answer.
func (p *Plain) AppendNext(dst []byte) ([]byte, error) {
	return p.exchange.appendNext(dst, &p.cutter)
}

// Body returns dst with the client's body, or dst unchanged and the error that ended the answer. It
// is called once, after the last Take.
func (p *Plain) Body() ([]byte, error) {
	body, err := p.encoder.Body()
	if err != nil {
		return body, p.exchange.withoutSecrets(err)
	}
	return passing.Valid(body), nil
}
