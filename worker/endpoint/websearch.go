package endpoint

import (
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/worker/web/search"
)

// WebSearch is the option web_search: where searches go that a client's upstream can't run.
type WebSearch struct {
	search.Provider     // Name is "" where the option is not set. In a record Key is sealed
	MaxUses         int // how many searches one answer may take, whatever the client says
}

// Bounds of uses in one answer.
const (
	usualUses = 5
	mostUses  = 20
)

// WebSearchKey is the path in a record of the provider's key, and stands for it in the list of
// sealed keys: no upstream has that name.
const WebSearchKey = "web_search"

// SealContext returns what the provider's sealed key of a record is bound to, as
// Upstream.SealContext does.
func (w *WebSearch) SealContext(name string) string {
	return "endpoint/" + name + "/" + WebSearchKey + "/" + hostOf(w.Base())
}

func readWebSearch(e *Endpoint, v gjson.Result) (at, must string) {
	const whole = `an object as {"provider":"brave"}; the providers are brave, tavily, exa and searxng`
	w := &e.WebSearch
	w.MaxUses = usualUses
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
		default:
			must = "left out: there are provider, key, url and max_uses"
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

// searchKey takes over SEARCH_KEY for the provider that OPTIONS names, or says what is wrong with
// the two.
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
				"Set it with `./build.sh secret put " + secretSearchKey +
				"` (locally: in .dev.vars), or leave web_search out."}
	}
	w.Key = key
	return nil
}

// OwnSearches returns an error where clients who bring an upstream's key of their own would search
// with the operator's, or fetch pages from the operator's address.
func (e *Endpoint) OwnSearches(path string) *Error {
	if e.Forward && e.MaxFetches > 0 {
		return &Error{path + ".web_fetch",
			"must be left out where clients bring the upstream's key: strangers would fetch pages by way " +
				"of this deployment."}
	}
	if e.Forward && e.WebSearch.NeedsKey() {
		return &Error{path + ".web_search",
			"must be left out where clients bring the upstream's key: whoever has one would search " +
				"at your cost. " +
				"A provider without a key, searxng, can be used."}
	}
	return nil
}
