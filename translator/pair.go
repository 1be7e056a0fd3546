package translator

import (
	"edgelingua/translator/compact"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
)

// Pair is a client's protocol and an upstream's.
type Pair struct {
	Client, Upstream *ir.API

	// OnError gets each error that the client of an Exchange gets, once, without the Exchange's
	// Secrets: the refusal of a request, the upstream's error, and the failure of an answer, also in
	// a stream. Set OnError before Decode; nil: nothing is called. The error must not be changed.
	OnError func(e *ir.Error)
}

// Lookup returns the pair of two protocols by their names, such as Anthropic and Chat. ok is false
// for an unknown name, and for a client protocol without a client's side.
func Lookup(client, upstream string) (p Pair, ok bool) {
	p = Pair{Client: API(client), Upstream: API(upstream)}
	return p, p.Client != nil && p.Client.HasClients() && p.Upstream != nil
}

// Path returns the path of a request to the upstream's model, streamed or not, below the base URL.
// The base URL is in the form of the vendor's SDK: OpenAI's ends with /v1, Anthropic's does not.
// Escape the model as one path segment (url.PathEscape) if the client chooses the model.
func (p Pair) Path(model string, stream bool) string { return p.Upstream.Upstream.Path(model, stream) }

// Target returns what is known of the fields that a model accepts on the server at host. host may
// have a port. If nothing is known, the Target is the zero Target. The caller owns the result.
func (p Pair) Target(host, model string) *ir.Target { return p.Upstream.Upstream.Target(host, model) }

// Status returns the HTTP status of an error for the client. err must not be nil.
func (p Pair) Status(err error) int { return p.Client.Status(ir.AsError(err)) }

// AppendError appends the body of an error for the client. Status has the status. err must not be
// nil.
func (p Pair) AppendError(dst []byte, err error) []byte {
	return p.Client.Client.AppendError(dst, ir.AsError(err))
}

// Decode reads a client's body, valid or not, and the path of the request. The Exchange and its
// answer view both: they must not change until the answer is complete. The error is the client's
// fault and names the field.
//
// The body must be UTF-8. Half a surrogate pair in a string becomes U+FFFD, because no vendor accepts
// a body with one. An upstream's answer may contain other bytes: the client gets U+FFFD instead of
// each.
func (p Pair) Decode(path string, body []byte) (*Exchange, error) {
	body, wrong := passing.Mend(body)
	if wrong != nil {
		return nil, p.failed(ir.AsError(wrong))
	}
	x := &Exchange{pair: p, target: &ir.Target{}, Usage: ir.NoUsage}
	r, err := formOf(p.Client, view(body)).Client.DecodeRequest(path, view(body), &x.Lost)
	if err == nil {
		r.API = p.Client
		if p.Client != p.Upstream { // an upstream of the client's API judges itself
			err = r.CheckSampling()
		}
		if err == nil {
			err = compact.Drop(r, p.Client == p.Upstream)
		}
	}
	if err != nil {
		return nil, p.failed(err)
	}
	x.Request, x.upstreamRequest, x.clientModel = r, r, r.Model
	return x, nil
}

// UpstreamError is Exchange.UpstreamError for a request without an Exchange, such as one for the list
// of models. secrets is like Exchange.Secrets.
func (p Pair) UpstreamError(status int, body []byte, secrets func() []string) *ir.Error {
	return (&Exchange{pair: p, Secrets: secrets}).UpstreamError(status, body)
}

// failed reports an error of the client to OnError, and returns the error.
func (p *Pair) failed(e *ir.Error) error {
	if e != nil && p.OnError != nil {
		p.OnError(e)
	}
	return e.Err()
}
