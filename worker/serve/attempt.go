package serve

import (
	"errors"
	"net/http"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/tenant"
)

// errNext is the error of an attempt if the next upstream is to be tried.
var errNext = errors.New("the next upstream is to be tried")

// attempt answers with the first of choices. It returns errNext if the next one is to be tried.
func (p *plan) attempt(r *http.Request, choices []endpoint.Choice, body []byte) (*reply, error) {
	c, more := &choices[0], len(choices) > 1
	p.header.Del(headerLost)
	p.setLast(c, nil)
	p.last.billable = false // an earlier upstream may have accepted the request before its timeout
	p.last.unknown = false
	if p.account.counts {
		p.attempts.begin(p.host, c)
	}
	if err := tenant.Unseal(p.host, c.Upstream); err != nil {
		// a missing token of Google's counts as an upstream that does not answer
		if more && c.ByServiceAccount() {
			p.attempts.removeLast()
			return nil, errNext
		}
		return nil, err
	}
	if !p.conversation.Translates && p.passes(c, body) && p.countsTokens(c) &&
		(len(body) > maxTranslatedBody || !c.Raises(version(r, c))) {
		return p.pass(r, c, body, more)
	}
	t, err := p.translate(r, c, body)
	if err != nil {
		if p.compaction.fallback && more {
			p.compaction.fallback = false
			return nil, errNext
		}
		return nil, err
	}
	// A summary comes before the client gets a head: no stream can begin before it is known whether
	// there is a summary to begin it with.
	if translator.ForWorker(t.exchange).IsAnswered() {
		return p.summaryReply(t.exchange)
	}
	p.setLast(c, t.exchange)
	if c.Endpoint.Policy.LoopGuard && p.compaction.summary == nil {
		p.noteLoop(t.exchange.Request)
	}
	faults.Trap(p.host, r, "after")
	return p.relay(r, t, body, choices)
}

// passes reports whether settings and body allow the upstream to get the body unchanged; attempt also
// asks the store, the account and the API's version. A body that is too large to translate passes
// despite HoldsForeign and AcceptsTools, but not with web tools or a compaction.
func (p *plan) passes(c *endpoint.Choice, body []byte) bool {
	return c.Passes(p.client) && (len(body) > maxTranslatedBody ||
		!passing.HoldsForeign(p.client, body) && c.AcceptsTools(c.Model, body)) &&
		!needsWebTools(c, body) &&
		(!passing.Compacted(p.client, p.path, body) || c.Target(c.Model).OwnCompaction)
}

// countsTokens reports whether the count of tokens, if the endpoint counts any, also works for a body
// that passes. A Chat stream
// contains its usage only if the client sets stream_options.include_usage. If the client does not,
// the request is translated, and the translation sets it, unless the upstream does not support the
// option.
func (p *plan) countsTokens(c *endpoint.Choice) bool {
	if !p.account.counts {
		return true
	}
	_, counted := passing.Streams(p.client, p.path, p.members)
	return counted || c.Target(c.Model).OmitStreamUsage
}

// needsWebTools reports whether a body seems to offer web searches, webpages or an advisor that this
// server must run: the endpoint has the option, and the upstream does not run the tool. Any bytes are
// allowed as body. Only a search for bytes decides, so a text with the same bytes also makes it
// true; then the translation is needless but correct.
func needsWebTools(c *endpoint.Choice, body []byte) bool {
	searches, fetches := c.Endpoint.WebSearch.Name != "", c.Endpoint.MaxFetches > 0
	advises := c.Endpoint.Advisor.Model != "" && len(c.Endpoint.Advises()) > 0
	if !searches && !fetches && !advises { // without the options the body is not searched
		return false
	}
	return mentionsWebTools(c, body, searches, fetches, advises)
}

// mentionsWebTools is needsWebTools for an endpoint with these options.
//
//go:noinline
func mentionsWebTools(c *endpoint.Choice, body []byte, searches, fetches, advises bool) bool {
	search, fetch, advisor := passing.MentionsTools(body)
	search, fetch, advisor = search && searches, fetch && fetches, advisor && advises
	if !search && !fetch && !advisor {
		return false
	}
	target := c.Target(c.Model)
	return search && !c.API.Upstream.Runs(ir.WebSearchTool, target) ||
		fetch && !c.API.Upstream.Runs(ir.WebFetchTool, target) ||
		advisor && !c.API.Upstream.Runs(ir.AdvisorTool, target)
}

// version returns the version of the upstream's API that the client names, or "".
func version(r *http.Request, c *endpoint.Choice) string {
	if c.API.Version == nil {
		return ""
	}
	return r.Header.Get(c.API.Version.Header)
}
