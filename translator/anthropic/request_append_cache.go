package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// plainBreakpoint is a breakpoint without ttl: servers other than Anthropic's reject a ttl (FAULTS
// 87).
const plainBreakpoint = `,"cache_control":{"type":"ephemeral"}`

// breakpoint writes cache_control with the client's value v, as far as the upstream accepts it
// (Messages API, "Prompt caching"). "" is no breakpoint. The API accepts four. If the client has
// more, all are written, and Anthropic rejects the request as it would without this service.
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

// object writes a block or a tool unchanged, except its cache_control v, "" for none. If the
// upstream does not accept the client's breakpoint, object replaces it with a breakpoint without
// ttl, or with null for none.
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

// endTurn notes the end of the last block of a user message, before the message is closed. Any
// block of a user message can have a breakpoint.
func (w *requestWriter) endTurn() {
	if w.role == ir.User {
		w.turns[0], w.turns[1] = w.turns[1], len(w.Dst)-1
	}
}

// placeInTurns sets a breakpoint in each of the last two user messages. In the previous turn the
// upstream cached the prompt up to the first of these breakpoints; for the next turn it caches the
// prompt up to the second. Together with the breakpoints after the tools and after the system
// prompt there are four, the API's maximum.
func (w *requestWriter) placeInTurns() {
	w.place(w.turns[1])
	w.place(w.turns[0])
}

// place sets a breakpoint in the block or tool with its closing brace at index end of Dst; 0 for
// none. place moves the bytes after end, at most the last turn of a request.
func (w *requestWriter) place(end int) {
	if w.caches && end > 0 {
		w.Insert(end, plainBreakpoint)
	}
}
