//go:build js && wasm

package main

import (
	"net/http"
	"strconv"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// preview is the exchange that the page in the browser shows ("Try it"), which has this instance for itself: worker/bridge, "The page".
type preview struct{ handler }

// Open translates a client's request, its path and its body, for an endpoint with one upstream whose record is given, and sends it nowhere.
// It returns the upstream's body and the stream that translates the answer; or told of the error, and nil.
func (p *preview) Open(client, record, path string, body []byte) ([]byte, bridge.Stream) {
	bridge.Reported, p.path = p, path
	if p.client = translator.API(client); p.client == nil {
		p.client = translator.APIs[0]
		return p.told(&ir.Error{Kind: ir.InvalidRequest, Message: "There is no protocol " + client + "."}), nil
	}
	request, err := p.translateFor(record, body)
	if err != nil {
		return p.told(err), nil
	}
	return request, &relayed{stream: p.exchange.Stream(), exchange: p.exchange}
}

// Refuse returns told of an upstream's error.
func (p *preview) Refuse(status int, body []byte) []byte {
	return p.told(refusal(p.exchange, status, body, nil))
}

func (p *preview) translateFor(record string, body []byte) ([]byte, *ir.Error) {
	e, failed := endpoint.Parse("", record)
	if failed != nil {
		return nil, endpoint.NotSetUp(failed.Error())
	}
	choices, err := p.choose(&http.Request{}, e, body)
	if err != nil {
		return nil, err
	}
	c := &choices[0]
	x, err := decode(p.client, p.path, c, body)
	if err != nil {
		return nil, err
	}
	p.sentTo(c, x)
	target := c.Target(c.Model)
	return x.AppendRequest(nil, &target)
}

// told returns an error as the client gets it: the status in digits, a space, and the body.
func (p *preview) told(err *ir.Error) []byte {
	p.failed = err.Kind
	dst := strconv.AppendInt(nil, int64(p.client.Status(err)), 10)
	return p.client.Client.AppendError(append(dst, ' '), err)
}
