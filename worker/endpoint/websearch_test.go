package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/worker/web/search"
)

const searchKeyOfTests = "BSA-0123456789"

func TestWebSearch(t *testing.T) {
	e, err := Load(settings("OPTIONS", `{"web_search":{"provider":"brave"}}`, "SEARCH_KEY", searchKeyOfTests))
	require.Nil(t, err)
	require.Equal(t, WebSearch{search.Provider{Name: "brave", Key: searchKeyOfTests}, 5, 5}, e.WebSearch)

	e, err = Load(settings("OPTIONS",
		`{"web_search":{"provider":"searxng","url":"http://127.0.0.1:8080/","max_uses":20}}`,
		"ALLOW_HTTP_UPSTREAM", "true"))
	require.Nil(t, err)
	require.Equal(t, WebSearch{search.Provider{Name: "searxng", URL: "http://127.0.0.1:8080"}, 20, 0},
		e.WebSearch)

	for _, row := range []struct{ options, key, want string }{
		{`{"web_search":true}`, "",
			`OPTIONS.web_search must be an object as {"provider":"brave"}; the providers are brave, ` +
				`tavily, exa and searxng.`},
		{`{"web_search":{}}`, "",
			`OPTIONS.web_search must be an object as {"provider":"brave"}; the providers are brave, ` +
				`tavily, exa and searxng.`},
		{`{"web_search":{"provider":"google"}}`, "",
			`OPTIONS.web_search.provider must be one of "brave", "tavily", "exa", "searxng".`},
		{`{"web_search":{"provider":"brave|exa"}}`, "",
			`OPTIONS.web_search.provider must be one of "brave", "tavily", "exa", "searxng".`},
		{`{"web_search":{"provider":"brave","count":3}}`, "",
			"OPTIONS.web_search.count must be left out: there are provider, key, url, max_uses and price."},
		{`{"web_search":{"provider":"brave","price":-1}}`, "",
			"OPTIONS.web_search.price must be an amount of US dollars, for a thousand searches."},
		{`{"web_search":{"provider":"brave","price":"5"}}`, "",
			"OPTIONS.web_search.price must be an amount of US dollars, for a thousand searches."},
		{`{"web_search":{"provider":"brave","max_uses":21}}`, "",
			"OPTIONS.web_search.max_uses must be a whole number from 1 to 20."},
		{`{"web_search":{"provider":"brave","max_uses":0}}`, "",
			"OPTIONS.web_search.max_uses must be a whole number from 1 to 20."},
		{`{"web_search":{"provider":"brave","url":"https://a.example"}}`, "",
			"OPTIONS.web_search.url must be left out: only searxng has one."},
		{`{"web_search":{"provider":"searxng"}}`, "",
			"OPTIONS.web_search.url must be the base URL of your SearXNG, as https://searx.example.com."},
		{`{"web_search":{"provider":"searxng","url":"https://u:p@a.example"}}`, "",
			"OPTIONS.web_search.url must be an http or https URL without user and query, as " +
				"https://searx.example.com."},
		{`{"web_search":{"provider":"searxng","url":"http://searx.example"}}`, "",
			"OPTIONS.web_search.url must begin with https://, unless the variable " +
				"ALLOW_HTTP_UPSTREAM is true."},
		{`{"web_search":{"provider":"searxng","url":"https://10.0.0.1"}}`, "",
			"OPTIONS.web_search.url must have a public host name, as api.openai.com: no address, no name " +
				"of a local network, unless the variable ALLOW_HTTP_UPSTREAM is true."},
		{`{"web_search":{"provider":"searxng","url":"https://a.example"}}`, "k",
			"SEARCH_KEY is set, but a SearXNG takes no key. Leave it out."},
		{`{"web_search":{"provider":"brave","key":"k"}}`, "",
			"OPTIONS.web_search.key must be left out: the key is the secret SEARCH_KEY."},
		{`{"web_search":{"provider":"brave"}}`, "",
			"SEARCH_KEY is not set, and the provider of OPTIONS.web_search, brave, needs one. Set it: " +
				"on Cloudflare with `wrangler secret put SEARCH_KEY`, on a local host with `serve --secret " +
				"SEARCH_KEY` or in .dev.vars; or leave web_search out."},
		{`{"web_search":{"provider":"brave"}}`, "k\n",
			"SEARCH_KEY holds what no header can carry: white space at an end, a line break, or what is " +
				"not ASCII. Set it as the provider shows it."},
		{`{"web_search":{"provider":"exa"}}`, "your-key",
			"SEARCH_KEY is an example of the documents, which everybody knows. Set another one: `openssl " +
				"rand -hex 24` makes one."},
		{`{}`, "k", `SEARCH_KEY is set, but OPTIONS has no web_search. Add that, as ` +
			`{"web_search":{"provider":"brave"}}, or leave both out.`},
	} {
		_, err := Load(settings("OPTIONS", row.options, "SEARCH_KEY", row.key))
		require.NotNil(t, err, row.options)
		require.Equal(t, "This deployment is not set up: "+row.want, ir.AsError(err).Message)
		require.NotContains(t, ir.AsError(err).Message, searchKeyOfTests)
	}
}

// TestSearchesOfStrangers: a client with its own upstream key can't search with the operator's key.
func TestSearchesOfStrangers(t *testing.T) {
	_, err := Load(settings("AUTH", "forward", "OPTIONS", `{"web_search":{"provider":"brave"}}`,
		"SEARCH_KEY", searchKeyOfTests))
	require.NotNil(t, err)
	require.Contains(t, ir.AsError(err).Message,
		"OPTIONS.web_search must be left out where clients bring the upstream's key")
	_, err = Load(settings("AUTH", "forward", "OPTIONS",
		`{"web_search":{"provider":"searxng","url":"https://searx.example"}}`))
	require.Nil(t, err)
}

func TestWebFetch(t *testing.T) {
	for options, want := range map[string]int{`{"web_fetch":{}}`: 5, `{"web_fetch":{"max_uses":20}}`: 20,
		`{}`: 0} {
		e, err := Load(settings("OPTIONS", options))
		require.Nil(t, err)
		require.Equal(t, want, e.MaxFetches)
	}
	for options, want := range map[string]string{
		`{"web_fetch":true}`: `OPTIONS.web_fetch must be an object as {"max_uses":5}.`,
		`{"web_fetch":{"max_uses":0}}`: "OPTIONS.web_fetch.max_uses must be a whole number " +
			"from 1 to 20.",
		`{"web_fetch":{"max_uses":"5"}}`: "OPTIONS.web_fetch.max_uses must be a whole number " +
			"from 1 to 20.",
		`{"web_fetch":{"max_content_tokens":9}}`: "OPTIONS.web_fetch.max_content_tokens must be left out: " +
			"there is max_uses.",
	} {
		_, err := Load(settings("OPTIONS", options))
		require.NotNil(t, err, options)
		require.Equal(t, "This deployment is not set up: "+want, ir.AsError(err).Message)
	}
	_, err := Load(settings("AUTH", "forward", "OPTIONS", `{"web_fetch":{}}`))
	require.NotNil(t, err)
	require.Contains(t, ir.AsError(err).Message,
		"OPTIONS.web_fetch must be left out where clients bring the upstream's key")
}

func TestSearchSealContext(t *testing.T) {
	for name, want := range map[string]string{
		"brave":  "endpoint/anna/web_search/api.search.brave.com",
		"tavily": "endpoint/anna/web_search/api.tavily.com", "exa": "endpoint/anna/web_search/api.exa.ai",
	} {
		w := WebSearch{Provider: search.Provider{Name: name}}
		require.Equal(t, want, w.SealContext("anna"))
	}
	require.False(t, IsName(WebSearchKey), "no upstream has the name that stands for the provider")
}
