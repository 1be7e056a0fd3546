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

// Names are the names of the providers, with | between them.
const Names = Brave + "|" + Tavily + "|" + Exa + "|" + SearXNG

// NeedsKey reports whether there is a provider that takes requests with a key only.
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

// Bounds of a query.
const (
	maxText    = 400 // characters: Brave and Tavily take no more
	maxWords   = 50  // Brave takes no more
	maxDomains = 50  // in a provider's filter; Read goes by all of them
	usual      = 10  // results
	most       = 20  // results
)

// count returns how many results are wanted.
func (q *Query) count() int {
	if q.Count <= 0 {
		return usual
	}
	return min(q.Count, most)
}

// text returns what is searched, in a line.
func (q *Query) text() string { return strings.Join(strings.Fields(plain(q.Text, len(q.Text))), " ") }

// Wrong returns why no provider is asked, nil where the query can be sent.
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

// Request returns the request for a query of which Wrong says nothing. The head is to be sent with these headers alone. lost has what the
// provider can't be told of where the user is, by the names of Messages' user_location.
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

// brave writes a request of the Brave Search API (api-dashboard.search.brave.com, "Web search", GET). Domains go as a Goggle, which is a
// ranking with a rule in each line (github.com/brave/goggles-quickstart): a $discard of its own drops what no other rule names.
func (p *Provider) brave(q *Query, text string) (method, address string, headers [][2]string, body []byte, lost []string) {
	address = p.Base() + "/res/v1/web/search?q=" + url.QueryEscape(text) + "&count=" + strconv.Itoa(q.count()) +
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

// braveCountries are the values of Brave's parameter country. Any other is refused with 422.
const braveCountries = "AR AU AT BE BR CA CL DK FI FR DE GR HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US"

// isHeaderValue reports whether a text can stand in a header as it is.
func isHeaderValue(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c >= 0x7f {
			return false
		}
	}
	return len(text) <= 256 && strings.TrimSpace(text) == text
}

// tavily writes a request of Tavily (docs.tavily.com, "Tavily Search"). It calls countries by names of its own, and refuses others, so that it is told none.
func (p *Provider) tavily(q *Query, text string) (method, url string, headers [][2]string, body []byte, lost []string) {
	body = jsonw.AppendString([]byte(`{"query":`), text)
	body = jsonw.AppendIntMember(body, `,"max_results":`, int64(q.count()))
	body = appendNames(body, `,"include_domains":`, hosts(q.Allowed, maxDomains))
	body = appendNames(body, `,"exclude_domains":`, hosts(q.Blocked, maxDomains))
	headers = [][2]string{{"accept", "application/json"}, {"content-type", "application/json"}, {"authorization", "Bearer " + p.Key}}
	return "POST", p.Base() + "/search", headers, append(body, '}'), q.lose(lost, true)
}

// exa writes a request of Exa (exa.ai/docs/reference/search).
func (p *Provider) exa(q *Query, text string) (method, url string, headers [][2]string, body []byte, lost []string) {
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
	headers = [][2]string{{"accept", "application/json"}, {"content-type", "application/json"}, {"x-api-key", p.Key}}
	return "POST", p.Base() + "/search", headers, append(body, '}'), q.lose(lost, false)
}

// searxng writes a request of SearXNG (docs.searxng.org, "Search API"). Its query goes to engines as it is, and they know "site:".
func (p *Provider) searxng(q *Query, text string) (method, address string, headers [][2]string, body []byte, lost []string) {
	const few = 8 // engines cut a longer query off
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

// lose appends what of the user's place only Brave can be told, and with country that, too.
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

// appendNames appends a member that is a list of names, unless there are none.
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
