// Package search writes requests to a provider of web searches, and reads the answers, for a client
// whose upstream can't search itself. It makes no calls: worker/web does.
package search

// Provider is a provider of web searches.
type Provider struct {
	Name string // brave, tavily, exa or searxng
	// base URL of a SearXNG, without a slash at the end; "" for providers with a known address
	URL string
	Key string // "" if no key is needed
}

// Query is a model's search.
type Query struct {
	Text string
	// Domains as in tools of Messages and Responses: see Domains. A result must be at a domain in
	// Allowed, unless Allowed is empty, and at no domain in Blocked.
	Allowed, Blocked []string
	// The user's location, as far as the client sends it: the country in two letters, the time zone
	// with its IANA name.
	Country, City, Region, Timezone string
	Count                           int // results to request; 0: the usual number
}

// Result is a search result. All texts are valid UTF-8 without control characters, and limited in
// size.
type Result struct {
	URL   string // http or https
	Title string
	Text  string // an excerpt in plain text, maybe with line breaks
	Age   string // the age of the page in the provider's words; "" if unknown
}

// Failure is the reason why there are no results.
type Failure struct {
	// unavailable, too_many_requests, query_too_long or invalid_input, as in
	// web_search_tool_result_error of Messages
	Code   string
	Reason string // a sentence for the operator's log, without the key and without text from the provider
}
