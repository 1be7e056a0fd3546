package responses

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// place returns the item and the part that an event is about; they begin with it where they did not before. -1 after a failure,
// and for what comes behind the item's end.
func (o *outputItems) place(ev *streamEvent, kind itemKind, pk partKind) (n, p int) {
	if n = o.find(ev.index, ev.id, kind); n < 0 {
		if kind == customItem {
			return -1, -1 // of a tool that the upstream runs, unless its item says otherwise when it is done
		}
		if n = o.add(kind, ev.index, ev.id); n < 0 {
			return -1, -1
		}
	}
	switch {
	case !o.list[n].done:
		return n, o.part(n, pk, ev.part)
	case ev.delta == "": // what is done once more
	case pk == inputPart:
		o.d.fail(failure.Unreadable("arguments of a tool call that was complete"))
	default:
		o.d.lost.add(lostText)
	}
	return n, -1
}

// find returns the last item of a kind that an event with an index and an id is about, -1 where there is none. Ids that change
// from event to event are common, and so are repeated indexes. Without both it is the last item.
func (o *outputItems) find(index int64, id ir.Escaped, kind itemKind) int {
	byIndex, byID := -1, -1
	for n := len(o.list) - 1; n >= 0; n-- {
		it := &o.list[n]
		if it.kind != kind {
			continue
		}
		sameID := id != "" && jsonw.View(it.id) == id
		switch {
		case index >= 0 && it.index == index:
			if sameID || id == "" || len(it.id) == 0 {
				return n
			}
			if !it.done {
				byIndex = max(byIndex, n)
			}
		case sameID:
			byID = max(byID, n)
		case index < 0 && id == "":
			return n
		}
	}
	if byIndex >= 0 {
		return byIndex
	}
	if byID >= 0 && (index < 0 || o.list[byID].index < 0 || !o.list[byID].done) {
		return byID
	}
	return -1
}

// add puts an item at the end of the queue and returns its place, -1 after a failure.
func (o *outputItems) add(kind itemKind, index int64, id ir.Escaped) int {
	o.d.begin("", "", "")
	if o.d.ended || !o.count() {
		return -1
	}
	o.list = append(o.list, outputItem{kind: kind, index: index, id: []byte(id)})
	return len(o.list) - 1
}

// count counts one more item, or part of one. It is false after a failure.
func (o *outputItems) count() bool {
	if o.blocks++; o.blocks > ir.MaxBlocks {
		o.d.fail(failure.TooManyBlocks())
		return false
	}
	return true
}

// part returns the place of a part in item n, which begins with it where it did not before; -1 after a failure. Without an index
// it is the last one of its kind.
func (o *outputItems) part(n int, kind partKind, index int64) int {
	it := &o.list[n]
	for p := len(it.parts) - 1; p >= 0; p-- {
		if c := &it.parts[p]; c.kind == kind && (index < 0 || c.index == index || kind == inputPart) {
			return p
		}
	}
	return o.addPart(n, kind, index)
}

// addPart puts a part at the end of item n and returns its place, -1 after a failure.
func (o *outputItems) addPart(n int, kind partKind, index int64) int {
	it := &o.list[n]
	if len(it.parts) > 0 && !o.count() {
		return -1
	}
	it.parts = append(it.parts, outputPart{kind: kind, index: max(index, 0)})
	return len(it.parts) - 1
}
