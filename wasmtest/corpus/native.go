package corpus

import (
	"bytes"
	"net/url"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
	"edgelingua/translator/policy"
	"edgelingua/worker/endpoint"
)

// Want is the expected behaviour of a worker in a case.
type Want struct {
	URL     string `json:"url"`     // of the upstream request; "" if there must be none
	Request []byte `json:"request"` // the body of the upstream request
	Status  int    `json:"status"`  // the status of the client's answer
	Lost    string `json:"lost"`    // x-edgelingua-lost of the client's answer
	Loop    string `json:"loop"`    // x-edgelingua-loop of the client's answer
	Body    []byte `json:"body"`    // the body of the client's answer
}

// native returns the result of a case with only the translator, without a worker.
func (x *Case) native() (w Want, err error) {
	u, err := Upstream(x.Settings)
	if err != nil {
		return w, err
	}
	request := bytes.Clone(x.Request)
	client := translator.API(x.Client)
	if refused := client.Check(x.Path); refused != nil {
		return Want{Status: client.Status(ir.AsError(refused)), Body: client.Client.AppendError(nil,
			ir.AsError(refused))}, nil
	}
	model := passing.Model(client, x.Path, request)
	compacts := passing.Compacted(client, x.Path, request) && !u.Target(u.Models.Map(model)).OwnCompaction
	if u.Passes(client) && !compacts && !passing.HoldsForeign(client, request) &&
		u.AcceptsTools(u.Models.Map(model), request) {
		request = passing.ReplaceModel(request, u.Models.Map)
		return Want{
			URL: endpoint.Join(u.URL,
				u.API.Upstream.Path(url.PathEscape(u.Models.Map(model)), x.Streamed)),
			Request: request, Status: x.Answer.Status, Body: x.Answer.Body, Loop: x.loop(u),
		}, nil
	}
	pair, _ := translator.Lookup(x.Client, x.Upstream)
	t, refused := pair.Decode(x.Path, request)
	if refused == nil {
		refused = w.ask(t, u)
		x.Rounds = t.Rounds()
	}
	if refused == nil {
		refused = w.answer(t, x.Answer)
	}
	w.Loop = x.loop(u)
	if refused != nil {
		w.Status = pair.Status(refused)
		w.Body = pair.AppendError(nil, refused)
	}
	return w, nil
}

// loop returns the tool that the request's history calls repeatedly, as a worker with LoopGuard
// reports it, or "".
func (x *Case) loop(u *endpoint.Upstream) string {
	pair, _ := translator.Lookup(x.Client, x.Upstream)
	t, refused := pair.Decode(x.Path, x.Request)
	if refused != nil || !u.Endpoint.Policy.LoopGuard {
		return ""
	}
	return policy.Loop(t.Request)
}

// ask sets the fields about the upstream request.
func (w *Want) ask(t *translator.Exchange, u *endpoint.Upstream) error {
	model := u.Models.Map(jsonw.Unescape(t.Request.Model))
	t.Request.Model = jsonw.Escape(model)
	t.Request.Received = Received
	target := u.Target(model)
	Obey(t, u)
	t.FindTools = true // as in the worker
	request, refused := t.AppendRequest(nil, target)
	if refused != nil {
		return refused
	}
	w.URL, w.Request, w.Lost = endpoint.Join(u.URL,
		u.API.Upstream.Path(url.PathEscape(model), t.Request.Stream)), request, t.Lost.Header()
	return nil
}

// Obey sets the policy of a case to that of the upstream's endpoint.
func Obey(t *translator.Exchange, u *endpoint.Upstream) {
	if u.Endpoint.Policy.Changes() {
		t.Policy = &u.Endpoint.Policy
	}
}

// answer sets the fields about the client's answer. If both sides stream, the header is sent before
// the losses of the answer are known.
func (w *Want) answer(t *translator.Exchange, a *Answer) error {
	var err error
	if w.Body, err = a.For(t); err != nil {
		return err
	}
	w.Status = 200
	if !a.SSE || !t.Request.Stream {
		w.Lost = t.Lost.Header()
	}
	return nil
}

// For translates the answer for the client of t, into a stream or a plain body as the client
// requested, or returns the failure that the client gets instead.
func (a *Answer) For(t *translator.Exchange) ([]byte, error) {
	switch {
	case a.Status >= 400:
		return nil, t.UpstreamError(a.Status, a.Body)
	case a.SSE && t.Request.Stream:
		s := t.Stream()
		out, _ := s.Push(a.Body)
		return append(bytes.Clone(out), s.Close(nil)...), nil
	case t.Request.Stream:
		_, out := t.StreamOfBody(a.Body)
		return out, nil
	case a.SSE:
		return t.AppendFolded(nil, a.Body)
	}
	return t.AppendBody(nil, a.Body)
}
