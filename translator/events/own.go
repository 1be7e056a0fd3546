package events

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxOwn bounds the bytes of an answer's own members, and of its own usage.
const maxOwn = 16 << 10

// own is the part of an answer for clients of the upstream's own API only: see ir.Event.
type own struct {
	members []byte
	usage   []byte
}

// reported names the members reported as lost to clients of other APIs. All others only repeat the
// request, or come from servers with members unknown to any SDK.
const reported = " diagnostics system_fingerprint moderation prompt_cache_diagnostics modelStatus" +
	" continuation_token continuation_ids "

// Own notes r's current member, unless the value asks for nothing. Streams repeat members: the first
// one counts. written lists, between blanks, the members written by the API's encoder and those that
// repeat the request. own: the client speaks the upstream's API. For other clients the member is lost.
//
//go:noinline
func (w *Writer) Own(own bool, written string, r *jsonr.Reader, lost *ir.Lost) {
	key := r.Key()
	if isAmong(written, key) {
		return
	}
	if !own {
		if isAmong(reported, key) {
			lost.AddMember("", r)
		}
		return
	}
	value := r.Value()
	there, _, _ := jsonr.LastMember(string(jsonw.View(w.own.members)), key)
	switch {
	case there != "" || !jsonr.Asks(value):
	case len(w.own.members)+len(key)+len(value) > maxOwn:
		lost.AddNamed("", ir.Escaped(key))
	default:
		comma := byte(',')
		if len(w.own.members) == 0 {
			comma = '{'
		}
		dst := append(jsonw.AppendString(append(w.own.members, comma), key), ':')
		w.own.members = jsonw.AppendFlat(dst, value)
	}
}

// isAmong reports whether a list of names has key, without allocating: Own is called for every event.
func isAmong(names, key string) bool {
	for names != "" {
		name, others, _ := strings.Cut(names, " ")
		if name == key {
			return true
		}
		names = others
	}
	return false
}

// OwnUsage notes the upstream's usage. In a stream the last one counts.
//
//go:noinline
func (w *Writer) OwnUsage(v ir.Raw, lost *ir.Lost) {
	switch {
	case jsonr.KindOf(v) != jsonr.Object:
	case len(v) > maxOwn:
		lost.Add("usage")
	default:
		w.own.usage = jsonw.AppendFlat(w.own.usage[:0], v)
	}
}

// AddUsage is OwnUsage for a usage that completes an earlier one.
//
//go:noinline
func (w *Writer) AddUsage(v ir.Raw, lost *ir.Lost) {
	earlier := ir.Raw(jsonw.View(w.own.usage))
	w.own.usage = nil
	if w.OwnUsage(v, lost); len(w.own.usage) == 0 {
		w.own.usage = []byte(earlier)
	}
	w.own.usage = ir.AppendMissing(w.own.usage, 0, earlier)
}

// TakeOwn takes over the own part of another Writer's event.
//
//go:noinline
func (w *Writer) TakeOwn(ev *ir.Event) { w.own = own{[]byte(ev.Own), []byte(ev.OwnUsage)} }
