// Package search asks a provider of web searches, for a client whose upstream can't search itself: it writes the provider's request, and
// reads its answer. It makes no calls: worker/web does.
package search

// Provider is where searches go.
type Provider struct {
	Name string // brave, tavily, exa or searxng
	URL  string // base URL of a SearXNG, without a slash at the end; "" for any other, whose address is known
	Key  string // "" where none is needed
}

// Query is what a model searches.
type Query struct {
	Text string
	// Domains as tools of Messages and Responses list them: without a scheme, with all their subdomains, with a path where only what is
	// below it counts. A result has to be at one of Allowed, where that lists any, and at none of Blocked.
	Allowed, Blocked []string
	// Where the user is, as far as the client says: the country as two letters, the time zone as IANA names it.
	Country, City, Region, Timezone string
	Count                           int // how many results are wanted; 0: as many as usual
}

// Result is one result. All texts are valid UTF-8 without control characters, and bounded.
type Result struct {
	URL   string // http or https
	Title string
	Text  string // what stands there, as plain text; it may have line breaks
	Age   string // how old the page is, in the provider's words; "" where it does not say
}

// Failure is why there are no results.
type Failure struct {
	Code   string // unavailable, too_many_requests, query_too_long or invalid_input, as web_search_tool_result_error of Messages calls them
	Reason string // a sentence for the log of the operator, without the key, and without what the provider wrote
}
