// Package compact shortens conversations for upstreams that can't do so themselves: by the client's
// context edits, and by summaries. It keeps no state. What it removes depends only on the
// conversation, and what one turn removes stays removed in all later turns.
package compact

import (
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
)

// placeholder stands for a result that has been cleared. Anthropic's documentation says that a placeholder tells Claude of it ("Context
// editing", "Tool result clearing"), and its cookbook has these words for it (tool_use/context_engineering/context_engineering_tools.ipynb).
const placeholder = "[cleared to save context]"

// use is a call of a tool with its result.
type use struct {
	call, result place
	name         ir.Escaped
	saved        int64 // how many tokens less the prompt has where the result is cleared
	input        int64 // and where the call's arguments are
	cleared      bool
	emptied      bool // the arguments are cleared
}

// place is where a block stands in the messages of a request.
type place struct{ message, block int }

// turn is the prompt of an earlier turn of the conversation, or of the present one, as it was before anything was cleared.
type turn struct {
	uses   int // how many of history.uses it has
	tokens int64
}

// history is what a conversation has of uses and turns.
type history struct {
	uses  []use
	turns []turn
}

// Clear returns r as its Edits want it, and for each of r.Edits.Clear what has been cleared. r itself stays as it is and shares what is not
// changed. r is returned where there is nothing to clear.
//
// Whether a result is cleared is decided at the end of each of the user's turns, as if that turn were the last one, and stays decided:
//
//   - the trigger goes by the prompt as the client has written it. That only grows, so that clearing never ends once it has begun;
//   - without clear_at_least each turn clears what is no longer among the results to keep. The prompt of a turn then begins like that of the
//     turn before as far as the first result of that kind, as it is at Anthropic ("Context editing and prompt caching");
//   - with clear_at_least nothing changes until that many tokens can be cleared at once. Between two such turns prompts begin alike.
//
// Calls and results of the vendor's own tools stay.
func Clear(r *ir.Request) (*ir.Request, []ir.Cleared) {
	edits := r.Edits.Clear
	cleared := make([]ir.Cleared, len(edits))
	var h *history
	some, results := false, countResults(r)
	for i := range edits {
		if results <= edits[i].Keep {
			continue // as in most requests, of which nothing is counted then
		}
		if h == nil {
			h = read(r, results)
		}
		cleared[i] = h.apply(&edits[i])
		some = some || cleared[i].Uses > 0
	}
	if !some {
		return r, cleared
	}
	return h.edited(r), cleared
}

// Edit makes the context edits of r: Clear. It writes to r.Edits that they were made and what they
// cleared, and adds to lost the edits that only the client's vendor can make.
func Edit(r *ir.Request, lost *ir.Lost) *ir.Request {
	for _, path := range r.Edits.Only {
		lost.Add(path)
	}
	r.Edits.Made = true
	sent, cleared := Clear(r)
	r.Edits.Cleared = cleared
	return sent
}

// read returns the history of a request that has a number of results.
func read(r *ir.Request, results int64) *history {
	h := &history{uses: make([]use, 0, results)}
	meter := count.MeterOf(r)
	tokens := meter.Head(r)
	cleared := meter.Block(&ir.Content{Kind: ir.ToolResultContent, Parts: nothing()})
	open := make(map[ir.Escaped]place, results) // the last call with an id, as long as it has no result
	for m := range r.Messages {
		message := &r.Messages[m]
		if m > 0 && message.Role == ir.Assistant && r.Messages[m-1].Role != ir.Assistant {
			h.turns = append(h.turns, turn{len(h.uses), tokens})
		}
		tokens += count.PerMessage
		for b := range message.Content {
			block := &message.Content[b]
			size := meter.Block(block)
			tokens += size
			switch block.Kind {
			case ir.ToolCallContent:
				open[block.ID] = place{m, b}
			case ir.ToolResultContent:
				at, ok := open[block.ID]
				if !ok {
					continue // the result of no call: ir.MatchResults makes it text
				}
				delete(open, block.ID)
				call := &r.Messages[at.message].Content[at.block]
				h.uses = append(h.uses, use{call: at, result: place{m, b}, name: call.Name, saved: max(size-cleared, 0),
					input: max(meter.Block(call)-meter.Block(&ir.Content{Kind: call.Kind, Name: call.Name, Input: noInput}), 0)})
			}
		}
	}
	h.turns = append(h.turns, turn{len(h.uses), tokens})
	return h
}

// apply marks the uses that an edit clears, and returns how many these are.
func (h *history) apply(e *ir.Clearing) (done ir.Cleared) {
	next, end := 0, 0       // uses in front of next are decided; those up to end would be cleared
	pending := ir.Cleared{} // what uses[next:end] come to
	for _, t := range h.turns {
		size := t.tokens
		if e.Uses {
			size = int64(t.uses)
		}
		if size <= e.Trigger {
			continue
		}
		for ; int64(end) < int64(t.uses)-e.Keep; end++ {
			if u := &h.uses[end]; !u.cleared && !among(e.Excluded, u.name) {
				pending.Uses++
				pending.Tokens += u.saved
				if !u.emptied && empties(e, u.name) {
					pending.Tokens += u.input
				}
			}
		}
		if pending.Uses == 0 || pending.Tokens < e.AtLeast {
			continue
		}
		for ; next < end; next++ {
			if u := &h.uses[next]; !u.cleared && !among(e.Excluded, u.name) {
				u.cleared, u.emptied = true, u.emptied || empties(e, u.name)
			}
		}
		done.Uses += pending.Uses
		done.Tokens += pending.Tokens
		pending = ir.Cleared{}
	}
	return done
}

// edited returns a request without what is marked as cleared.
func (h *history) edited(r *ir.Request) *ir.Request {
	edited := *r
	edited.Messages = append([]ir.Message(nil), r.Messages...)
	left := nothing()
	for i := range h.uses {
		u := &h.uses[i]
		if u.cleared {
			own(r, &edited, u.result).Parts = left
		}
		if u.emptied {
			own(r, &edited, u.call).Input = noInput
		}
	}
	return &edited
}

// own returns a block of edited, whose message it copies as long as that is still the one of r.
func own(r, edited *ir.Request, p place) *ir.Content {
	m := &edited.Messages[p.message]
	if &m.Content[0] == &r.Messages[p.message].Content[0] {
		m.Content = append([]ir.Content(nil), m.Content...)
	}
	return &m.Content[p.block]
}

// noInput is what is left of arguments that are cleared.
const noInput = ir.Raw(`{}`)

// nothing returns what is left of a result that is cleared.
func nothing() []ir.Content { return []ir.Content{{Kind: ir.TextContent, Text: placeholder}} }

// empties reports whether an edit also clears the arguments of calls of a tool.
func empties(e *ir.Clearing, name ir.Escaped) bool { return e.Inputs || among(e.InputsOf, name) }

func among(names []ir.Escaped, name ir.Escaped) bool {
	for i := range names {
		if names[i] == name {
			return true
		}
	}
	return false
}

// countResults returns how many results of tools the messages of a request have.
func countResults(r *ir.Request) (n int64) {
	for m := range r.Messages {
		for b := range r.Messages[m].Content {
			if r.Messages[m].Content[b].Kind == ir.ToolResultContent {
				n++
			}
		}
	}
	return n
}
