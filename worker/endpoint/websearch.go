package endpoint

import (
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/worker/web/search"
)

// WebSearch is the option web_search: the provider of searches for clients whose upstream can't
// search.
type WebSearch struct {
	search.Provider     // Name is "" if the option is not set. Key is sealed in a record
	MaxUses         int // most searches for an answer, whatever the client allows
	// US dollars for a thousand searches; by default the provider's list price
	Price float64
}

// Limits on searches and fetches for an answer.
const (
	usualUses = 5
	mostUses  = 20
)

// listPrice returns a provider's list price in US dollars for a thousand searches, as of November
// 2026: brave.com/search/api, docs.tavily.com/documentation/api-credits (a credit of a plan without
// a monthly fee), exa.ai/docs/reference/pricing (ten results). A SearXNG is the operator's own.
func listPrice(provider string) float64 {
	switch provider {
	case "brave":
		return 5
	case "tavily":
		return 8
	case "exa":
		return 7
	}
	return 0
}

// WebSearchKey is the name of the option in a record. In the list of sealed keys it means the
// provider's key: no upstream has the same name.
const WebSearchKey = "web_search"

// SealContext returns the context to which the provider's sealed key in a record is bound, like
// Upstream.SealContext.
func (w *WebSearch) SealContext(name string) string {
	return "endpoint/" + name + "/" + WebSearchKey + "/" + hostOf(w.Base())
}

func readWebSearch(e *Endpoint, v gjson.Result) (at, must string) {
	const whole = `an object as {"provider":"brave"}; the providers are brave, tavily, exa and searxng`
	w := &e.WebSearch
	w.MaxUses, w.Price = usualUses, -1
	if !v.IsObject() {
		return "", whole
	}
	v.ForEach(func(key, v gjson.Result) bool {
		at = "." + key.Str
		switch key.Str {
		case "provider":
			if w.Name = v.Str; v.Type != gjson.String || !oneOf(search.Names, v.Str) {
				must = "one of " + quotedList(search.Names)
			}
		case "key":
			if w.Key = v.Str; v.Type != gjson.String || v.Str == "" || len(v.Str) > maxText {
				must = "the provider's key"
			}
		case "url":
			var u Upstream
			if v.Type != gjson.String || u.readURL("", v.Str) != nil {
				must = "an http or https URL without user and query, as https://searx.example.com"
			}
			w.URL = u.URL
		case "max_uses":
			w.MaxUses, must = readUses(v)
		case "price":
			if readDollars(&w.Price, "", v) != nil {
				must = "an amount of US dollars, for a thousand searches"
			}
		default:
			must = "left out: there are provider, key, url, max_uses and price"
		}
		return must == ""
	})
	switch {
	case must != "":
		return at, must
	case w.Name == "":
		return "", whole
	case w.Name == search.SearXNG && w.URL == "":
		return ".url", "the base URL of your SearXNG, as https://searx.example.com"
	case w.Name != search.SearXNG && w.URL != "":
		return ".url", "left out: only searxng has one"
	case w.Name == search.SearXNG && w.Key != "":
		return ".key", "left out: a SearXNG takes none"
	}
	if w.Price < 0 {
		w.Price = listPrice(w.Name)
	}
	return "", ""
}

func readUses(v gjson.Result) (n int, must string) {
	if !within(v, 1, mostUses) {
		return 0, "a whole number from 1 to 20"
	}
	return int(v.Num), ""
}

// publicSearch returns an error unless the SearXNG of the option at path is on the public internet.
func (e *Endpoint) publicSearch(path string) *Error {
	if e.WebSearch.URL == "" {
		return nil
	}
	return public(path+".web_search.url", e.WebSearch.URL)
}

// searchKey sets the key of the provider in OPTIONS from SEARCH_KEY, or returns an error if key and
// provider do not fit.
func (e *Endpoint) searchKey(get Getter) *Error {
	w := &e.WebSearch
	if w.Key != "" {
		return &Error{varOptions + ".web_search.key",
			"must be left out: the key is the secret " + secretSearchKey + "."}
	}
	key, _ := get(secretSearchKey)
	switch {
	case key != "" && w.NeedsKey() && Example(key):
		return checkKey(secretSearchKey, key)
	case !isHeaderValue(key) || strings.TrimSpace(key) != key:
		return &Error{secretSearchKey,
			"holds what no header can carry: white space at an end, a line break, or what is not ASCII. " +
				"Set it as the provider shows it."}
	case key != "" && w.Name == "":
		return &Error{secretSearchKey,
			`is set, but OPTIONS has no web_search. Add that, as {"web_search":{"provider":"brave"}}` +
				`, or leave both out.`}
	case key != "" && !w.NeedsKey():
		return &Error{secretSearchKey, "is set, but a SearXNG takes no key. Leave it out."}
	case key == "" && w.NeedsKey():
		return &Error{secretSearchKey,
			"is not set, and the provider of OPTIONS.web_search, " + w.Name + ", needs one. " +
				"Set it: " + setSecret(secretSearchKey) + "; or leave web_search out."}
	}
	w.Key = key
	return nil
}

// OwnSearches returns an error if clients with their own upstream keys could search with the
// operator's key, or fetch webpages from the operator's address.
func (e *Endpoint) OwnSearches(path string) *Error {
	if e.Forward && e.MaxFetches > 0 {
		return &Error{path + ".web_fetch",
			"must be left out where clients bring the upstream's key: strangers would fetch pages by way " +
				"of this deployment."}
	}
	if e.Forward && e.WebSearch.NeedsKey() {
		return &Error{path + ".web_search",
			"must be left out where clients bring the upstream's key: whoever has one would search " +
				"at your cost. A provider without a key, searxng, can be used."}
	}
	return nil
}
