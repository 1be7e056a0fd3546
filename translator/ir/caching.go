package ir

import "edgelingua/translator/jsonr"

// Caching is how a Messages upstream is told up to where it may keep a prompt: by breakpoints, the members "cache_control".
type Caching uint8

const (
	PlainCaching Caching = iota // where the client says, without a ttl: FAULTS 87
	FullCaching                 // where and as the client says
	AutoCaching                 // the same, and for a client of another API that says nothing, where the next turn will go on
	NoCaching                   // nowhere
)

// Breakpoint returns the value of a "cache_control", which r stands before, as it stands, "" where it is none. It is not inlined
// for the size of the module.
//
//go:noinline
func Breakpoint(r *jsonr.Reader) Raw {
	if r.Kind() != jsonr.Object {
		return ""
	}
	return r.Value()
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

// setsBreakpoints looks at blocks, and at the parts of them, which have none themselves.
func setsBreakpoints(list []Content) bool {
	for i := range list {
		if list[i].Cache != "" || setsBreakpoints(list[i].Parts) {
			return true
		}
	}
	return false
}
