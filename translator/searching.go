package translator

import (
	"strconv"
	"strings"

	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// The functions of this file let a caller run the searches of the web that a client asks its upstream for and that the upstream can't run.
// The model gets a function for it. An answer then takes several rounds, each a request to the upstream: at the end of a round whose
// answer calls the function, Exchange.Search says what to search, Found of Stream or Plain takes the results, and their AppendNext makes
// the next request.

// Search is one search of the web that a caller is to run.
type Search struct {
	Query            string
	Allowed, Blocked []string // the only domains to search, and domains to leave out
	Location         string   // where the user is, a JSON object {"type":"approximate","city":...}; "" where the client does not say
	At               string   // the path of the client's tool
	ContextSize      string   // low, medium, high, or "": how much the client wants to know of each result
}

// Hit is one result of a search.
type Hit struct{ URL, Title, Text, Age string }

// Bounds of searches.
const (
	maxQuery     = 4 << 10 // bytes of a call's arguments
	extraRounds  = 2       // rounds in which a model may ask for more searches than it has
	searchedWith = `Searches the web, and returns results with their URLs and texts. Use it for what you do not know or what may have changed. ` +
		`Where your answer uses a result, cite it by a Markdown link to its URL: [title](URL).`
	searchSchema = `{"type":"object","properties":{"query":{"type":"string","description":"What to search for."}},"required":["query"]}`
)

// searching is a sink between the stages that belong to one round and those that belong to the whole answer: these see one answer, in
// which each search is a WebSearchBlock.
type searching struct {
	exchange *Exchange
	sink     ir.Sink
	name     ir.Escaped // of the function
	tool     ir.Search  // what the client says of the search
	path     string     // of the client's tool
	left     int64      // searches that may still be run
	rounds   int64      // that may still begin, with the one that runs
	round    int64      // counted from 1

	usage    ir.Usage // of the rounds that are over
	longest  int64    // the tokens of the longest prompt of a round
	estimate int64    // tokens of the requests of these rounds that their upstream has not counted
	counted  bool     // the upstream has counted the input of this round
	begun    bool     // the answer has begun
	pages    []page   // what the answer's searches have found

	// Of the round.
	said    []ir.Content // what the model has said so far, to give back
	open    *ir.Content  // the open block of these, nil for none
	text    []byte       // its text or arguments
	inside  bool         // the open block is a call of the function
	calls   []call       // those of the function
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

// call is a call of the function.
type call struct {
	id    ir.Escaped // the upstream's
	query ir.Escaped
	code  string // why it is not run, "" where it is
}

// functions returns r for an upstream that accepts what t says: with a function in place of the search that it can't run, where the
// caller runs searches, and with the searches of the history that were run here as calls of that function.
func (x *Exchange) functions(r *ir.Request, t *ir.Target) *ir.Request {
	x.searching = nil
	at := -1
	for i := range r.Tools {
		if r.Tools[i].Kind == ir.WebSearchTool {
			at = i
			break
		}
	}
	name := ir.Escaped("web_search")
	runs := at >= 0 && x.MaxSearches > 0 && !x.pair.Upstream.Upstream.TakesSearch(t)
	if runs {
		name = unused(r, at)
	}
	messages := ir.Unfold(r.Messages, name, runs)
	if !runs {
		if len(messages) == len(r.Messages) {
			return r
		}
		sent := *r
		sent.Messages = messages
		return &sent
	}
	sent := *r
	sent.Messages = messages
	sent.Tools = make([]ir.Tool, 0, len(r.Tools))
	for i := range r.Tools {
		tool := r.Tools[i]
		if i == at {
			tool = ir.Tool{At: tool.At, Name: name, Description: searchedWith, Schema: searchSchema, Cache: tool.Cache}
		} else if tool.Kind == ir.WebSearchTool {
			continue
		}
		sent.Tools = append(sent.Tools, tool)
	}
	most := x.MaxSearches
	s := &searching{exchange: x, name: name, tool: r.Tools[at].Search, path: r.Tools[at].At.String()}
	if s.tool.MaxUses > 0 {
		most = min(most, s.tool.MaxUses)
	}
	if c := &sent.ToolChoice; c.Mode == ir.ToolsNamed && c.Name == r.Tools[at].Name {
		c.Name = name
	}
	s.left, s.rounds, s.usage = most, most+extraRounds, ir.NoUsage
	x.searching = s
	return &sent
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

// Rounds reports whether the answer may take several rounds: the model has got a function for searches, once AppendRequest has been called.
func (x *Exchange) Rounds() bool { return x.searching != nil }

// Waits reports whether a round is over and the answer goes on: with searches, which Search returns, and then with what AppendNext
// appends.
func (x *Exchange) Waits() bool { return x.searching != nil && x.searching.waits }

// Search returns the search that the answer waits for. ok is false where it waits for the next round.
func (x *Exchange) Search() (s Search, ok bool) {
	r := x.searching
	if r.at == len(r.calls) {
		return s, false
	}
	s.Query = jsonw.Unescape(r.calls[r.at].query)
	s.Allowed, s.Blocked = plain(r.tool.Allowed), plain(r.tool.Blocked)
	s.At = r.path
	s.Location, s.ContextSize = string(r.tool.Location), jsonw.Unescape(r.tool.ContextSize)
	return s, true
}

func plain(list []ir.Escaped) (texts []string) {
	for _, e := range list {
		texts = append(texts, jsonw.Unescape(e))
	}
	return texts
}

// found takes the results of the search that Search has returned, or the code of its failure (ir.SearchUnavailable, ...).
func (x *Exchange) found(hits []Hit, code string) {
	r := x.searching
	if r.waits && r.at < len(r.calls) {
		r.calls[r.at].code = code
		if code == "" {
			r.left--
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
		if ev.Block == ir.ToolCallBlock && ev.Name == s.name {
			s.inside, s.text = true, s.text[:0]
			s.calls = append(s.calls, call{id: clone(ev.CallID)})
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
			s.called()
			return
		}
		s.close()
	case ir.Finish:
		s.finish(ev)
		return
	}
	s.pass(ev)
}

// called takes the end of a call of the function.
func (s *searching) called() {
	c := &s.calls[len(s.calls)-1]
	arguments := jsonw.Unescape(jsonw.View(s.text))
	input := ir.Raw("{}")
	if jsonr.Check(arguments) == nil && jsonr.KindOf(ir.Raw(arguments)) == jsonr.Object {
		r := jsonr.NewReader(arguments)
		for r.OpenObject(); r.Member(); {
			if query, _ := jsonr.Text(r.Value()); r.Key() == "query" {
				c.query = clone(query)
			}
		}
		input = ir.Raw(arguments)
	}
	if strings.TrimSpace(jsonw.Unescape(c.query)) == "" {
		c.code = ir.SearchInvalid
	}
	if len(s.text) > maxQuery {
		c.code = ir.SearchQueryTooLong
	}
	s.said = append(s.said, ir.Content{Kind: ir.ToolCallContent, ID: c.id, Name: s.name, Input: input})
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
		if !s.shown {
			s.shown = true
			id := ranID(s.round, c.id)
			s.hand(&ir.Event{Kind: ir.BlockStart, Block: ir.WebSearchBlock, ID: id})
			if c.query != "" {
				s.hand(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: c.query})
			}
		}
		if c.code == "" && s.left <= 0 {
			c.code = ir.SearchMaxUses
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

// ranID returns the id of a search's block.
func ranID(round int64, call ir.Escaped) ir.Escaped {
	return ir.Escaped(ir.RanHere+strconv.FormatInt(round, 10)+"_") + ir.Identifier(call, 0)
}

// result ends the search that is run now, with hits or its code, for the client and for the model.
func (s *searching) result(hits []Hit) {
	c := &s.calls[s.at]
	var text []byte
	for i := range hits {
		h := &hits[i]
		hit := ir.Citation{URL: jsonw.Escape(h.URL), Title: jsonw.Escape(h.Title), Age: jsonw.Escape(h.Age), Start: -1, End: -1}
		said := jsonw.Escape(h.Text)
		text = ir.AppendFound(text, i+1, &hit, said)
		hit.Sealed = ir.Finding + said
		s.pages = append(s.pages, page{h.URL, hit.Title})
		s.hand(&ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &hit})
	}
	told := ir.Escaped(text)
	switch {
	case c.code != "":
		told = ir.SearchFailure(c.code)
	case len(hits) == 0:
		told = ir.NothingFound
	}
	s.hand(&ir.Event{Kind: ir.BlockStop, Code: c.code})
	s.results = append(s.results, ir.Content{Kind: ir.ToolResultContent, ID: c.id, IsError: c.code != "", Parts: []ir.Content{{Kind: ir.TextContent, Text: told}}})
	s.at++
	s.shown = false
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
