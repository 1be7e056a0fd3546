package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// plainBreakpoint is a breakpoint without ttl.
const plainBreakpoint = `,"cache_control":{"type":"ephemeral"}`

// acceptsBreakpoints reports whether the upstream accepts breakpoints. If so, all texts of the system
// and the user are parts in each turn, and the prompt stays the same when its breakpoints move.
func (w *requestWriter) acceptsBreakpoints() bool {
	return w.Target.Caching == ir.FullCaching || w.Target.Caching == ir.AutoCaching
}

// breakpoint writes cache_control for the client's value v, "" for none. It writes only type and
// ttl, since OpenRouter documents no more ("Prompt Caching"). Parts of messages and tools have
// cache_control, and so do messages of the assistant and of tools, as OpenRouter's own provider for
// the AI SDK writes. More than four are the client's mistake.
func (w *requestWriter) breakpoint(v ir.Raw) {
	if v == "" || !w.acceptsBreakpoints() {
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

// messageBreakpoint writes cache_control of an assistant message, taken from the last block that
// has one.
func (w *requestWriter) messageBreakpoint(content []ir.Content) {
	for i := len(content) - 1; i >= 0; i-- {
		if content[i].Cache != "" {
			w.breakpoint(content[i].Cache)
			return
		}
	}
}

// endTurn notes the end of the user's written turn, before a turn of the assistant.
func (w *requestWriter) endTurn() {
	if w.turnEnd > 0 {
		w.turns[0], w.turns[1] = w.turns[1], w.turnEnd
		w.turnEnd = 0
	}
}

// placeInTurns sets a breakpoint at the end of each of the user's last two turns. The previous
// request cached the prompt up to the first breakpoint, and the next request reads the cache up to
// the second.
func (w *requestWriter) placeInTurns() {
	w.endTurn()
	w.place(w.turns[1])
	w.place(w.turns[0])
}

// place sets a breakpoint in the part, message or tool whose closing brace is at index end of Dst.
// 0 means none.
func (w *requestWriter) place(end int) {
	if w.caches && end > 0 {
		w.Insert(end, plainBreakpoint)
	}
}
