package search

import (
	"strconv"
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// MaxAnswer is the limit for a provider's answer in bytes.
const MaxAnswer = 2 << 20

// Limits of a result, in bytes.
const (
	maxURL     = 2048
	maxTitle   = 300
	maxSnippet = 2000
	maxAge     = 64
	maxRead    = 200 // results of an answer that are read
)

// Read returns the results in a provider's answer to a query: http and https URLs at domains that
// the query allows, each URL once, at most as many as the query requests.
func (p *Provider) Read(q *Query, status int, body []byte) ([]Result, *Failure) {
	if status != 200 {
		return nil, p.failure(status, string(body))
	}
	text := string(body)
	if len(body) > MaxAnswer || jsonr.Check(text) != nil {
		return nil, &Failure{"unavailable", p.Name + " answered with what is no JSON."}
	}
	results, found := p.results(q, text)
	if !found && p.Name != Brave { // Brave omits web if nothing was found
		return nil, &Failure{"unavailable", p.Name + " answered without results."}
	}
	return results, nil
}

// results reads an answer. found: the answer has a list of results.
func (p *Provider) results(q *Query, answer string) (results []Result, found bool) {
	r := jsonr.NewReader(answer)
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); {
		case p.Name == Brave && key == "web":
			for r.OpenObject(); r.Member(); {
				if r.Key() == "results" {
					results, found = p.list(q, &r), true
				}
			}
		case p.Name != Brave && key == "results" && r.Kind() == jsonr.Array:
			results, found = p.list(q, &r), true
		}
	}
	return results, found
}

// list reads a list of results.
func (p *Provider) list(q *Query, r *jsonr.Reader) (results []Result) {
	domains, looked := Domains{q.Allowed, q.Blocked}, 0
	for r.OpenArray(); r.Element(); {
		if looked++; looked > maxRead || len(results) == q.count() {
			continue
		}
		if one := p.result(r); one.URL != "" && domains.Allow(one.URL) && !holds(results, one.URL) {
			results = append(results, one)
		}
	}
	return results
}

// holds reports whether results contains this URL.
func holds(results []Result, url string) bool {
	for i := range results {
		if results[i].URL == url {
			return true
		}
	}
	return false
}

// result reads one result. URL is "" if it is not a valid URL of a webpage.
func (p *Provider) result(r *jsonr.Reader) (one Result) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "url":
			if url := textOf(r.Value()); isURL(url) {
				one.URL = url
			}
		case "title":
			one.Title = textOf(r.Value())
		case "description", "content": // Brave; Tavily and SearXNG
			one.Text = textOf(r.Value())
		case "highlights": // Exa
			for r.OpenArray(); r.Element(); {
				if len(one.Text) < maxSnippet {
					one.Text += textOf(r.Value()) + "\n"
				}
			}
		case "age", "published_date", "publishedDate": // Brave; Tavily; Exa and SearXNG
			one.Age = plain(textOf(r.Value()), maxAge)
		}
	}
	if p.Name == Brave {
		one.Title, one.Text = unmarked(cut(one.Title)), unmarked(cut(one.Text))
	}
	one.Title, one.Text = plain(one.Title, maxTitle), plain(one.Text, maxSnippet)
	if one.Title == "" {
		one.Title, _ = split(one.URL)
	}
	return one
}

// textOf returns a string value, "" for any other value.
func textOf(v jsonw.Raw) string {
	e, _ := jsonr.Text(v)
	return jsonw.Unescape(e)
}

// cut limits a text before it is processed.
func cut(text string) string { return text[:min(len(text), 4*maxSnippet)] }

// isURL reports whether a text is an http or https URL in printable ASCII without a user.
func isURL(url string) bool {
	rest, ok := strings.CutPrefix(url, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(url, "http://"); !ok {
			return false
		}
	}
	for i := 0; i < len(url); i++ {
		if c := url[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return false
		}
	}
	host, _, _ := strings.Cut(rest, "/")
	return len(url) <= maxURL && host != "" && host[0] != '?' && host[0] != '#' && !strings.Contains(host,
		"@")
}

// failure returns the failure for a failed answer. It searches the body only for known codes: the
// body may contain the key.
func (p *Provider) failure(status int, body string) *Failure {
	said := func(reason string) string { return p.Name + " answered " + strconv.Itoa(status) + ": " + reason }
	body = body[:min(len(body), 4096)]
	switch {
	// Brave sends 422 for an unknown key and for a missing key (api-dashboard.search.brave.com,
	// "Web search", 422).
	case status == 401, p.Name != SearXNG && status == 403, p.Name == Brave && status == 422 &&
		strings.Contains(body, "SUBSCRIPTION_TOKEN"),
		p.Name == Brave && status == 404:
		return &Failure{"unavailable", said("it does not take the key. Set another one.")}
	case p.Name == SearXNG && status == 403: // docs.searxng.org, "Search API": the format is not enabled
		return &Failure{"unavailable",
			said("it gives no JSON. Add json to search.formats in its settings.yml.")}
	// Exa: 402. Tavily: 432 for the plan's limit, 433 for the limit of pay as you go. Brave: 429
	// with QUOTA_LIMITED.
	case status == 402, status == 432, status == 433, status == 429 && strings.Contains(body,
		"QUOTA_LIMITED"):
		return &Failure{"unavailable", said("the plan's quota is used up.")}
	case status == 429:
		return &Failure{"too_many_requests", said("too many requests at a time.")}
	case status == 414, (status == 400 || status == 422) && strings.Contains(strings.ToLower(body),
		"too long"):
		return &Failure{"query_too_long", said("the query is too long.")}
	case status == 400, status == 422:
		return &Failure{"invalid_input", said("it does not take the request.")}
	case status >= 300 && status < 400:
		return &Failure{"unavailable", said("a redirect, which is not followed.")}
	}
	return &Failure{"unavailable", said("it can't search now.")}
}
