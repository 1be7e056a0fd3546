package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// plainBreakpoint is one that all servers take, as a member behind others.
const plainBreakpoint = `,"cache_control":{"type":"ephemeral"}`

// breakpoint writes the one that the client has set on what is being written, as far as the upstream takes it (Messages API,
// "Prompt caching"). More than four are the vendor's to refuse, as it would without anyone between.
// It is not inlined for the size of the module.
//
//go:noinline
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

// object writes a block or a tool that goes as it stands, but for its breakpoint v where the upstream does not take that so: null is
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

// endTurn notes where the last block of a message ends, before the message does: in one of the user's any block can have a
// breakpoint.
func (w *requestWriter) endTurn() {
	if w.role == ir.User {
		w.turns[0], w.turns[1] = w.turns[1], len(w.Dst)-1
	}
}

// placeInTurns gives the last two user messages a breakpoint each: the upstream reads what it kept up to the one in the turn
// before, and keeps what it will read in the next. With those of the tools and the prompt that is all that the API allows.
func (w *requestWriter) placeInTurns() {
	w.place(w.turns[1])
	w.place(w.turns[0])
}

// place gives the block or tool that ends at a place in dst a breakpoint. What stands behind it, in a request at most its last turn,
// makes room. It is not inlined for the size of the module.
//
//go:noinline
func (w *requestWriter) place(end int) {
	if !w.caches || end == 0 {
		return
	}
	w.Raw(plainBreakpoint)
	copy(w.Dst[end+len(plainBreakpoint):], w.Dst[end:])
	copy(w.Dst[end:], plainBreakpoint)
}
