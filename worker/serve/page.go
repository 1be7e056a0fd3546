package serve

import (
	"net/http"
	"strconv"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
)

// preview is an exchange whose upstream another program calls: the page in the browser ("Try it"), or a program that uses the library for
// JavaScript. It has this instance for itself: worker/bridge, "The page".
type preview struct {
	plan
	of      *endpoint.Upstream
	call    bridge.Call // how the upstream is asked
	streams string      // "1 " if the client has asked for a stream, else "0 "
}

// Preview returns an exchange for a program that calls the upstream itself.
func (Program) Preview(host bridge.Host) bridge.Previewer {
	return &preview{plan: plan{record: &record{ask: ask{host: host}, header: http.Header{}, times: times{host: host}}}}
}

// Open translates a client's request, its path and its body, for the endpoint whose record is given, and sends it nowhere. It returns the
// upstream's body and the stream that translates the answer; or told of the error, and nil.
func (p *preview) Open(client, record, path string, body []byte) ([]byte, bridge.Stream) {
	p.host.Report(p)
	p.path = path
	if p.client = translator.API(client); p.client == nil || !p.client.HasClients() {
		p.client = translator.APIs[0]
		return p.told(&ir.Error{Kind: ir.InvalidRequest, Message: "There is no protocol " + client + "."}), nil
	}
	s, err := p.open(record, body)
	if err != nil {
		return p.told(err), nil
	}
	return p.call.Body, s
}

// open sets the call of the upstream, and returns the stream that translates its answer. A body that the worker would pass on passes here, too.
func (p *preview) open(record string, body []byte) (bridge.Stream, error) {
	e, failed := endpoint.Parse("", record)
	if failed != nil {
		return nil, endpoint.NotSetUp(failed.Error())
	}
	err := p.client.Check(p.path)
	var choices []endpoint.Choice
	if err == nil {
		choices, err = p.choose(&http.Request{}, e, body)
	}
	if err != nil {
		return nil, err
	}
	c := &p.attempts.order(choices)[0]
	p.of = c.Upstream
	p.sentTo(c, nil)
	passes, limit := p.passes(c, body), maxTranslatedBody
	if passes {
		limit = maxSameBody
	}
	if len(body) > limit {
		return nil, tooLarge(limit)
	}
	if passes {
		streams, _ := passing.Streams(c.API, p.path, body)
		p.asks(c, streams, nil, passing.ReplaceModel(body, func(string) string { return c.Model }))
		p.passed, p.tap = c, translator.NewTap(c.API, c.Upstream.Secrets)
		return &tapped{p.tap, &p.times}, nil
	}
	x, err := p.decode(c, body)
	if err != nil {
		return nil, err
	}
	p.sentTo(c, x)
	target := c.Target(c.Model)
	request, err := x.AppendRequest(nil, target)
	if err != nil {
		return nil, err
	}
	p.asks(c, x.Request.Stream, x.Headers(), request)
	return &relayed{stream: x.Stream(), asked: asked{x, c.Upstream, p.call.URL}, answer: p.record}, nil
}

// asks sets the call of an upstream. The caller of the library sends the client's own headers, where the upstream is to have some.
func (p *preview) asks(c *endpoint.Choice, streams bool, needs []ir.Header, body []byte) {
	p.streams = "0 "
	if streams {
		p.streams = "1 "
	}
	path := c.Path(streams)
	p.call = upstream.Call(p.host, c.Upstream, path, upstream.NeededHeaders(needs, c.Upstream), body)
}

// Head returns whether the client has asked for a stream, the URL and the head of the call, and whether call and answer pass.
func (p *preview) Head() (head string, passes bool) {
	head = p.streams + p.call.URL + "\n" + p.call.Head
	return head, p.passed != nil
}

// Answer returns what the client gets for the upstream's whole answer; failed: told of an error. An answer that passes comes back as it is,
// but for the upstream's secrets in an error.
func (p *preview) Answer(status int, body []byte) (out []byte, failed bool) {
	if p.passed != nil && status >= 400 {
		return append(spaced(status), passing.Redact(string(body), p.passed.Secrets())...), true
	}
	var tooLarge error
	if len(body) > upstream.MaxAnswer {
		tooLarge = bridge.ErrTooLarge
	}
	err := (&asked{p.exchange, p.of, p.call.URL}).refusal(status, body, tooLarge)
	switch {
	case err != nil:
	case p.passed != nil:
		p.tap.Push(body)
		p.tap.Close(nil)
		return body, false
	default:
		out, err = answerOf(p.exchange, body)
	}
	if err != nil {
		return p.told(err), true
	}
	return out, false
}

// told returns an error as the client gets it: the status in digits, a space, and the body.
func (p *preview) told(failure error) []byte {
	err := ir.AsError(failure)
	p.failed = err.Kind
	return p.client.Client.AppendError(spaced(p.client.Status(err)), err)
}

// spaced returns a status in digits and a space.
func spaced(status int) []byte { return append(strconv.AppendInt(nil, int64(status), 10), ' ') }
