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

// preview is a translation for a program that sends the upstream request itself: the page in the
// browser ("Try it"), or a program with the JavaScript library. The preview has an instance of its
// own: see "The page" in worker/bridge.
type preview struct {
	plan
	upstream *endpoint.Upstream
	call     bridge.Call // the upstream request
	streams  string      // "1 " if the client asks for a stream, else "0 "
}

// Preview returns a translation for a program that calls the upstream itself.
func (Program) Preview(host bridge.Host) bridge.Previewer {
	return &preview{plan: plan{record: newRecord(host, http.Header{})}}
}

// Open translates a client's request for the endpoint of a record, and sends nothing. It returns
// the upstream's body and the stream for the translation of the answer. For a refusal it returns
// the client's error (see clientError) and nil.
func (p *preview) Open(client, record, path string, body []byte) ([]byte, bridge.Stream) {
	p.host.Report(p)
	p.path = path
	if p.client = translator.API(client); p.client == nil || !p.client.HasClients() {
		p.client = translator.APIs[0]
		return p.clientError(&ir.Error{Kind: ir.InvalidRequest,
			Message: "There is no protocol " + ir.Shortened(client) + ". The protocols are " + clients() +
				"." + ir.DidYouMean(client, clients())}), nil
	}
	s, err := p.open(record, body)
	if err != nil {
		return p.clientError(err), nil
	}
	return p.call.Body, s
}

// clients returns the names of the clients' protocols.
func clients() string {
	return translator.JoinNames(func(api *ir.API) string {
		if !api.HasClients() {
			return ""
		}
		return api.Name
	}, "and")
}

// open sets p.call and returns the stream that translates the answer. A body passes if
// plan.passes allows it. The preview knows no account, no store and no headers of a client, for which
// the worker may translate the body.
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
	p.upstream = c.Upstream
	p.setLast(c, nil)
	passes, limit := p.passes(c, body), maxTranslatedBody
	if passes {
		limit = maxSameBody
	}
	if len(body) > limit {
		return nil, tooLarge(limit)
	}
	if passes {
		streams, _ := passing.Streams(c.API, p.path, body)
		p.setCall(c, streams, nil, passing.ReplaceModel(body, func(string) string { return c.Model }))
		p.passthrough.choice, p.passthrough.tap = c, translator.NewTap(c.API, c.Upstream.Secrets)
		return &passthroughStream{p.passthrough.tap, &p.timing}, nil
	}
	x, err := p.decode(c, body)
	if err != nil {
		return nil, err
	}
	p.setLast(c, x)
	target := c.Target(c.Model)
	request, err := x.AppendRequest(nil, target)
	if err != nil {
		return nil, err
	}
	p.setCall(c, x.Request.Stream, x.Headers(), request)
	return &translatedStream{upstreamRequest: upstreamRequest{x, c.Upstream, p.call.URL},
		stream: translator.WorkerStream{Stream: x.Stream()}, record: p.record}, nil
}

// setCall sets p.call. The library's caller adds the client's own headers if the upstream needs
// any.
func (p *preview) setCall(c *endpoint.Choice, streams bool, needs []ir.Header, body []byte) {
	p.streams = "0 "
	if streams {
		p.streams = "1 "
	}
	path := c.Path(streams)
	p.call = upstream.Call(p.host, c.Upstream, path, upstream.NeededHeaders(needs, c.Upstream), body)
}

// Head returns "1 " or "0 " for a stream or none, the upstream's URL, a line break, and the head of
// the upstream request. passes: request and answer pass unchanged, except for the model's name.
func (p *preview) Head() (head string, passes bool) {
	head = p.streams + p.call.URL + "\n" + p.call.Head
	return head, p.passthrough.choice != nil
}

// Answer translates the upstream's whole answer for the client. failed: out is an error in the form
// of clientError. A passthrough answer is returned unchanged, except that errors have the
// upstream's secrets redacted.
func (p *preview) Answer(status int, body []byte) (out []byte, failed bool) {
	if p.passthrough.choice != nil && status >= 400 {
		text := passing.Redact(string(body), p.passthrough.choice.Secrets())
		return append(statusPrefix(status), text...), true
	}
	var tooLarge error
	if len(body) > upstream.MaxAnswer {
		tooLarge = bridge.ErrTooLarge
	}
	err := (&upstreamRequest{p.last.exchange, p.upstream, p.call.URL}).refusal(status, body, tooLarge)
	switch {
	case err != nil:
	case p.passthrough.choice != nil:
		p.passthrough.tap.Push(body)
		p.passthrough.tap.Close(nil)
		return body, false
	default:
		out, err = answerOf(p.last.exchange, body)
	}
	if err != nil {
		return p.clientError(err), true
	}
	return out, false
}

// clientError returns the client's error: the status in digits, a space, and the body.
func (p *preview) clientError(failure error) []byte {
	err := ir.AsError(failure)
	p.result.failure = err.Kind
	return p.client.Client.AppendError(statusPrefix(p.client.Status(err)), err)
}

// statusPrefix returns a status in digits and a space.
func statusPrefix(status int) []byte { return append(strconv.AppendInt(nil, int64(status), 10), ' ') }
