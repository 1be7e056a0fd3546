// Package compact shortens conversations for upstreams that can't do so themselves: by the client's
// context edits, and by summaries. It has no state. The removed content depends only on the
// conversation, and stays removed in all later turns.
package compact

import (
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
)

// placeholder replaces a cleared result. Anthropic's documentation mentions a placeholder for
// Claude ("Context editing", "Tool result clearing"); the text is from Anthropic's cookbook
// (tool_use/context_engineering/context_engineering_tools.ipynb).
const placeholder = "[cleared to save context]"

// use is a call of a tool with its result.
type use struct {
	call, result position
	name         ir.Escaped
	saved        int64 // the tokens saved by clearing the result
	input        int64 // the tokens saved by clearing the arguments
	cleared      bool  // the result is cleared
	emptied      bool  // the arguments are cleared
}

// position is the position of a block in the messages of a request.
type position struct{ message, block int }

// prompt is the prompt of a turn of the conversation, before anything is cleared.
type prompt struct {
	uses   int // the number of uses in the prompt: history.uses[:uses]
	tokens int64
}

// history has the uses and the prompts of a conversation.
type history struct {
	uses    []use
	prompts []prompt
}

// Clear returns r after its clearing edits, and the cleared content of each of r.Edits.Clear. r
// does not change; the result shares its unchanged parts. If there is nothing to clear, Clear
// returns r.
//
// Clear decides about each result at the end of each turn of the user, as if the turn were the last
// one. A decision stays:
//
//   - the trigger compares the prompt as the client wrote it. The prompt only grows, so clearing never
//     stops after it has begun;
//   - without clear_at_least each turn clears the results that are no longer among those to keep. The
//     prompt then begins like the prompt of the turn before, up to the first of these results, as at
//     Anthropic ("Context editing and prompt caching");
//   - with clear_at_least nothing changes until this many tokens can be cleared at once. Between two
//     such turns all prompts begin alike.
//
// Calls and results of the vendor's own tools stay.
func Clear(r *ir.Request) (*ir.Request, []ir.Cleared) {
	edits := r.Edits.Clear
	cleared := make([]ir.Cleared, len(edits))
	var h *history
	some, results := false, countResults(r)
	for i := range edits {
		if results <= edits[i].Keep {
			continue // true for most requests: then nothing is counted
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

// Edit makes the context edits of r with Clear, and records them in r.Edits with their results.
// Edits that only the client's vendor can make are added to lost.
func Edit(r *ir.Request, lost *ir.Lost) *ir.Request {
	for _, path := range r.Edits.Only {
		lost.Add(path)
	}
	r.Edits.Made = true
	sent, cleared := Clear(r)
	r.Edits.Cleared = cleared
	return sent
}

// read returns the history of a request with the given number of results.
func read(r *ir.Request, results int64) *history {
	h := &history{uses: make([]use, 0, results)}
	meter := count.MeterOf(r)
	tokens := meter.Head(r)
	cleared := meter.Block(&ir.Content{Kind: ir.ToolResultContent, Parts: nothing()})
	open := make(map[ir.Escaped]position, results) // by id, the last call without a result
	for m := range r.Messages {
		message := &r.Messages[m]
		if m > 0 && message.Role == ir.Assistant && r.Messages[m-1].Role != ir.Assistant {
			h.prompts = append(h.prompts, prompt{len(h.uses), tokens})
		}
		tokens += count.PerMessage
		for b := range message.Content {
			block := &message.Content[b]
			size := meter.Block(block)
			tokens += size
			switch block.Kind {
			case ir.ToolCallContent:
				open[block.ID] = position{m, b}
			case ir.ToolResultContent:
				at, ok := open[block.ID]
				if !ok {
					continue // a result without a call: ir.MatchResults turns it into text
				}
				delete(open, block.ID)
				call := &r.Messages[at.message].Content[at.block]
				empty := &ir.Content{Kind: call.Kind, Name: call.Name, Input: noInput}
				h.uses = append(h.uses, use{call: at, result: position{m, b}, name: call.Name,
					saved: max(size-cleared, 0), input: max(meter.Block(call)-meter.Block(empty), 0)})
			}
		}
	}
	h.prompts = append(h.prompts, prompt{len(h.uses), tokens})
	return h
}

// apply marks the uses that an edit clears, and counts them.
func (h *history) apply(e *ir.Clearing) (done ir.Cleared) {
	next, end := 0, 0       // uses[:next] are decided; uses[next:end] may be cleared
	pending := ir.Cleared{} // the sum of uses[next:end]
	for _, p := range h.prompts {
		size := p.tokens
		if e.Uses {
			size = int64(p.uses)
		}
		if size <= e.Trigger {
			continue
		}
		for ; int64(end) < int64(p.uses)-e.Keep; end++ {
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

// edited returns r without the marked results and arguments.
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

// own returns a block of edited for a change, after copying the message if r still shares the
// message.
func own(r, edited *ir.Request, p position) *ir.Content {
	m := &edited.Messages[p.message]
	if &m.Content[0] == &r.Messages[p.message].Content[0] {
		m.Content = append([]ir.Content(nil), m.Content...)
	}
	return &m.Content[p.block]
}

// noInput replaces cleared arguments.
const noInput = ir.Raw(`{}`)

// nothing returns the content of a cleared result.
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
