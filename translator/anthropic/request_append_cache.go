package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// plainBreakpoint is a breakpoint without ttl: servers other than Anthropic's refuse a ttl (FAULTS 87).
const plainBreakpoint = `,"cache_control":{"type":"ephemeral"}`

// breakpoint writes cache_control, with the value v that the client has given it, as far as the
// upstream takes it (Messages API, "Prompt caching"). "" is no breakpoint. The API takes four; more
// are written too, and Anthropic refuses them as it would without this service.
func (w *requestWriter) breakpoint(v ir.Raw) {
	switch {
	case v == "" || w.Target.Caching == ir.NoCaching:
	case w.Target.Caching == ir.PlainCaching:
		w.Raw(plainBreakpoint)
	default:
		w.Raw(`,"cache_control":`)
		w.Raw(string(v))
	}
}

// object writes a block or a tool as it stands, whose cache_control is v, "" for none. An upstream
// that does not take the breakpoint as it is gets one without ttl in its place, or null, which is
// none.
func (w *requestWriter) object(whole, v ir.Raw) {
	other := ""
	switch {
	case v == "":
	case w.Target.Caching == ir.NoCaching:
		other = `null`
	case w.Target.Caching == ir.PlainCaching:
		other = `{"type":"ephemeral"}`
	}
	done := 0
	if other != "" {
		r := jsonr.NewReader(string(whole))
		for r.OpenObject(); r.Member(); {
			if r.Key() == "cache_control" {
				w.Raw(string(whole[done:r.Offset()]))
				w.Raw(other)
				r.Value()
				done = r.Offset()
			}
		}
	}
	w.Raw(string(whole[done:]))
}

// endTurn notes where the last block of a message of the user's ends, before the message is closed.
// Any block of such a message can have a breakpoint.
func (w *requestWriter) endTurn() {
	if w.role == ir.User {
		w.turns[0], w.turns[1] = w.turns[1], len(w.Dst)-1
	}
}

// placeInTurns sets a breakpoint in each of the last two messages of the user. Up to the first one
// the upstream has kept the prompt in the turn before; up to the second it keeps the prompt for the
// next turn. With those behind the tools and the system prompt these are the four that the API
// allows.
func (w *requestWriter) placeInTurns() {
	w.place(w.turns[1])
	w.place(w.turns[0])
}

// place sets a breakpoint in the block or tool whose closing brace is at index end of Dst; 0 is
// none. What stands behind it moves, at most the last turn of a request.
func (w *requestWriter) place(end int) {
	if w.caches && end > 0 {
		w.Insert(end, plainBreakpoint)
	}
}
