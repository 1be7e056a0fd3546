package stages

import (
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Search is one web search, one fetch of a webpage, or one consultation of the advisor, for the caller
// to run.
type Search struct {
	Query            string
	URL              string   // of the webpage, by fetchURL; the conversation allows the URL; "" for a search
	Advice           bool     // the advisor is to be asked, with the whole conversation
	MaxTokens        int64    // about, of the webpage's text or of the advice; 0: the usual limit
	Allowed, Blocked []string // the only domains for results or webpages, and the excluded ones
	Location         string   // of the user, as in ir.Search
	At               string   // the path of the client's tool
	ContextSize      string   // low, medium, high, or "": how much text the client needs of each result
}

// Hit is a search result, or a webpage. URL is the webpage's final URL, after redirects.
type Hit struct{ URL, Title, Text, Age string }

// Limits of web tools, and the functions that the model gets for them.
const (
	maxArguments = 4 << 10 // bytes of a call's arguments
	extraRounds  = 2       // rounds after the last allowed search, for more calls
	maxCalls     = 256     // calls of the functions in one round
	// searches for tools in one answer. With extraRounds an answer has at most ten rounds, as at
	// Anthropic ("Handling stop reasons", pause_turn)
	maxToolSearches = 8
	// fetches of an answer with a URL that was looked up in the conversation and not found
	maxUnseen    = 16
	searchedWith = `Searches the web, and returns results with their URLs and texts. ` +
		`Use it for what you do not know or what may have changed. ` +
		`Where your answer uses a result, cite it by a Markdown link to its URL: [title](URL).`
	searchSchema = `{"type":"object","properties":{"query":{"type":"string",` +
		`"description":"What to search for."}},"required":["query"]}`
	fetchedWith = `Fetches a page of the web, and returns its text. ` +
		`The URL must stand in a message of the user's, in a result of a search or, for the ` +
		`same site, in a page that was fetched, and be the same to the letter. ` +
		`Where your answer uses the page, cite it by a Markdown link to its URL: [title](URL).`
	fetchSchema = `{"type":"object","properties":{"url":{"type":"string",` +
		`"description":"The page's URL."}},"required":["url"]}`
)

// WebTools lets the caller run the web searches, fetches and consultations of an advisor that the
// client requests and the upstream can't run. The model gets a function for each. An answer then
// takes rounds, one upstream request each. If the answer of a round calls the functions, Next returns
// the searches one by one, Found reads their results, and NextRound returns the next request. WebTools
// itself runs searches for tools in the same rounds: see finder.
//
// WebTools is a sink between the stages of one round and the stages of the whole answer. The latter
// see one answer, with a WebSearchBlock for each search.
type WebTools struct {
	Request     *ir.Request // the client's
	Usage       *ir.Usage   // of the answer; WebTools writes the sum of the rounds so far
	MaxSearches int64       // 0: the caller runs none
	MaxFetches  int64       // 0: the caller runs none
	FindTools   bool        // search deferred tools for an upstream that can't
	MaxAdvice   int64       // 0: the caller asks no advisor
	Advice      Advice      // the advice that Found reads

	sink     ir.Sink
	searches function
	fetches  function
	finder   finder
	advisor  function
	rounds   int64 // including the current one, how many are still allowed
	round    int64 // the number of the current one, from 1

	usage    ir.Usage // of the finished rounds
	longest  int64    // the tokens of the longest prompt of a round
	estimate int64    // the tokens of finished rounds without a count from the upstream
	counted  bool     // the upstream has counted the input of this round
	begun    bool     // the answer has begun
	lost     *ir.Lost
	failed   bool      // the answer has failed
	finished bool      // the answer is complete
	pages    []webpage // all search results and fetched webpages of the answer
	unseen   int       // see maxUnseen
	room     []byte    // see soughtURL.plain

	// Of the current round:
	message     []ir.Content // the model's output, for the next request
	open        *ir.Content  // the open block of message, nil for none
	text        []byte       // the text of open, or the arguments of the last of calls
	inCall      bool         // the open block is a call of a function
	calls       []call       // of the functions
	current     int          // the index of the running call
	shown       bool         // the running call's block has begun
	newMessage  bool         // the next text begins a message: earlier rounds had others
	clientCalls bool         // the model also calls the client's tools
	buffered    []ir.Event   // after the first of calls
	size        int          // bytes in buffered
	end         ir.Event     // the round's Finish
	waits       bool         // the round has ended, and its searches must run
	links       links
	results     []ir.Content
	ev          ir.Event
}

// function is the model's function for a tool that the upstream can't run.
type function struct {
	name ir.Escaped // "": the model has none
	tool ir.Search  // the client's options
	path string     // of the client's tool
	left int64      // calls that the caller may still run
}

// call is a call of a function.
type call struct {
	function *function
	id       ir.Escaped // the upstream's, and from the end of the round on ours: see nameCalls
	argument ir.Escaped // the query or the URL
	code     string     // the reason for not running the call, or ""
	position int        // in WebTools.message
}

// Offer returns r for an upstream with target t: functions replace the tools run by the caller, and
// calls of the functions replace earlier searches and fetches by a caller. Options and tools that
// the functions lack are added to lost. offered means that the model has a function, so the answer
// may take rounds.
func (w *WebTools) Offer(
	r *ir.Request, t *ir.Target, upstream *ir.API, lost *ir.Lost,
) (sent *ir.Request, offered bool) {
	w.usage, w.lost = ir.NoUsage, lost
	tools := -1
	if w.FindTools {
		tools = toolSearch(r, t, upstream)
	}
	if w.MaxSearches+w.MaxFetches+w.MaxAdvice == 0 && tools < 0 {
		return w.unfolded(r, ir.Unfold(r.Messages, w.nameOf, 0)), false
	}
	if tools >= 0 {
		r = w.finder.hide(r, tools, lost)
	}
	return w.offers(r, t, upstream, lost)
}

// unfolded returns r with messages, and r itself if they are its own.
//
//go:noinline
func (w *WebTools) unfolded(r *ir.Request, messages []ir.Message) *ir.Request {
	if len(messages) == 0 || &messages[0] == &r.Messages[0] {
		return r
	}
	unfolded := *r
	unfolded.Messages = messages
	return &unfolded
}

// offers is Offer for a caller that runs tools.
//
//go:noinline
func (w *WebTools) offers(
	r *ir.Request, t *ir.Target, upstream *ir.API, lost *ir.Lost,
) (sent *ir.Request, offered bool) {
	search := offer(&w.searches, r, t, upstream, ir.WebSearchTool, w.MaxSearches)
	fetch := offer(&w.fetches, r, t, upstream, ir.WebFetchTool, w.MaxFetches)
	advisor := offer(&w.advisor, r, t, upstream, ir.AdvisorTool, w.MaxAdvice)
	which := ir.Unfolded(0)
	if search >= 0 {
		which = ir.AllSearches
	}
	if w.finder.name != "" {
		which |= ir.ToolSearches
	}
	if advisor >= 0 {
		which |= ir.Consultations
	}
	messages := ir.Unfold(r.Messages, w.nameOf, which)
	w.rounds = w.searches.left + w.fetches.left + w.finder.left + w.advisor.left + extraRounds
	if search < 0 && fetch < 0 && advisor < 0 {
		return w.unfolded(r, messages), which != 0
	}
	return w.request(r, messages, search, fetch, advisor, lost), true
}

// request returns r with messages, and with functions instead of its tools search, fetch and advisor,
// which are indexes, -1 for none.
//
//go:noinline
func (w *WebTools) request(
	r *ir.Request, messages []ir.Message, search, fetch, advisor int, lost *ir.Lost,
) *ir.Request {
	sent := *r
	sent.Messages = messages
	sent.Tools = make([]ir.Tool, 0, len(r.Tools))
	for i := range r.Tools {
		tool := r.Tools[i]
		switch {
		case i == search:
			(&ir.Writer{Request: r, Lost: lost}).Location(&tool, "")
			tool = ir.Tool{At: tool.At, Name: w.searches.name, Description: searchedWith,
				Schema: searchSchema, Cache: tool.Cache}
		case i == fetch:
			if tool.Search.Cites { // only Anthropic cites from documents
				lost.Add(tool.At.String() + ".citations")
			}
			tool = ir.Tool{At: tool.At, Name: w.fetches.name, Description: fetchedWith,
				Schema: fetchSchema, Cache: tool.Cache}
		case i == advisor:
			tool.LoseOptions(lost, ir.UsesOption|ir.TokensOption)
			tool = ir.Tool{At: tool.At, Name: w.advisor.name, Description: advisedWith,
				Schema: adviceSchema, Cache: tool.Cache}
		case tool.Kind == ir.WebSearchTool && search >= 0, tool.Kind == ir.WebFetchTool && fetch >= 0,
			tool.Kind == ir.AdvisorTool && advisor >= 0:
			lost.Add(tool.At.String())
			continue
		}
		sent.Tools = append(sent.Tools, tool)
	}
	if c := &sent.ToolChoice; c.Mode == ir.ToolsNamed {
		switch {
		case search >= 0 && c.Name == r.Tools[search].Name:
			c.Name = w.searches.name
		case fetch >= 0 && c.Name == r.Tools[fetch].Name:
			c.Name = w.fetches.name
		case advisor >= 0 && c.Name == r.Tools[advisor].Name:
			c.Name = w.advisor.name
		}
	}
	return &sent
}

// offer fills in f if the caller runs the first tool of a kind, up to limit times, and the upstream
// can't. It returns the index of the tool, or -1. The caller does not run a tool with its own
// sources, because the caller has other sources.
func offer(f *function, r *ir.Request, t *ir.Target, upstream *ir.API, kind ir.ToolKind, limit int64) int {
	for i := range r.Tools {
		tool := &r.Tools[i]
		if tool.Kind != kind {
			continue
		}
		if limit == 0 || tool.Search.OwnSources || upstream.Upstream.Runs(kind, t) {
			break
		}
		if tool.Search.MaxUses > 0 {
			limit = min(limit, tool.Search.MaxUses)
		}
		*f = function{unusedName(r, i), tool.Search, tool.At.String(), limit}
		return i
	}
	return -1
}

// nameOf returns the name of the function for a tool, even if only the history calls the function.
func (w *WebTools) nameOf(kind ir.ToolKind) ir.Escaped {
	switch {
	case kind == ir.ToolSearchTool:
		return w.finder.name
	case kind == ir.AdvisorTool && w.advisor.name != "":
		return w.advisor.name
	case kind == ir.AdvisorTool:
		return "advisor"
	case kind == ir.WebFetchTool && w.fetches.name != "":
		return w.fetches.name
	case kind == ir.WebFetchTool:
		return "web_fetch"
	case w.searches.name != "":
		return w.searches.name
	}
	return "web_search"
}

// unusedName returns the name of tool i. If other tools have the same name, it appends "_".
func unusedName(r *ir.Request, i int) ir.Escaped {
	name := r.Tools[i].Name
	for k := 0; k < len(r.Tools); k++ {
		if k != i && r.Tools[k].Name == name {
			name, k = name+"_", -1
		}
	}
	return name
}

// Waits reports whether a round has ended and the answer continues: first with the searches from
// Next, then with NextRound.
func (w *WebTools) Waits() bool { return w.waits }

// Next returns the next search or fetch to run. ok is false if the caller must call NextRound
// instead.
func (w *WebTools) Next() (s Search, ok bool) {
	if w.current == len(w.calls) {
		return s, false
	}
	c := &w.calls[w.current]
	tool := &c.function.tool
	s.Allowed, s.Blocked = unescaped(tool.Allowed), unescaped(tool.Blocked)
	s.At, s.MaxTokens = c.function.path, tool.MaxTokens
	s.Location, s.ContextSize = string(tool.Location), jsonw.Unescape(tool.ContextSize)
	switch c.function {
	case &w.advisor:
		s.Advice = true
	case &w.fetches:
		s.URL = fetchURL(jsonw.Unescape(c.argument))
	default:
		s.Query = jsonw.Unescape(c.argument)
	}
	return s, true
}

func unescaped(list []ir.Escaped) (texts []string) {
	for _, e := range list {
		texts = append(texts, jsonw.Unescape(e))
	}
	return texts
}

// Found reads the results of the search returned by Next, or the webpage, or the code of the
// failure (ir.SearchUnavailable, ...). An advice is in Advice. Found returns how many searches and
// fetches have succeeded: one or none.
func (w *WebTools) Found(hits []Hit, code string) (searches, fetches int64) {
	if !w.waits || w.current >= len(w.calls) {
		return 0, 0
	}
	c := &w.calls[w.current]
	c.code = code
	switch {
	case c.function == &w.advisor:
		c.function.left-- // even after a failure: the advisor may cost
	case c.function == &w.fetches:
		c.function.left-- // even after a failure: the webpage's server got a request
		if code == "" && len(hits) == 0 {
			c.code = ir.SearchUnavailable
		}
		if c.code == "" {
			fetches++
		}
	case code == "":
		c.function.left--
		searches++
	}
	w.result(hits)
	w.proceed()
	return searches, fetches
}

// NextRound returns the next round's request after the request r, which shares its parts. The next
// round's events must be passed to WebTools.
func (w *WebTools) NextRound(r *ir.Request) *ir.Request {
	next := *r
	next.Tools = append(next.Tools[:len(next.Tools):len(next.Tools)], w.finder.loaded...)
	w.finder.loaded = nil
	next.Messages = append(next.Messages[:len(next.Messages):len(next.Messages)],
		ir.Message{Role: ir.Assistant, Content: w.message}, ir.Message{Role: ir.User, Content: w.results})
	// A tool_choice that requires a call is satisfied. It would require another call in each round.
	if choice := &next.ToolChoice; choice.Mode == ir.ToolsRequired || choice.Mode == ir.ToolsNamed {
		choice.Mode, choice.Name = ir.ToolsAuto, ""
	}
	if !w.counted {
		w.estimate += count.Tokens(r)
	}
	w.rounds--
	w.round++
	if w.rounds == 1 {
		next.ToolChoice = ir.ToolChoice{Mode: ir.ToolsNone}
	}
	w.message, w.results, w.calls, w.buffered, w.size = nil, nil, nil, nil, 0
	w.current, w.newMessage, w.clientCalls, w.waits, w.counted = 0, true, false, false, false
	return &next
}

// Uncounted estimates the input tokens of all rounds without a count from the upstream. r is the
// request of the current round, and tokens its estimate.
func (w *WebTools) Uncounted(r *ir.Request, tokens func(*ir.Request) int64) int64 {
	if w.counted {
		return w.estimate
	}
	return w.estimate + tokens(r)
}

// LongestPrompt returns the tokens of the longest prompt of a round, as the upstream counted them.
func (w *WebTools) LongestPrompt() int64 { return w.longest }
