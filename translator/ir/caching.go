package ir

import "edgelingua/translator/jsonr"

// Caching says which cache breakpoints an upstream is sent. A breakpoint is a member
// "cache_control": the upstream caches the prompt up to there. Responses has no breakpoints.
type Caching uint8

const (
	// Messages: the client's breakpoints without their ttl, because servers other than Anthropic's
	// refuse the ttl (FAULTS 87). Chat: none
	PlainCaching Caching = iota
	FullCaching          // the client's breakpoints, unchanged
	// as FullCaching; if the client's API has no breakpoints, the request gets some of our own
	// (request_append_cache.go)
	AutoCaching
	NoCaching // no breakpoint
)

// Breakpoint returns the value of the member "cache_control" that r is at, as raw JSON. If the
// value is not an object, Breakpoint returns "" and leaves the value unread.
func Breakpoint(r *jsonr.Reader) Raw {
	if r.Kind() != jsonr.Object {
		return ""
	}
	return r.Value()
}

// PlacesBreakpoints reports whether a request to t gets breakpoints of our own.
func (r *Request) PlacesBreakpoints(t *Target) bool {
	return t.Caching == AutoCaching && !r.API.Breakpoints && !r.SetsBreakpoints()
}

// SetsBreakpoints reports whether the client has set breakpoints itself.
func (r *Request) SetsBreakpoints() bool {
	for i := range r.Tools {
		if r.Tools[i].Cache != "" {
			return true
		}
	}
	for i := range r.Messages {
		if setsBreakpoints(r.Messages[i].Content) {
			return true
		}
	}
	return r.Cache != ""
}

// setsBreakpoints also looks into the parts of the blocks in list; parts of parts don't exist.
func setsBreakpoints(list []Content) bool {
	for i := range list {
		if list[i].Cache != "" || setsBreakpoints(list[i].Parts) {
			return true
		}
	}
	return false
}
