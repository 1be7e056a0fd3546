package events

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxOwn bounds the bytes of an answer's own members, and of its own usage.
const maxOwn = 16 << 10

// own has what an answer has for clients of the upstream's own API only: see ir.Event.
type own struct {
	members []byte
	usage   []byte
}

// reported has the members whose loss other clients hear of. The others only repeat the request, or
// come from servers whose members no SDK knows.
const reported = " diagnostics system_fingerprint moderation prompt_cache_diagnostics modelStatus" +
	" continuation_token continuation_ids "

// Own notes the member that r is at, if its value asks for something. Streams repeat members: the
// first one counts. written has the members that the API's encoder writes itself, or that repeat the
// request, between blanks. own says that the client speaks the upstream's API; for other clients the
// member is lost.
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

// isAmong reports whether a list of names has key. It allocates nothing, since Own is called for every
// event.
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

// TakeOwn takes what only clients of the upstream's own API read from another Writer's event.
//
//go:noinline
func (w *Writer) TakeOwn(ev *ir.Event) { w.own = own{[]byte(ev.Own), []byte(ev.OwnUsage)} }
