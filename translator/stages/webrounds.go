package stages

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// SetSink sets the sink of the whole answer, before the first event.
func (w *WebTools) SetSink(sink ir.Sink) { w.sink = sink }

// Ended reports the end of the whole answer to WebTools: a later stage may end the answer earlier
// than the upstream.
func (w *WebTools) Ended(failed bool) {
	w.failed, w.finished = failed, !failed
}

// Event implements ir.Sink.
func (w *WebTools) Event(ev *ir.Event) {
	if w.failed { // in a later stage or in WebTools
		return
	}
	switch ev.Kind {
	case ir.Start:
		w.counted, w.longest = ev.Usage.Prompt() > 0, max(w.longest, ev.Usage.Prompt())
		*w.Usage = w.usage.Plus(&ev.Usage)
		if w.begun {
			return
		}
		w.begun = true
	case ir.BlockStart:
		if f := w.function(ev); f != nil {
			if len(w.calls) == maxCalls {
				w.fail("The upstream requested more than 256 searches and pages at once.")
				return
			}
			w.inCall, w.text = true, w.text[:0]
			w.calls = append(w.calls, call{function: f, id: clone(ev.CallID)})
			return
		}
		w.record(ev)
		if w.newMessage && (ev.Block == ir.TextBlock || ev.Block == ir.RefusalBlock) {
			w.newMessage = false
			w.ev = *ev
			w.ev.NewMessage = true
			ev = &w.ev
		}
	case ir.Delta:
		if w.inCall {
			room := maxArguments + 1 - min(len(w.text), maxArguments+1)
			w.text = append(w.text, ev.Text[:min(len(ev.Text), room)]...)
			return
		}
		w.record(ev)
	case ir.BlockStop:
		if w.inCall {
			w.inCall = false
			w.readCall()
			return
		}
		w.closeBlock()
	case ir.Finish:
		w.finish(ev)
		return
	}
	w.pass(ev)
}

// fail ends the answer.
func (w *WebTools) fail(message string) {
	w.sink.Event(&ir.Event{Kind: ir.Failure, Err: &ir.Error{Kind: ir.Unavailable, Message: message}})
}

// function returns the function called by a block, or nil.
func (w *WebTools) function(ev *ir.Event) *function {
	switch {
	case ev.Block != ir.ToolCallBlock || ev.Name == "":
		return nil
	case ev.Name == w.searches.name:
		return &w.searches
	case ev.Name == w.fetches.name:
		return &w.fetches
	case ev.Name == w.finder.name:
		return &w.finder.function
	case ev.Name == w.advisor.name:
		return &w.advisor
	}
	return nil
}

// readCall reads the arguments of a call after its end.
func (w *WebTools) readCall() {
	c := &w.calls[len(w.calls)-1]
	c.position = len(w.message)
	if c.function == &w.advisor { // the client sees no arguments either
		w.message = append(w.message,
			ir.Content{Kind: ir.ToolCallContent, ID: c.id, Name: c.function.name, Input: "{}"})
		return
	}
	arguments, member := jsonw.Unescape(jsonw.View(w.text)), "query"
	if c.function == &w.fetches {
		member = "url"
	}
	input := ir.Raw("{}")
	if jsonr.Check(arguments) == nil && jsonr.KindOf(ir.Raw(arguments)) == jsonr.Object {
		r := jsonr.NewReader(arguments)
		for r.OpenObject(); r.Member(); {
			if text, _ := jsonr.Text(r.Value()); r.Key() == member ||
				r.Key() == patternMember && c.function == &w.finder.function {
				c.argument = clone(text)
			}
		}
		input = cloneRaw(ir.Raw(arguments)) // without escapes, arguments is a view of w.text
	}
	switch {
	case len(w.text) > maxArguments && c.function == &w.fetches:
		c.code = ir.FetchTooLong
	case len(w.text) > maxArguments:
		c.code = ir.SearchQueryTooLong
	case strings.TrimSpace(jsonw.Unescape(c.argument)) == "":
		c.code = ir.SearchInvalid
	}
	w.message = append(w.message,
		ir.Content{Kind: ir.ToolCallContent, ID: c.id, Name: c.function.name, Input: input})
}

// record adds the beginning of a block, or more of it, to the model's message.
func (w *WebTools) record(ev *ir.Event) {
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
			w.clientCalls = true
			return
		default:
			return
		}
		c.Phase = ev.Phase
		w.message = append(w.message, c)
		w.open, w.text = &w.message[len(w.message)-1], w.text[:0]
		return
	}
	switch {
	case w.open == nil:
	case ev.Delta == ir.TextDelta && len(w.text)+len(ev.Text) <= ir.MaxBuffered:
		w.text = append(w.text, ev.Text...)
	case ev.Delta == ir.SignatureDelta:
		w.open.Origin, w.open.Signature = ev.Origin, clone(ev.Text)
	}
}

// closeBlock ends the open block of the model's message.
func (w *WebTools) closeBlock() {
	if w.open != nil {
		w.open.Text = ir.Escaped(w.text)
		w.open = nil
		if last := &w.message[len(w.message)-1]; last.Text == "" && last.Signature == "" {
			w.message = w.message[:len(w.message)-1]
		}
	}
}

// pass passes ev on. If ev follows a call whose search must run first, pass buffers ev.
func (w *WebTools) pass(ev *ir.Event) {
	if len(w.calls) == 0 || ev.Kind == ir.Failure {
		w.links.event(ev, w.pages, w.sink)
		return
	}
	e := *ev
	e.ID, e.CallID, e.Name = clone(ev.ID), clone(ev.CallID), clone(ev.Name)
	e.Text, e.Envelope, e.Raw = clone(ev.Text), clone(ev.Envelope), cloneRaw(ev.Raw)
	if c := ev.Citation; c != nil {
		e.Citation = &ir.Citation{URL: clone(c.URL), Title: clone(c.Title), Quote: clone(c.Quote),
			Start: c.Start, End: c.End, Raw: cloneRaw(c.Raw)}
	}
	if w.size += len(ev.Text) + len(ev.Raw) + eventSize; w.size > ir.MaxBuffered {
		w.fail("The upstream sent more than 8 MB after a web search.")
		return
	}
	w.buffered = append(w.buffered, e)
}

// eventSize is about the size of a buffered event without its texts, in bytes.
const eventSize = 300

func clone(e ir.Escaped) ir.Escaped { return ir.Escaped(strings.Clone(string(e))) }

func cloneRaw(r ir.Raw) ir.Raw { return ir.Raw(strings.Clone(string(r))) }

// finish handles the end of a round.
func (w *WebTools) finish(ev *ir.Event) {
	w.counted, w.longest = w.counted || ev.Usage.Prompt() > 0, max(w.longest, ev.Usage.Prompt())
	w.usage = w.usage.Plus(&ev.Usage)
	*w.Usage = w.usage
	w.end = *ev
	w.end.Usage = w.usage
	if w.round > 0 && ev.OwnUsage != "" { // it counts only the last round
		w.end.OwnUsage = ""
		w.lost.Add("usage")
	}
	w.end.StopSequence, w.end.Raw, w.end.Edits = clone(ev.StopSequence), cloneRaw(ev.Raw), cloneRaw(ev.Edits)
	whole := ev.Stop == ir.EndTurn || ev.Stop == ir.ToolUse || ev.Stop == ir.StopSequence
	if len(w.calls) == 0 || !whole || w.finished { // a call that was cut does not count
		w.flush()
		w.send(&w.end)
		return
	}
	if w.current = 0; w.round == 0 {
		w.round = 1
	}
	w.nameCalls()
	w.waits = true
	w.proceed()
}

// proceed begins the next search of the round. After the last one it ends the answer if the client
// must continue: with calls of its own tools, or because no round is left. Messages calls the
// latter a pause ("Handling stop reasons", pause_turn).
func (w *WebTools) proceed() {
	for w.current < len(w.calls) {
		c := &w.calls[w.current]
		if !w.shown && c.function == &w.searches {
			w.shown = true
			w.send(&ir.Event{Kind: ir.BlockStart, Block: ir.WebSearchBlock, ID: c.id})
			if c.argument != "" {
				w.send(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: c.argument})
			}
		}
		if c.code == "" && (c.function.left <= 0 || c.function == &w.fetches && w.unseen == maxUnseen) {
			c.code = ir.SearchMaxUses
		}
		if c.code == "" && c.function == &w.fetches {
			if c.code = w.refusal(jsonw.Unescape(c.argument)); c.code == ir.FetchNotInPrior {
				w.unseen++
			}
		}
		if c.code == "" && c.function != &w.finder.function {
			return
		}
		w.result(nil)
	}
	switch {
	case w.clientCalls:
		w.end.Stop = ir.ToolUse
	case w.rounds <= 1:
		w.end.Stop = ir.PauseTurn
	default:
		w.flush()
		return
	}
	w.waits = false
	w.flush()
	w.send(&w.end)
}

// nameCalls gives the calls of the round the ids that the client sees and gives back: its next turn
// begins as this answer's rounds do. Such ids have no "-".
func (w *WebTools) nameCalls() {
	lead := ir.RanHere + strconv.FormatInt(w.round, 10) + "_"
	for i := range w.calls {
		c := &w.calls[i]
		c.id = ir.Escaped(lead + strings.ReplaceAll(string(ir.Identifier(c.id, maxShownID)), "-", "_"))
		w.message[c.position].ID = c.id
	}
}

// maxShownID is the longest part of an upstream's id in ours: OpenAI accepts ids of 64 characters.
const maxShownID = 40

// result ends the current call, with hits or with its code, for the client and for the model.
func (w *WebTools) result(hits []Hit) {
	c := &w.calls[w.current]
	text := ir.Escaped("")
	switch c.function {
	case &w.advisor:
		text = w.showAdvice(c)
	case &w.fetches:
		text = w.showPage(c, hits)
	case &w.finder.function:
		text = w.showTools(c)
	default:
		text = w.showHits(c, hits)
	}
	w.results = append(w.results, ir.Content{Kind: ir.ToolResultContent, ID: c.id, IsError: c.code != "",
		Parts: []ir.Content{{Kind: ir.TextContent, Text: text}}})
	w.current++
	w.shown = false
}

// showHits ends a search for the client. It returns the text for the model.
func (w *WebTools) showHits(c *call, hits []Hit) ir.Escaped {
	var text []byte
	for i := range hits {
		h := &hits[i]
		hit := ir.Citation{URL: jsonw.Escape(h.URL), Title: jsonw.Escape(h.Title), Age: jsonw.Escape(h.Age),
			Start: -1, End: -1}
		escaped := jsonw.Escape(h.Text)
		text = ir.AppendHit(text, i+1, &hit, escaped)
		hit.Envelope = ir.HitEnvelope + escaped
		w.pages = append(w.pages, webpage{url: h.URL, title: hit.Title})
		w.send(&ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &hit})
	}
	w.send(&ir.Event{Kind: ir.BlockStop, Code: c.code})
	switch {
	case c.code != "":
		return ir.SearchFailure(c.code)
	case len(hits) == 0:
		return ir.NoHits
	}
	return ir.Escaped(text)
}

// showPage sends the client a webpage, or the reason for its absence. It returns the text for the
// model.
func (w *WebTools) showPage(c *call, hits []Hit) ir.Escaped {
	h := &ir.Hosted{Kind: ir.WebFetchTool, ID: c.id, Code: c.code, Failed: c.code != "",
		At: w.Request.Time(), Done: true, Made: true}
	h.Input = ir.Raw(jsonw.AppendString([]byte(`{"url":`), jsonw.Unescape(c.argument))) + `}`
	text := ir.FetchFailure(c.code)
	if !h.Failed {
		hit := &hits[0]
		h.URL, h.Title, h.Output = jsonw.Escape(hit.URL), jsonw.Escape(hit.Title), jsonw.Escape(hit.Text)
		w.pages = append(w.pages, webpage{hit.URL, h.Title, hit.Text})
		text = ir.PageText(h)
	}
	w.send(&ir.Event{Kind: ir.BlockStart, Block: ir.HostedBlock, ID: h.ID})
	w.send(&ir.Event{Kind: ir.Delta, Delta: ir.HostedDelta, Hosted: h})
	w.send(&ir.Event{Kind: ir.BlockStop})
	return text
}

// flush passes the buffered events on.
func (w *WebTools) flush() {
	buffered := w.buffered
	w.buffered = nil
	for i := range buffered {
		w.links.event(&buffered[i], w.pages, w.sink)
	}
}

func (w *WebTools) send(ev *ir.Event) {
	w.ev = *ev
	w.sink.Event(&w.ev)
}
