package serve

import (
	"net/http"
	"net/url"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/tenant"
	"edgelingua/worker/upstream"
)

// embedding is a request for embeddings.
type embedding struct {
	usage  ir.Usage              // the upstream's; Input negative: unknown
	failed ir.ErrorKind          // the kind of the failure of a passing answer; 0: none
	x      *translator.Embedding // the translation; nil: the body passes, or no upstream was tried
}

// embed answers a request for embeddings. Limits, budgets, keys and fallbacks are those of every
// request to a model. Only upstreams with embeddings are tried.
//
//go:noinline
func (h *record) embed(r *http.Request, e *endpoint.Endpoint) (*reply, error) {
	h.embedding = &embedding{usage: ir.NoUsage}
	body, err := receive(r, h.host, maxTranslatedBody)
	if err != nil {
		h.attempts.returnProbes(h.host, e, nil)
		return nil, err
	}
	p := h.newPlan()
	choices, body, err := p.resolve(r, e, body)
	if err != nil {
		return nil, err
	}
	able := make([]endpoint.Choice, 0, len(choices))
	for i := range choices {
		if upstream.EmbeddingsOf(choices[i].Upstream) != nil {
			able = append(able, choices[i])
		}
	}
	p.attempts.returnProbes(p.host, e, able)
	if len(able) == 0 {
		return nil, upstream.NoEmbeddings(choices[0].Upstream)
	}
	for choices = able; ; choices = choices[1:] {
		if a, err := p.embedBy(r, choices, body); err != errNext {
			return a, err
		}
	}
}

// embedBy answers with the embeddings of the first of choices. It returns errNext if the next
// upstream is to be tried.
func (p *plan) embedBy(r *http.Request, choices []endpoint.Choice, body []byte) (*reply, error) {
	c, more := &choices[0], len(choices) > 1
	p.header.Del(headerLost)
	p.setLast(c, nil)
	p.last.billable, p.embedding.x = false, nil
	if p.account.counts {
		p.attempts.begin(p.host, c)
	}
	if err := tenant.Unseal(p.host, c.Upstream); err != nil {
		return nil, err
	}
	call, err := p.embedCall(r, c, body)
	if err != nil {
		return nil, err
	}
	head, failed := p.fetch(c.Upstream, call)
	unread := upstream.Unread(head.Status, head.Lines)
	switch {
	case more && upstream.Fails(head.Status, failed):
		return nil, errNext
	case failed != nil:
		return nil, upstream.Unreached(failed.Error())
	case p.embedding.x == nil:
		return p.passAnswer(head, c.Upstream, call.URL)
	}
	p.copyHeaders(head.Lines, c.Upstream)
	if unread != nil {
		return nil, unread
	}
	answer, failed := p.readBody(head.Status)
	switch {
	case head.Status >= 400:
		return nil, p.embedError(c, call.URL, head.Status, answer)
	case head.Status >= 300:
		return nil, upstream.Redirected(head.Status)
	case failed == bridge.ErrTooLarge:
		return nil, &ir.Error{Kind: ir.Unavailable, Message: "The upstream's answer is over 16 MB, which " +
			"is more than is translated: send fewer inputs at once."}
	case failed != nil:
		return nil, upstream.BrokenOff(failed.Error())
	}
	bridge.Reserve(2 * len(answer))
	out, input, err := p.embedding.x.AppendAnswer(make([]byte, 0, len(answer)), answer,
		upstream.EmbeddingsOf(c.Upstream).Upstream)
	p.embedding.usage.Input = input
	if err != nil {
		return nil, err
	}
	p.reportCost()
	return jsonReply(out, nil)
}

// embedCall returns the request to an upstream. A body for an upstream with the client's form passes,
// with the upstream's name of the model.
func (p *plan) embedCall(r *http.Request, c *endpoint.Choice, body []byte) (call bridge.Call, err error) {
	form, single := upstream.EmbeddingsOf(c.Upstream), false
	passes := form == p.client.Embeddings
	if passes {
		single = p.client.Embeddings.Client.IsSingle(p.path)
		body, err = translator.PassEmbed(p.client, body, p.clientModel, c.Model)
	} else {
		body, err = p.translateEmbed(c, form.Upstream, body)
	}
	if err != nil {
		return call, err
	}
	p.passthrough.body = body
	path := form.Upstream.EmbedPath(url.PathEscape(c.Model), single)
	if passes {
		return p.forwarded(r, c.Upstream, path, body), nil
	}
	return upstream.Call(p.host, c.Upstream, path, "", body), nil
}

// translateEmbed returns the body for an upstream with another form.
func (p *plan) translateEmbed(c *endpoint.Choice, up ir.EmbedUpstream, body []byte) ([]byte, error) {
	bridge.Reserve(len(body) / 8)
	x, err := translator.DecodeEmbed(p.client, p.path, body)
	if err != nil {
		return nil, err
	}
	p.embedding.x = x
	room := len(body) + len(body)/2
	bridge.Reserve(room)
	body, err = x.AppendRequest(make([]byte, 0, room), up, c.Model, c.Target(c.Model))
	if lost := p.lost(); err == nil && lost != "" {
		p.header.Set(headerLost, lost)
	}
	return body, err
}

// embedError returns the client's error for an upstream's failed answer.
func (p *plan) embedError(c *endpoint.Choice, url string, status int, body []byte) error {
	err := translator.Pair{Client: p.client, Upstream: c.API}.UpstreamError(status, body, c.Secrets)
	told := upstream.Advise(c.Upstream, url, err, string(body))
	if told != err && status == http.StatusNotFound {
		told.Message = "This upstream may have no embeddings. " + told.Message
		return told
	}
	return upstream.OtherKind(told, c.Model, true)
}

// inputTokens estimates the tokens of the inputs. body is the upstream's body, if it passes.
func (m *embedding) inputTokens(client *ir.API, path string, body []byte) int64 {
	x := m.x
	if x == nil {
		var err error
		if x, err = translator.DecodeEmbed(client, path, body); err != nil {
			return int64(len(body) / 4) // the upstream may be able to read it anyway
		}
	}
	return x.InputTokens()
}

// pumpEmbeddings returns the stream of a passing answer with embeddings. readable: its usage can be
// read.
func (h *record) pumpEmbeddings(u *endpoint.Upstream, readable bool) bridge.ClientBody {
	s := &embedStream{embedding: h.embedding, timing: &h.timing}
	if h.account.counts && readable {
		s.tap = translator.NewEmbedTap(u.API.Embeddings.Upstream)
	}
	h.result.pumped = true
	return h.host.Pump(s, "", beat(u.Endpoint.HeadWait), "", "", 0)
}

// embedStream is the stream of a passing answer with embeddings. tap reads the usage; nil: it is not
// read.
type embedStream struct {
	*embedding
	tap    *translator.EmbedTap
	timing *timing
}

// Head is never called: a passing answer has its head.
func (s *embedStream) Head(int, string) bool { return false }

// Push implements bridge.Stream.
func (s *embedStream) Push(chunk []byte) ([]byte, bool) {
	if s.tap != nil {
		s.tap.Push(chunk)
	}
	s.timing.noteOutput(chunk)
	return chunk, false
}

// Complete returns false: only the upstream ends the answer.
func (s *embedStream) Complete() bool { return false }

// Close implements bridge.Stream.
func (s *embedStream) Close(cause bridge.Cause) []byte {
	if s.tap != nil {
		s.usage.Input = s.tap.Input()
	}
	if err := upstream.Severed(cause); err != nil {
		s.failed = ir.AsError(err).Kind
	}
	return nil
}
