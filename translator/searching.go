package translator

import (
	"strconv"
	"strings"

	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// The functions of this file let a caller run the searches of the web, and fetch the pages, that a client asks its upstream for and that the
// upstream can't. The model gets a function for each. An answer then takes several rounds, each a request to the upstream: at the end of a round
// whose answer calls the functions, Exchange.Search says what to search or to fetch, Found of Stream or Plain takes the results, and their
// AppendNext makes the next request.

// Search is one search of the web that a caller is to run, or a page that it is to fetch.
type Search struct {
	Query            string
	URL              string   // of the page, of https and without a fragment, which the conversation allows (stands); "" for a search
	MaxTokens        int64    // of the page's text, about; 0: as many as usual
	Allowed, Blocked []string // the only domains to search or fetch from, and domains to leave out
	Location         string   // where the user is, a JSON object {"type":"approximate","city":...}; "" where the client does not say
	At               string   // the path of the client's tool
	ContextSize      string   // low, medium, high, or "": how much the client wants to know of each result
}

// Hit is one result of a search, or a page, at the URL where it was at last.
type Hit struct{ URL, Title, Text, Age string }

// Bounds of searches.
const (
	maxQuery     = 4 << 10 // bytes of a call's arguments
	extraRounds  = 2       // rounds in which a model may ask for more searches than it has
	maxCalls     = 256     // calls of the functions in one round
	maxRefused   = 16      // pages of an answer that are looked for in the conversation and do not stand there
	searchedWith = `Searches the web, and returns results with their URLs and texts. Use it for what you do not know or what may have changed. ` +
		`Where your answer uses a result, cite it by a Markdown link to its URL: [title](URL).`
	searchSchema = `{"type":"object","properties":{"query":{"type":"string","description":"What to search for."}},"required":["query"]}`
	fetchedWith  = `Fetches a page of the web, and returns its text. The URL must stand in a message of the user's, in a result of a search or, for the ` +
		`same site, in a page that was fetched, and be the same to the letter. Where your answer uses the page, cite it by a Markdown link to its URL: [title](URL).`
	fetchSchema = `{"type":"object","properties":{"url":{"type":"string","description":"The page's URL."}},"required":["url"]}`
)

// searching is a sink between the stages that belong to one round and those that belong to the whole answer: these see one answer, in
// which each search is a WebSearchBlock.
type searching struct {
	exchange *Exchange
	sink     ir.Sink
	searches function
	fetches  function
	rounds   int64 // that may still begin, with the one that runs
	round    int64 // counted from 1

	usage    ir.Usage // of the rounds that are over
	longest  int64    // the tokens of the longest prompt of a round
	estimate int64    // tokens of the requests of these rounds that their upstream has not counted
	counted  bool     // the upstream has counted the input of this round
	begun    bool     // the answer has begun
	pages    []page   // what the answer's searches have found
	refused  int      // pages that stood nowhere

	// Of the round.
	said    []ir.Content // what the model has said so far, to give back
	open    *ir.Content  // the open block of these, nil for none
	text    []byte       // its text or arguments
	inside  bool         // the open block is a call of one of the functions
	calls   []call       // those of the functions
	at      int          // of these, the one that is run now
	shown   bool         // its block has begun
	apart   bool         // what is said next stands apart from what an earlier round has said
	theirs  bool         // the client's tools are called, too
	held    []ir.Event   // what has come behind the first of calls
	size    int          // bytes in held
	end     ir.Event     // the round's Finish
	waits   bool         // the round is over, and its searches are to be run
	cites   linked
	results []ir.Content
	ev      ir.Event
}

// function is what the model gets in place of a tool that the upstream can't run.
type function struct {
	name ir.Escaped // "": it gets none
	tool ir.Search  // what the client says of it
	path string     // of the client's tool
	left int64      // calls that may still be run
}

// call is a call of a function.
type call struct {
	of    *function
	id    ir.Escaped // the upstream's
	query ir.Escaped // or the URL
	code  string     // why it is not run, "" where it is
}

// functions returns r for an upstream that accepts what t says: with functions in place of the tools that it can't run, where the caller runs
// these, and with what was run here in the history as calls of those functions.
func (x *Exchange) functions(r *ir.Request, t *ir.Target) *ir.Request {
	s := &searching{exchange: x, usage: ir.NoUsage}
	search, fetch := x.offered(&s.searches, r, t, ir.WebSearchTool, x.MaxSearches), x.offered(&s.fetches, r, t, ir.WebFetchTool, x.MaxFetches)
	messages := ir.Unfold(r.Messages, s.called, search >= 0)
	x.searching = nil
	if search < 0 && fetch < 0 {
		if len(messages) == len(r.Messages) {
			return r
		}
		sent := *r
		sent.Messages = messages
		return &sent
	}
	return x.offer(s, r, messages, search, fetch)
}

// offer returns r with messages, and with functions in place of its tools search and fetch, where these are not -1.
//
//go:noinline
func (x *Exchange) offer(s *searching, r *ir.Request, messages []ir.Message, search, fetch int) *ir.Request {
	sent := *r
	sent.Messages = messages
	sent.Tools = make([]ir.Tool, 0, len(r.Tools))
	for i := range r.Tools {
		tool := r.Tools[i]
		switch {
		case i == search:
			tool = ir.Tool{At: tool.At, Name: s.searches.name, Description: searchedWith, Schema: searchSchema, Cache: tool.Cache}
		case i == fetch:
			if tool.Search.Cites { // only Anthropic cites from documents
				x.Lost.Add(tool.At.String() + ".citations")
			}
			tool = ir.Tool{At: tool.At, Name: s.fetches.name, Description: fetchedWith, Schema: fetchSchema, Cache: tool.Cache}
		case tool.Kind == ir.WebSearchTool && search >= 0, tool.Kind == ir.WebFetchTool && fetch >= 0:
			x.Lost.Add(tool.At.String())
			continue
		}
		sent.Tools = append(sent.Tools, tool)
	}
	if c := &sent.ToolChoice; c.Mode == ir.ToolsNamed {
		switch {
		case search >= 0 && c.Name == r.Tools[search].Name:
			c.Name = s.searches.name
		case fetch >= 0 && c.Name == r.Tools[fetch].Name:
			c.Name = s.fetches.name
		}
	}
	s.rounds = s.searches.left + s.fetches.left + extraRounds
	x.searching = s
	return &sent
}

// offered sets f where the caller runs the first tool of a kind, most times at most, and the upstream can't. It returns the index of that tool,
// -1 where there is none. A tool with sources of its own is not run: the caller's are others (refuses).
func (x *Exchange) offered(f *function, r *ir.Request, t *ir.Target, kind ir.ToolKind, most int64) int {
	for i := range r.Tools {
		tool := &r.Tools[i]
		if tool.Kind != kind {
			continue
		}
		if most == 0 || tool.Search.OwnSources || x.pair.Upstream.Upstream.Runs(kind, t) {
			break
		}
		if tool.Search.MaxUses > 0 {
			most = min(most, tool.Search.MaxUses)
		}
		*f = function{unused(r, i), tool.Search, tool.At.String(), most}
		return i
	}
	return -1
}

// called returns the name of the function for a tool, also where it is only called in the history.
func (s *searching) called(kind ir.ToolKind) ir.Escaped {
	switch {
	case kind == ir.WebFetchTool && s.fetches.name != "":
		return s.fetches.name
	case kind == ir.WebFetchTool:
		return "web_fetch"
	case s.searches.name != "":
		return s.searches.name
	}
	return "web_search"
}

// unused returns the name of the tool at an index, or one like it where another tool has that too.
func unused(r *ir.Request, at int) ir.Escaped {
	name := r.Tools[at].Name
	for i := 0; i < len(r.Tools); i++ {
		if i != at && r.Tools[i].Name == name {
			name, i = name+"_", -1
		}
	}
	return name
}

// Rounds reports whether the answer may take several rounds: the model has got a function for searches or for pages, once AppendRequest has been
// called.
func (x *Exchange) Rounds() bool { return x.searching != nil }

// Waits reports whether a round is over and the answer goes on: with searches and pages, which Search returns, and then with what AppendNext
// appends.
func (x *Exchange) Waits() bool { return x.searching != nil && x.searching.waits }

// Search returns the search, or the page, that the answer waits for. ok is false where it waits for the next round.
func (x *Exchange) Search() (s Search, ok bool) {
	r := x.searching
	if r.at == len(r.calls) {
		return s, false
	}
	c := &r.calls[r.at]
	tool := &c.of.tool
	s.Allowed, s.Blocked = plain(tool.Allowed), plain(tool.Blocked)
	s.At, s.MaxTokens = c.of.path, tool.MaxTokens
	s.Location, s.ContextSize = string(tool.Location), jsonw.Unescape(tool.ContextSize)
	if c.of == &r.fetches {
		s.URL = pageURL(jsonw.Unescape(c.query))
	} else {
		s.Query = jsonw.Unescape(c.query)
	}
	return s, true
}

func plain(list []ir.Escaped) (texts []string) {
	for _, e := range list {
		texts = append(texts, jsonw.Unescape(e))
	}
	return texts
}

// found takes the results of the search that Search has returned, or the page, or the code of the failure (ir.SearchUnavailable, ...).
func (x *Exchange) found(hits []Hit, code string) {
	r := x.searching
	if r.waits && r.at < len(r.calls) {
		c := &r.calls[r.at]
		c.code = code
		switch {
		case c.of == &r.fetches:
			c.of.left-- // also for a page that fails: its server has been asked
			if code == "" && len(hits) == 0 {
				c.code = ir.SearchUnavailable
			}
			if c.code == "" {
				x.Fetched++
			}
		case code == "":
			c.of.left--
			x.Ran++
		}
		r.result(hits)
		r.proceed()
	}
}

// uncounted estimates the tokens of the requests of those rounds whose upstream has not counted them.
func (s *searching) uncounted() int64 {
	if s.counted {
		return s.estimate
	}
	return s.estimate + count.Tokens(s.exchange.sent)
}

// Uncounted estimates the input tokens of an answer of several rounds that are not in Usage, though Usage has those of some rounds.
func (x *Exchange) Uncounted() int64 {
	if x.searching == nil || x.Usage.Prompt() == 0 {
		return 0
	}
	return x.searching.uncounted()
}

// LongestPrompt returns how many tokens the upstream has counted of the longest prompt among the rounds of an answer, whose prompts Usage has
// added up; 0: there are no rounds.
func (x *Exchange) LongestPrompt() int64 {
	if x.searching == nil {
		return 0
	}
	return x.searching.longest
}

// appendNext appends the body of the next round's request. Behind it c takes that round's answer.
func (x *Exchange) appendNext(dst []byte, c *cutter) ([]byte, *ir.Error) {
	s := x.searching
	sent := *x.sent
	sent.Messages = append(sent.Messages[:len(sent.Messages):len(sent.Messages)],
		ir.Message{Role: ir.Assistant, Content: s.said}, ir.Message{Role: ir.User, Content: s.results})
	// A tool_choice that demands a call has been met: in each further round it would demand one more.
	if choice := &sent.ToolChoice; choice.Mode == ir.ToolsRequired || choice.Mode == ir.ToolsNamed {
		choice.Mode, choice.Name = ir.ToolsAuto, ""
	}
	if !s.counted {
		s.estimate += count.Tokens(x.sent)
	}
	s.rounds--
	s.round++
	if s.rounds == 1 {
		sent.ToolChoice = ir.ToolChoice{Mode: ir.ToolsNone}
	}
	x.sent = &sent
	s.said, s.results, s.calls, s.held, s.size = nil, nil, nil, nil, 0
	s.at, s.apart, s.theirs, s.waits, s.counted = 0, true, false, false, false
	*c = cutter{decoder: x.roundDecoder(s)}
	return x.pair.Upstream.Upstream.AppendRequest(dst, &sent, x.target, &x.Lost)
}

// Event implements ir.Sink.
func (s *searching) Event(ev *ir.Event) {
	if s.exchange.Failed != 0 { // for what an outer stage, or this one, does not take
		return
	}
	switch ev.Kind {
	case ir.Start:
		s.counted, s.longest = ev.Usage.Prompt() > 0, max(s.longest, ev.Usage.Prompt())
		s.exchange.Usage = s.usage.Plus(&ev.Usage)
		if s.begun {
			return
		}
		s.begun = true
	case ir.BlockStart:
		if of := s.function(ev); of != nil {
			if len(s.calls) == maxCalls {
				s.sink.Event(&ir.Event{Kind: ir.Failure, Err: &ir.Error{Kind: ir.Unavailable, Message: "The upstream has asked for more than 256 searches and pages at once."}})
				return
			}
			s.inside, s.text = true, s.text[:0]
			s.calls = append(s.calls, call{of: of, id: clone(ev.CallID)})
			return
		}
		s.note(ev)
		if s.apart && (ev.Block == ir.TextBlock || ev.Block == ir.RefusalBlock) {
			s.apart = false
			s.ev = *ev
			s.ev.Apart = true
			ev = &s.ev
		}
	case ir.Delta:
		if s.inside {
			s.text = append(s.text, ev.Text[:min(len(ev.Text), maxQuery+1-min(len(s.text), maxQuery+1))]...)
			return
		}
		s.note(ev)
	case ir.BlockStop:
		if s.inside {
			s.inside = false
			s.read()
			return
		}
		s.close()
	case ir.Finish:
		s.finish(ev)
		return
	}
	s.pass(ev)
}

// function returns the function that a block calls, nil for any other block.
func (s *searching) function(ev *ir.Event) *function {
	switch {
	case ev.Block != ir.ToolCallBlock || ev.Name == "":
		return nil
	case ev.Name == s.searches.name:
		return &s.searches
	case ev.Name == s.fetches.name:
		return &s.fetches
	}
	return nil
}

// read takes the end of a call of a function.
func (s *searching) read() {
	c := &s.calls[len(s.calls)-1]
	arguments, member := jsonw.Unescape(jsonw.View(s.text)), "query"
	if c.of == &s.fetches {
		member = "url"
	}
	input := ir.Raw("{}")
	if jsonr.Check(arguments) == nil && jsonr.KindOf(ir.Raw(arguments)) == jsonr.Object {
		r := jsonr.NewReader(arguments)
		for r.OpenObject(); r.Member(); {
			if query, _ := jsonr.Text(r.Value()); r.Key() == member {
				c.query = clone(query)
			}
		}
		input = ir.Raw(arguments)
	}
	switch {
	case len(s.text) > maxQuery && c.of == &s.fetches:
		c.code = ir.FetchTooLong
	case len(s.text) > maxQuery:
		c.code = ir.SearchQueryTooLong
	case strings.TrimSpace(jsonw.Unescape(c.query)) == "":
		c.code = ir.SearchInvalid
	}
	s.said = append(s.said, ir.Content{Kind: ir.ToolCallContent, ID: c.id, Name: c.of.name, Input: input})
}

// note keeps what the model says, to give it back with the results: the beginning of a block or more of it.
func (s *searching) note(ev *ir.Event) {
	if ev.Kind == ir.BlockStart {
		c := ir.Content{}
		switch ev.Block {
		case ir.TextBlock:
			c.Kind = ir.TextContent
		case ir.RefusalBlock:
			c.Kind = ir.RefusalContent
		case ir.ReasoningBlock:
			c.Kind, c.ItemID = ir.ReasoningContent, clone(ev.ID)
		case ir.RedactedBlock:
			c.Kind, c.ItemID = ir.RedactedContent, clone(ev.ID)
		case ir.ToolCallBlock, ir.CustomToolCallBlock:
			s.theirs = true
			return
		default:
			return
		}
		c.Phase = ev.Phase
		s.said = append(s.said, c)
		s.open, s.text = &s.said[len(s.said)-1], s.text[:0]
		return
	}
	switch {
	case s.open == nil:
	case ev.Delta == ir.TextDelta && len(s.text)+len(ev.Text) <= ir.MaxHeld:
		s.text = append(s.text, ev.Text...)
	case ev.Delta == ir.SignatureDelta:
		s.open.Origin, s.open.Signature = ev.Origin, clone(ev.Text)
	}
}

// close ends the open block of said.
func (s *searching) close() {
	if s.open != nil {
		s.open.Text = ir.Escaped(s.text)
		s.open = nil
		if last := &s.said[len(s.said)-1]; last.Text == "" && last.Signature == "" {
			s.said = s.said[:len(s.said)-1]
		}
	}
}

// pass hands ev on, or holds it where it stands behind a search that is still to be run.
func (s *searching) pass(ev *ir.Event) {
	if len(s.calls) == 0 || ev.Kind == ir.Failure {
		s.cites.event(ev, s.pages, s.sink)
		return
	}
	kept := *ev
	kept.ID, kept.CallID, kept.Name = clone(ev.ID), clone(ev.CallID), clone(ev.Name)
	kept.Text, kept.Sealed, kept.Raw = clone(ev.Text), clone(ev.Sealed), ir.Raw(strings.Clone(string(ev.Raw)))
	if c := ev.Citation; c != nil {
		kept.Citation = &ir.Citation{URL: clone(c.URL), Title: clone(c.Title), Quote: clone(c.Quote), Start: c.Start, End: c.End, Raw: ir.Raw(strings.Clone(string(c.Raw)))}
	}
	if s.size += len(ev.Text) + len(ev.Raw) + eventSize; s.size > ir.MaxHeld {
		s.sink.Event(&ir.Event{Kind: ir.Failure, Err: &ir.Error{Kind: ir.Unavailable, Message: "The upstream has said more than 8 MB behind a search of the web."}})
		return
	}
	s.held = append(s.held, kept)
}

// eventSize is about how many bytes an event takes that is held.
const eventSize = 300

// clone returns e as a text of its own.
func clone(e ir.Escaped) ir.Escaped { return ir.Escaped(strings.Clone(string(e))) }

// finish takes the end of a round.
func (s *searching) finish(ev *ir.Event) {
	s.counted, s.longest = s.counted || ev.Usage.Prompt() > 0, max(s.longest, ev.Usage.Prompt())
	s.usage = s.usage.Plus(&ev.Usage)
	s.exchange.Usage = s.usage
	s.end = *ev
	s.end.Usage = s.usage
	s.end.StopSequence, s.end.Raw, s.end.Edits = clone(ev.StopSequence), ir.Raw(strings.Clone(string(ev.Raw))), ir.Raw(strings.Clone(string(ev.Edits)))
	whole := ev.Stop == ir.EndTurn || ev.Stop == ir.ToolUse || ev.Stop == ir.StopSequence
	if len(s.calls) == 0 || !whole || s.exchange.finished { // a call that was cut is none
		s.release()
		s.hand(&s.end)
		return
	}
	if s.at = 0; s.round == 0 {
		s.round = 1
	}
	s.waits = true
	s.proceed()
}

// proceed begins the next search of the round that is to be run. Behind the last one it ends the answer, where the client has to go on:
// with calls of its own tools, or since the rounds are used up, which Messages calls a pause ("Handling stop reasons", pause_turn).
func (s *searching) proceed() {
	for s.at < len(s.calls) {
		c := &s.calls[s.at]
		if !s.shown && c.of == &s.searches {
			s.shown = true
			s.hand(&ir.Event{Kind: ir.BlockStart, Block: ir.WebSearchBlock, ID: ranID(s.round, c.id)})
			if c.query != "" {
				s.hand(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: c.query})
			}
		}
		if c.code == "" && (c.of.left <= 0 || c.of == &s.fetches && s.refused == maxRefused) {
			c.code = ir.SearchMaxUses
		}
		if c.code == "" && c.of == &s.fetches {
			if c.code = s.refuses(jsonw.Unescape(c.query)); c.code == ir.FetchNotInPrior {
				s.refused++
			}
		}
		if c.code == "" {
			return
		}
		s.result(nil)
	}
	switch {
	case s.theirs:
		s.end.Stop = ir.ToolUse
	case s.rounds <= 1:
		s.end.Stop = ir.PauseTurn
	default:
		s.release()
		return
	}
	s.waits = false
	s.release()
	s.hand(&s.end)
}

// ranID returns the id of the block of a search or a page.
func ranID(round int64, call ir.Escaped) ir.Escaped {
	return ir.Escaped(ir.RanHere+strconv.FormatInt(round, 10)+"_") + ir.Identifier(call, 0)
}

// result ends the search that is run now, with hits or its code, or the page, for the client and for the model.
func (s *searching) result(hits []Hit) {
	c := &s.calls[s.at]
	told := ir.Escaped("")
	if c.of == &s.fetches {
		told = s.page(c, hits)
	} else {
		told = s.hits(c, hits)
	}
	s.results = append(s.results, ir.Content{Kind: ir.ToolResultContent, ID: c.id, IsError: c.code != "", Parts: []ir.Content{{Kind: ir.TextContent, Text: told}}})
	s.at++
	s.shown = false
}

// hits ends a search for the client, and returns what the model is told.
func (s *searching) hits(c *call, hits []Hit) (told ir.Escaped) {
	var text []byte
	for i := range hits {
		h := &hits[i]
		hit := ir.Citation{URL: jsonw.Escape(h.URL), Title: jsonw.Escape(h.Title), Age: jsonw.Escape(h.Age), Start: -1, End: -1}
		said := jsonw.Escape(h.Text)
		text = ir.AppendFound(text, i+1, &hit, said)
		hit.Sealed = ir.Finding + said
		s.pages = append(s.pages, page{url: h.URL, title: hit.Title})
		s.hand(&ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &hit})
	}
	s.hand(&ir.Event{Kind: ir.BlockStop, Code: c.code})
	switch {
	case c.code != "":
		return ir.SearchFailure(c.code)
	case len(hits) == 0:
		return ir.NothingFound
	}
	return ir.Escaped(text)
}

// page shows the client a page, or why there is none, and returns what the model is told.
func (s *searching) page(c *call, hits []Hit) (told ir.Escaped) {
	h := &ir.Hosted{Kind: ir.WebFetchTool, ID: ranID(s.round, c.id), Code: c.code, Failed: c.code != "", At: s.exchange.Request.Time(), Done: true, Made: true}
	h.Input = ir.Raw(jsonw.AppendString([]byte(`{"url":`), jsonw.Unescape(c.query))) + `}`
	told = ir.FetchFailure(c.code)
	if !h.Failed {
		hit := &hits[0]
		h.URL, h.Title, h.Output = jsonw.Escape(hit.URL), jsonw.Escape(hit.Title), jsonw.Escape(hit.Text)
		s.pages = append(s.pages, page{hit.URL, h.Title, hit.Text})
		told = ir.PageText(h)
	}
	s.hand(&ir.Event{Kind: ir.BlockStart, Block: ir.HostedBlock, ID: h.ID})
	s.hand(&ir.Event{Kind: ir.Delta, Delta: ir.HostedDelta, Hosted: h})
	s.hand(&ir.Event{Kind: ir.BlockStop})
	return told
}

// release hands on what was held behind the searches.
func (s *searching) release() {
	held := s.held
	s.held = nil
	for i := range held {
		s.cites.event(&held[i], s.pages, s.sink)
	}
}

func (s *searching) hand(ev *ir.Event) {
	s.ev = *ev
	s.sink.Event(&s.ev)
}
