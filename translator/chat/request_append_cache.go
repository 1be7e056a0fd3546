package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// plainBreakpoint is a breakpoint without ttl.
const plainBreakpoint = `,"cache_control":{"type":"ephemeral"}`

// keeps reports whether the upstream takes breakpoints. Then all texts of the system and the user
// are parts, in each turn: the prompt stays the same when its breakpoints move.
func (w *requestWriter) keeps() bool {
	return w.Target.Caching == ir.FullCaching || w.Target.Caching == ir.AutoCaching
}

// breakpoint writes cache_control for the value v that the client has given it, "" for none: its
// type and its ttl, which is all that OpenRouter documents ("Prompt Caching"). Parts of messages
// and tools have it, and messages of the assistant and of tools, as OpenRouter's own provider for
// the AI SDK writes them. More than four are the client's mistake.
func (w *requestWriter) breakpoint(v ir.Raw) {
	if v == "" || !w.keeps() {
		return
	}
	w.Raw(plainBreakpoint)
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() != "ttl" {
			continue
		}
		if ttl := r.Value(); ttl == `"5m"` || ttl == `"1h"` {
			w.Dst = w.Dst[:len(w.Dst)-1]
			w.Raw(`,"ttl":`)
			w.Raw(string(ttl))
			w.Raw(`}`)
		}
	}
}

// messageBreakpoint writes cache_control of a message of the assistant's: that of the last block
// that has one.
func (w *requestWriter) messageBreakpoint(content []ir.Content) {
	for i := len(content) - 1; i >= 0; i-- {
		if content[i].Cache != "" {
			w.breakpoint(content[i].Cache)
			return
		}
	}
}

// endTurn notes where a turn of the user's ends that has been written, before one of the assistant's.
func (w *requestWriter) endTurn() {
	if w.turnEnd > 0 {
		w.turns[0], w.turns[1] = w.turns[1], w.turnEnd
		w.turnEnd = 0
	}
}

// placeInTurns sets a breakpoint at the end of each of the last two turns of the user: the upstream
// has kept the prompt up to the first one in the turn before, and keeps it up to the second one for
// the next.
func (w *requestWriter) placeInTurns() {
	w.endTurn()
	w.place(w.turns[1])
	w.place(w.turns[0])
}

// place sets a breakpoint in the part, message or tool whose closing brace is at index end of Dst;
// 0 is none.
func (w *requestWriter) place(end int) {
	if w.caches && end > 0 {
		w.Insert(end, plainBreakpoint)
	}
}
