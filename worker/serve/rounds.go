package serve

import (
	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/stages"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/search"
	"edgelingua/worker/upstream"
	"edgelingua/worker/webfetch"
	"edgelingua/worker/webtools"
)

// Bounds of the searches and pages of one answer, in milliseconds.
const (
	searchTime  = 30_000  // that one may take, with its redirects
	answerTime  = 300_000 // behind which no search begins
	fewResults  = 5       // search_context_size low
	manyResults = 20      // and high
)

// runsTools reports whether a body, which may be anything, seems to ask for searches of the web or for pages that are run here: the endpoint has
// the option, and the upstream can't. The body is only searched for bytes: a text that has them makes it true too, and the request is then
// translated without need.
func runsTools(c *endpoint.Choice, body []byte) bool {
	searches, fetches := c.Endpoint.WebSearch.Name != "", c.Endpoint.MaxFetches > 0
	if !searches && !fetches { // the body is not looked at
		return false
	}
	search, fetch := passing.MentionsTools(body)
	if search, fetch = search && searches, fetch && fetches; !search && !fetch {
		return false
	}
	target := c.Target(c.Model)
	return search && !c.API.Upstream.Runs(ir.WebSearchTool, target) || fetch && !c.API.Upstream.Runs(ir.WebFetchTool, target)
}

// rounds makes the calls of an answer that takes several rounds: searches of the web, pages, and requests to the upstream that has answered first.
type rounds struct {
	h        *handler
	exchange *translator.Exchange
	of       *endpoint.Upstream
	call     bridge.Call // of the upstream; each round has another body
	query    search.Query
	opened   bool          // the provider's key is unsealed
	page     webfetch.Page // that is fetched
	hops     int           // redirects so far on the way to it; 0: none
	began    int64         // when the search, or the fetch with its redirects, began
}

func (h *handler) rounds(t translation, u *endpoint.Upstream) *rounds {
	return &rounds{h: h, exchange: t.exchange, of: u, call: t.call}
}

// ask returns the call of the search or the page that the answer waits for, or the code with which it fails before that.
func (s *rounds) ask(asked *stages.Search) (call bridge.Call, code string) {
	now := s.h.times.now()
	if s.hops == 0 {
		s.began = now
	}
	switch {
	case now-s.h.times.began > answerTime:
		s.hops = 0
		return call, s.failed(&search.Failure{Code: ir.SearchUnavailable, Reason: "The answer has taken five minutes."})
	case asked.URL == "":
		return s.search(asked)
	case now-s.began > searchTime:
		s.hops = 0
		return call, ir.FetchUnreachable
	}
	if s.hops == 0 {
		s.page = webfetch.Page{URL: asked.URL, Own: s.h.hostname, Max: webfetch.TextFor(asked.MaxTokens),
			Domains: search.Domains{Allowed: asked.Allowed, Blocked: asked.Blocked}}
	}
	if code = s.page.Wrong(); code != "" {
		s.hops = 0
		return call, code
	}
	return webtools.FetchCall(&s.page), ""
}

// search returns the call of a search.
func (s *rounds) search(asked *stages.Search) (call bridge.Call, code string) {
	e := s.of.Endpoint
	s.query = search.Query{Text: asked.Query, Allowed: asked.Allowed, Blocked: asked.Blocked}
	place := gjson.Parse(asked.Location)
	s.query.Country, s.query.City = place.Get("country").Str, place.Get("city").Str
	s.query.Region, s.query.Timezone = place.Get("region").Str, place.Get("timezone").Str
	switch asked.ContextSize {
	case "low":
		s.query.Count = fewResults
	case "high":
		s.query.Count = manyResults
	}
	if wrong := s.query.Wrong(); wrong != nil {
		return call, s.failed(wrong)
	}
	if !s.opened {
		s.opened = true
		if err := webtools.Unseal(s.h.host, e); err != nil {
			e.WebSearch.Key = ""
			return call, s.failed(&search.Failure{Code: ir.SearchUnavailable, Reason: err.Error()})
		}
	}
	call, lost := webtools.SearchCall(s.h.host, &e.WebSearch, &s.query)
	for _, name := range lost {
		s.exchange.Lost.Add(asked.At + ".user_location." + name)
	}
	return call, ""
}

// fetched reads the answer with a page; failed is why there is none. again: the answer leads to another page, which ask returns the call of.
func (s *rounds) fetched(status int, lines string, body []byte, failed error) (hits []stages.Hit, code string, again bool) {
	hops := s.hops
	s.hops = 0
	switch {
	case failed == bridge.ErrTooLarge:
		return nil, ir.FetchTooLarge, false
	case failed != nil:
		return nil, ir.FetchUnreachable, false
	case status >= 300 && status < 400:
		to, ok := s.page.Redirected(bridge.HeaderOf(lines, "location"))
		if !ok || hops == webfetch.MaxHops {
			return nil, ir.FetchUnreachable, false
		}
		s.page, s.hops = to, hops+1
		return nil, "", true
	}
	title, text, code := s.page.Read(status, bridge.HeaderOf(lines, "content-type"), body)
	return []stages.Hit{{URL: s.page.URL, Title: title, Text: text}}, code, false
}

// found reads the provider's answer; failed is why there is none.
func (s *rounds) found(status int, body []byte, failed error) (hits []stages.Hit, code string) {
	w := &s.of.Endpoint.WebSearch
	if failed != nil {
		return nil, s.failed(&search.Failure{Code: ir.SearchUnavailable, Reason: passing.Redact(w.Name+" can't be asked: "+failed.Error()+".", []string{w.Key})})
	}
	results, wrong := w.Read(&s.query, status, body)
	if wrong != nil {
		return nil, s.failed(wrong)
	}
	for i := range results {
		r := &results[i]
		hits = append(hits, stages.Hit{URL: r.URL, Title: r.Title, Text: r.Text, Age: r.Age})
	}
	return hits, ""
}

// failed logs why a search has failed, for the operator, and returns its code for the client.
func (s *rounds) failed(f *search.Failure) (code string) {
	println("edgelingua: a search of the web has failed: " + f.Reason)
	if f.Code == "invalid_input" {
		return ir.SearchInvalid
	}
	return f.Code
}

// next returns the call of the next round. appendNext appends its body. The client's idempotency-key was that of the first round, whose answer
// an upstream would repeat.
func (s *rounds) next(appendNext func(dst []byte) ([]byte, error)) (bridge.Call, error) {
	room := len(s.call.Body) + len(s.call.Body)/4 + 64<<10
	bridge.Reserve(room)
	body, err := appendNext(make([]byte, 0, room))
	if err != nil {
		return bridge.Call{}, s.h.turn.Relocate(err)
	}
	s.call = upstream.Again(s.of, s.call, body)
	s.call.Pieces = s.exchange.Pieces(body)
	s.call.HeadWait = 0
	s.call.Head = bridge.WithoutHeader(s.call.Head, "idempotency-key")
	if s.h.counted {
		s.h.attempts.again()
	}
	return s.call, nil
}

// whole returns the client's plain answer: the upstream's body is that of the first round.
//
//go:noinline
func (s *rounds) whole(body []byte) ([]byte, error) {
	x := s.exchange
	p := x.Plain(make([]byte, 0, len(body)+1<<10))
	p.Take(body, beginsLikeSSE(body))
	for x.Waits() {
		if asked, ok := x.Search(); ok {
			call, code := s.ask(&asked)
			var hits []stages.Hit
			again := false
			if code == "" {
				hits, code, again = s.fetch(call, asked.URL != "")
			}
			if !again {
				p.Found(hits, code)
			}
			continue
		}
		call, err := s.next(p.AppendNext)
		if err != nil {
			return nil, err
		}
		head, failed := s.h.fetch(s.of, call)
		if failed != nil {
			return nil, upstream.Unreached(failed.Error())
		}
		if err := upstream.Unread(head.Status, head.Lines); err != nil {
			return nil, err
		}
		answer, failed := s.h.readBody(head.Status)
		if err := (&asked{x, s.of, call.URL}).refusal(head.Status, answer, failed); err != nil {
			return nil, err
		}
		p.Take(answer, beginsLikeSSE(answer))
	}
	return p.Body()
}

// fetch runs a search, or fetches a page: again is as of fetched.
func (s *rounds) fetch(call bridge.Call, page bool) (hits []stages.Hit, code string, again bool) {
	head, failed := s.h.host.Fetch(call)
	var body []byte
	if failed == nil {
		body, failed = s.h.host.Read(most(page), int(max(1, searchTime-(s.h.times.now()-s.began))))
	}
	if page {
		return s.fetched(head.Status, head.Lines, body, failed)
	}
	hits, code = s.found(head.Status, body, failed)
	return hits, code, false
}

// most returns how many bytes a page may have, or a provider's answer.
func most(page bool) int {
	if page {
		return webfetch.MaxPage
	}
	return search.MaxAnswer
}
