package search

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"edgelingua/translator/jsonw"
)

// The providers.
const (
	Brave   = "brave"
	Tavily  = "tavily"
	Exa     = "exa"
	SearXNG = "searxng"
)

// Names are the names of the providers, separated by |.
const Names = Brave + "|" + Tavily + "|" + Exa + "|" + SearXNG

// NeedsKey reports whether there is a provider and it requires a key.
func (p *Provider) NeedsKey() bool { return p.Name != "" && p.Name != SearXNG }

// Base returns the base URL of the provider.
func (p *Provider) Base() string {
	switch p.Name {
	case Brave:
		return "https://api.search.brave.com"
	case Tavily:
		return "https://api.tavily.com"
	case Exa:
		return "https://api.exa.ai"
	}
	return p.URL
}

// Limits of a query.
const (
	maxText    = 400 // characters; the limit of Brave and Tavily
	maxWords   = 50  // the limit of Brave
	maxDomains = 50  // in a provider's filter; Read applies all of them
	usual      = 10  // results
	most       = 20  // results
)

// count returns the number of results to request.
func (q *Query) count() int {
	if q.Count <= 0 {
		return usual
	}
	return min(q.Count, most)
}

// text returns the search text in one line.
func (q *Query) text() string { return strings.Join(strings.Fields(plain(q.Text, len(q.Text))), " ") }

// Wrong returns the failure of a query that no provider would accept, nil if the query can be sent.
func (q *Query) Wrong() *Failure {
	text := q.text()
	switch {
	case text == "":
		return &Failure{"invalid_input", "The query is empty."}
	case utf8.RuneCountInString(text) > maxText || len(strings.Fields(text)) > maxWords:
		return &Failure{"query_too_long", "The query has more than 400 characters or 50 words."}
	}
	return nil
}

// Request returns the request for a query that passed Wrong. The caller sends it with these headers
// only. lost has the parts of the user's location that the provider does not support, with the
// names of Messages' user_location.
func (p *Provider) Request(q *Query) (method, url string, headers [][2]string, body []byte, lost []string) {
	switch text := q.text(); p.Name {
	case Brave:
		return p.brave(q, text)
	case Tavily:
		return p.tavily(q, text)
	case Exa:
		return p.exa(q, text)
	default:
		return p.searxng(q, text)
	}
}

// brave writes a request of the Brave Search API (api-dashboard.search.brave.com, "Web search",
// GET). Domains become a Goggle, a ranking with one rule per line
// (github.com/brave/goggles-quickstart). A $discard without a site drops all results that match no
// further rule.
func (p *Provider) brave(q *Query, text string) (method, address string, headers [][2]string, body []byte,
	lost []string) {
	address = p.Base() + "/res/v1/web/search?q=" + url.QueryEscape(text) + "&count=" +
		strconv.Itoa(q.count()) +
		"&result_filter=web&text_decorations=false"
	goggle := ""
	for _, name := range hosts(q.Blocked, maxDomains) {
		goggle += "$discard,site=" + name + "\n"
	}
	if names := hosts(q.Allowed, maxDomains); len(names) > 0 {
		goggle += "$discard\n"
		for _, name := range names {
			goggle += "$boost=1,site=" + name + "\n"
		}
	}
	if goggle != "" {
		address += "&goggles=" + url.QueryEscape(goggle)
	}
	country := strings.ToUpper(q.Country)
	if len(country) == 2 && strings.Contains(braveCountries, country) {
		address += "&country=" + country
	}
	headers = [][2]string{{"accept", "application/json"}, {"x-subscription-token", p.Key}}
	for _, place := range [...][3]string{
		{"x-loc-country", "country", country}, {"x-loc-city", "city", q.City},
		{"x-loc-state-name", "region", q.Region}, {"x-loc-timezone", "timezone", q.Timezone},
	} {
		switch value := place[2]; {
		case value == "":
		case isHeaderValue(value):
			headers = append(headers, [2]string{place[0], value})
		default:
			lost = append(lost, place[1])
		}
	}
	return "GET", address, headers, nil, lost
}

// braveCountries lists the values of Brave's parameter country. Brave refuses any other value with
// 422.
const braveCountries = "AR AU AT BE BR CA CL DK FI FR DE GR HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH " +
	"RU SA ZA ES SE CH TW TR GB US"

// isHeaderValue reports whether a text is valid as the value of a header.
func isHeaderValue(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c >= 0x7f {
			return false
		}
	}
	return len(text) <= 256 && strings.TrimSpace(text) == text
}

// tavily writes a request of Tavily (docs.tavily.com, "Tavily Search"). Tavily has its own names of
// countries and refuses others, so the request has no country.
func (p *Provider) tavily(q *Query, text string) (method, url string, headers [][2]string, body []byte,
	lost []string) {
	body = jsonw.AppendString([]byte(`{"query":`), text)
	body = jsonw.AppendIntMember(body, `,"max_results":`, int64(q.count()))
	body = appendNames(body, `,"include_domains":`, hosts(q.Allowed, maxDomains))
	body = appendNames(body, `,"exclude_domains":`, hosts(q.Blocked, maxDomains))
	headers = [][2]string{{"accept", "application/json"}, {"content-type", "application/json"},
		{"authorization", "Bearer " + p.Key}}
	return "POST", p.Base() + "/search", headers, append(body, '}'), q.lose(lost, true)
}

// exa writes a request of Exa (exa.ai/docs/reference/search).
func (p *Provider) exa(q *Query, text string) (method, url string, headers [][2]string, body []byte,
	lost []string) {
	body = jsonw.AppendString([]byte(`{"query":`), text)
	body = jsonw.AppendIntMember(body, `,"numResults":`, int64(q.count()))
	body = append(body, `,"contents":{"highlights":true}`...)
	body = appendNames(body, `,"includeDomains":`, hosts(q.Allowed, maxDomains))
	body = appendNames(body, `,"excludeDomains":`, hosts(q.Blocked, maxDomains))
	switch country := strings.ToUpper(q.Country); {
	case country == "":
	case len(country) == 2 && isName(strings.ToLower(country)):
		body = jsonw.AppendString(append(body, `,"userLocation":`...), country)
	default:
		lost = append(lost, "country")
	}
	headers = [][2]string{{"accept", "application/json"}, {"content-type", "application/json"}, {"x-api-key",
		p.Key}}
	return "POST", p.Base() + "/search", headers, append(body, '}'), q.lose(lost, false)
}

// searxng writes a request of SearXNG (docs.searxng.org, "Search API"). SearXNG passes the query
// unchanged to its engines, which support "site:".
func (p *Provider) searxng(q *Query, text string) (method, address string, headers [][2]string, body []byte,
	lost []string) {
	const few = 8 // engines cut off a longer query
	for i, name := range hosts(q.Allowed, few) {
		if i > 0 {
			text += " OR"
		}
		text += " site:" + name
	}
	for _, name := range hosts(q.Blocked, few) {
		text += " -site:" + name
	}
	headers = [][2]string{{"accept", "application/json"}}
	return "GET", p.Base() + "/search?format=json&q=" + url.QueryEscape(text), headers, nil, q.lose(nil, true)
}

// lose appends the parts of the user's location that only Brave supports. country includes the
// country.
func (q *Query) lose(lost []string, country bool) []string {
	if country && q.Country != "" {
		lost = append(lost, "country")
	}
	for _, place := range [...][2]string{{"city", q.City}, {"region", q.Region}, {"timezone", q.Timezone}} {
		if place[1] != "" {
			lost = append(lost, place[0])
		}
	}
	return lost
}

// appendNames appends a member with a list of names, unless names is empty.
func appendNames(dst []byte, lead string, names []string) []byte {
	if len(names) == 0 {
		return dst
	}
	dst = append(dst, lead...)
	for i, name := range names {
		if i == 0 {
			dst = append(dst, '[')
		} else {
			dst = append(dst, ',')
		}
		dst = jsonw.AppendString(dst, name)
	}
	return append(dst, ']')
}
