package serve

import (
	"errors"

	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/stages"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/search"
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

// lookup is a search of the web, or a page, for which an answer waits. begin says what to call; run, or head and push, take what comes; and
// end says what it is.
type lookup struct {
	h        *record
	exchange *translator.Exchange
	endpoint *endpoint.Endpoint
	query    search.Query
	opened   bool          // the provider's key is unsealed
	at       webfetch.Page // that is fetched
	hops     int           // redirects so far on the way to it; 0: none
	began    int64         // when the search, or the page with its redirects, began

	runs   bool   // it has begun, and not ended
	page   bool   // it is a page
	code   string // with which it has failed before the call; "": it has not
	status int    // of the answer
	lines  string // of the answer's head
	body   []byte
	failed error // why there is no answer
}

// begin begins a search or a page, or goes on with it at the page to which it has led, and returns its call. A call without a URL is not made:
// it has failed already.
func (l *lookup) begin(asked *stages.Search) (call bridge.Call) {
	l.runs, l.page, l.code, l.status, l.lines, l.failed, l.body = true, asked.URL != "", "", 0, "", nil, nil
	now := l.h.times.now()
	if l.hops == 0 {
		l.began = now
	}
	switch {
	case now-l.h.times.began > answerTime:
		l.code = l.logged(&search.Failure{Code: ir.SearchUnavailable, Reason: "The answer has taken five minutes."})
	case !l.page:
		call, l.code = l.search(asked)
	case now-l.began > searchTime:
		l.code = ir.FetchUnreachable
	default:
		if l.hops == 0 {
			l.at = webfetch.Page{URL: asked.URL, Own: l.h.hostname, Max: webfetch.TextFor(asked.MaxTokens),
				Domains: search.Domains{Allowed: asked.Allowed, Blocked: asked.Blocked}}
		}
		if l.code = l.at.Wrong(); l.code == "" {
			return webtools.FetchCall(&l.at)
		}
	}
	return call
}

// run makes the call that begin has returned, and takes its whole answer.
func (l *lookup) run(call bridge.Call) {
	if l.code != "" {
		return
	}
	head, failed := l.h.host.Fetch(call)
	l.status, l.lines, l.failed = head.Status, head.Lines, failed
	if failed == nil {
		l.body, l.failed = l.h.host.Read(l.most(), int(max(1, searchTime-(l.h.times.now()-l.began))))
	}
}

// head takes the head of the answer; status 0: lines say why there is none.
func (l *lookup) head(status int, lines string) {
	if l.status, l.lines = status, lines; status == 0 {
		l.failed = errors.New(lines)
	}
}

// push takes a chunk of the answer. over: no more is wanted.
func (l *lookup) push(chunk []byte) (over bool) {
	l.body = append(l.body, chunk...)
	switch {
	case len(l.body) > l.most():
		l.failed = bridge.ErrTooLarge
	case l.h.times.now()-l.began > searchTime:
		l.failed = errors.New("timeout")
	}
	return l.failed != nil
}

// most returns how many bytes the answer may have.
func (l *lookup) most() int {
	if l.page {
		return webfetch.MaxPage
	}
	return search.MaxAnswer
}

// end ends the search or the page, and returns what it has found, or the code with which it has failed. again: it has led to another page,
// which begin goes on with.
func (l *lookup) end() (hits []stages.Hit, code string, again bool) {
	l.runs = false
	hops := l.hops
	l.hops = 0
	switch {
	case l.code != "":
		return nil, l.code, false
	case l.page:
		return l.fetched(hops)
	}
	hits, code = l.found()
	return hits, code, false
}

// search returns the call of a search, or the code with which it fails before that.
func (l *lookup) search(asked *stages.Search) (call bridge.Call, code string) {
	e := l.endpoint
	l.query = search.Query{Text: asked.Query, Allowed: asked.Allowed, Blocked: asked.Blocked}
	place := gjson.Parse(asked.Location)
	l.query.Country, l.query.City = place.Get("country").Str, place.Get("city").Str
	l.query.Region, l.query.Timezone = place.Get("region").Str, place.Get("timezone").Str
	switch asked.ContextSize {
	case "low":
		l.query.Count = fewResults
	case "high":
		l.query.Count = manyResults
	}
	if wrong := l.query.Wrong(); wrong != nil {
		return call, l.logged(wrong)
	}
	if !l.opened {
		l.opened = true
		if err := webtools.Unseal(l.h.host, e); err != nil {
			e.WebSearch.Key = ""
			return call, l.logged(&search.Failure{Code: ir.SearchUnavailable, Reason: err.Error()})
		}
	}
	call, lost := webtools.SearchCall(l.h.host, &e.WebSearch, &l.query)
	for _, name := range lost {
		l.exchange.Lost.Add(asked.At + ".user_location." + name)
	}
	return call, ""
}

// fetched reads the answer with a page, behind so many redirects.
func (l *lookup) fetched(hops int) (hits []stages.Hit, code string, again bool) {
	switch {
	case l.failed == bridge.ErrTooLarge:
		return nil, ir.FetchTooLarge, false
	case l.failed != nil:
		return nil, ir.FetchUnreachable, false
	case l.status >= 300 && l.status < 400:
		to, ok := l.at.Redirected(bridge.HeaderOf(l.lines, "location"))
		if !ok || hops == webfetch.MaxHops {
			return nil, ir.FetchUnreachable, false
		}
		l.at, l.hops = to, hops+1
		return nil, "", true
	}
	title, text, code := l.at.Read(l.status, bridge.HeaderOf(l.lines, "content-type"), l.body)
	return []stages.Hit{{URL: l.at.URL, Title: title, Text: text}}, code, false
}

// found reads the provider's answer.
func (l *lookup) found() (hits []stages.Hit, code string) {
	w := &l.endpoint.WebSearch
	if l.failed != nil {
		return nil, l.logged(&search.Failure{Code: ir.SearchUnavailable, Reason: passing.Redact(w.Name+" can't be asked: "+l.failed.Error()+".", []string{w.Key})})
	}
	results, wrong := w.Read(&l.query, l.status, l.body)
	if wrong != nil {
		return nil, l.logged(wrong)
	}
	for i := range results {
		r := &results[i]
		hits = append(hits, stages.Hit{URL: r.URL, Title: r.Title, Text: r.Text, Age: r.Age})
	}
	return hits, ""
}

// logged logs why a search has failed, for the operator, and returns its code for the client.
func (l *lookup) logged(f *search.Failure) (code string) {
	println("edgelingua: a search of the web has failed: " + f.Reason)
	if f.Code == "invalid_input" {
		return ir.SearchInvalid
	}
	return f.Code
}
