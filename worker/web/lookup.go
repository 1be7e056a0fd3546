package web

import (
	"errors"

	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/stages"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/web/page"
	"edgelingua/worker/web/search"
)

// Limits of the searches and webpages of one answer. Times are in milliseconds.
const (
	searchTime  = 30_000  // for a search or a webpage, including redirects
	answerTime  = 300_000 // after the request; later no search or fetch starts
	fewResults  = 5       // results for search_context_size low
	manyResults = 20      // results for search_context_size high
)

// Lookup is a web search, or the fetch of a webpage, for which an answer waits. Begin returns its
// Call. Run, or Head and Push, read the answer. End returns the result. One Lookup serves all
// searches and webpages of an answer, one at a time.
type Lookup struct {
	Host     bridge.Host
	Own      string // the host name of the client's request, which is never fetched
	Endpoint *endpoint.Endpoint
	Lost     *ir.Lost // gets the parts of the query that the provider does not support
	Since    int64    // when the request arrived, in milliseconds since the Unix epoch

	query  search.Query
	opened bool      // the provider's key is unsealed
	at     page.Page // the webpage that is fetched
	hops   int       // redirects so far on the way to the webpage
	// the start of the search, or of the webpage with its redirects, in milliseconds since the Unix
	// epoch
	began int64

	Runs   bool   // the lookup has begun and not ended
	Failed error  // the reason why there is no answer
	page   bool   // the lookup is a webpage
	code   string // the code of a failure before the call; "": none
	status int    // of the answer
	lines  string // of the answer's head
	body   []byte
}

// Begin starts a search or a webpage, or follows a webpage's redirect, and returns the Call. A Call
// without a URL is not made: the lookup has failed already.
func (l *Lookup) Begin(asked *stages.Search) (call bridge.Call) {
	l.Runs, l.page, l.code, l.status, l.lines, l.Failed, l.body = true, asked.URL != "", "", 0, "", nil, nil
	now := l.now()
	if l.hops == 0 {
		l.began = now
	}
	switch {
	case now-l.Since > answerTime:
		l.code = l.logged(&search.Failure{Code: ir.SearchUnavailable,
			Reason: "The answer has taken five minutes."})
	case !l.page:
		call, l.code = l.search(asked)
	case now-l.began > searchTime:
		l.code = ir.FetchUnreachable
	default:
		if l.hops == 0 {
			l.at = page.Page{URL: asked.URL, Own: l.Own, Max: page.TextFor(asked.MaxTokens),
				Domains: search.Domains{Allowed: asked.Allowed, Blocked: asked.Blocked}}
		}
		if l.code = l.at.Wrong(); l.code == "" {
			return fetchCall(&l.at)
		}
	}
	return call
}

// Run makes Begin's Call and reads the whole answer.
func (l *Lookup) Run(call bridge.Call) {
	if l.code != "" {
		return
	}
	head, failed := l.Host.Fetch(call)
	l.status, l.lines, l.Failed = head.Status, head.Lines, failed
	if failed == nil {
		l.body, l.Failed = l.Host.Read(l.most(), int(max(1, searchTime-(l.now()-l.began))))
	}
}

// Head receives the head of the answer. status 0: there is no answer, and lines is the reason.
func (l *Lookup) Head(status int, lines string) {
	if l.status, l.lines = status, lines; status == 0 {
		l.Failed = errors.New(lines)
	}
}

// Push receives a chunk of the answer. over: the rest is not needed.
func (l *Lookup) Push(chunk []byte) (over bool) {
	l.body = append(l.body, chunk...)
	switch {
	case len(l.body) > l.most():
		l.Failed = bridge.ErrTooLarge
	case l.now()-l.began > searchTime:
		l.Failed = errors.New("timeout")
	}
	return l.Failed != nil
}

// most returns the limit for the answer in bytes.
func (l *Lookup) most() int {
	if l.page {
		return page.MaxPage
	}
	return search.MaxAnswer
}

// End ends the search or the webpage, and returns the results or the code of the failure. again:
// the webpage redirects, and the next Begin fetches the target.
func (l *Lookup) End() (hits []stages.Hit, code string, again bool) {
	l.Runs = false
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

// search returns the Call of a search, or the code of a failure before the call.
func (l *Lookup) search(asked *stages.Search) (call bridge.Call, code string) {
	e := l.Endpoint
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
		if err := Unseal(l.Host, e); err != nil {
			e.WebSearch.Key = ""
			return call, l.logged(&search.Failure{Code: ir.SearchUnavailable, Reason: err.Error()})
		}
	}
	call, lost := searchCall(l.Host, &e.WebSearch, &l.query)
	for _, name := range lost {
		l.Lost.Add(asked.At + ".user_location." + name)
	}
	return call, ""
}

// fetched reads the answer with a webpage after this number of redirects.
func (l *Lookup) fetched(hops int) (hits []stages.Hit, code string, again bool) {
	switch {
	case l.Failed == bridge.ErrTooLarge:
		return nil, ir.FetchTooLarge, false
	case l.Failed != nil:
		return nil, ir.FetchUnreachable, false
	case l.status >= 300 && l.status < 400:
		to, ok := l.at.Redirected(bridge.HeaderOf(l.lines, "location"))
		if !ok || hops == page.MaxHops {
			return nil, ir.FetchUnreachable, false
		}
		l.at, l.hops = to, hops+1
		return nil, "", true
	}
	title, text, code := l.at.Read(l.status, bridge.HeaderOf(l.lines, "content-type"), l.body)
	return []stages.Hit{{URL: l.at.URL, Title: title, Text: text}}, code, false
}

// found reads the provider's answer.
func (l *Lookup) found() (hits []stages.Hit, code string) {
	w := &l.Endpoint.WebSearch
	if l.Failed != nil {
		return nil, l.logged(&search.Failure{Code: ir.SearchUnavailable,
			Reason: passing.Redact(w.Name+" can't be asked: "+l.Failed.Error()+".", []string{w.Key})})
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

// logged logs the reason of a failed search for the operator, and returns the code for the client.
func (l *Lookup) logged(f *search.Failure) (code string) {
	println("edgelingua: a search of the web has failed: " + f.Reason)
	if f.Code == "invalid_input" {
		return ir.SearchInvalid
	}
	return f.Code
}

// now returns the host's time in milliseconds since the Unix epoch.
func (l *Lookup) now() int64 { return l.Host.Now().UnixMilli() }
