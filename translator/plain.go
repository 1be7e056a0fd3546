package translator

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/stages"
)

// Plain is the translation of one answer that the client gets as a whole.
type Plain struct {
	exchange *Exchange
	folder   ir.Folder
	cutter   cutter
}

// Plain returns the translation of the exchange's plain answer, which is appended to dst.
func (x *Exchange) Plain(dst []byte) *Plain {
	p := &Plain{exchange: x, folder: x.pair.Client.Client.NewFolder(x.Request, x.asked, dst)}
	p.cutter.decoder = x.decoder(stages.Limit(x.MaxOutput, &watched{x, p.folder}), stages.Complete)
	return p
}

// Take takes an upstream's whole answer, which may be anything: a stream, or a plain body.
func (p *Plain) Take(body []byte, isStream bool) { p.cutter.take(body, isStream) }

// Found reads the results of the search that Exchange.Search has returned, or the code of its failure (ir.SearchUnavailable, ...).
func (p *Plain) Found(hits []stages.Hit, code string) { p.exchange.found(hits, code) }

// AppendNext is Exchange.appendNext.
func (p *Plain) AppendNext(dst []byte) ([]byte, *ir.Error) {
	return p.exchange.appendNext(dst, &p.cutter)
}

// Body returns dst with the client's body, or the error with which the answer has failed.
func (p *Plain) Body() ([]byte, *ir.Error) {
	body, err := p.folder.Body()
	if err != nil {
		return body, p.exchange.withoutSecrets(err)
	}
	return passing.Valid(body), nil
}
