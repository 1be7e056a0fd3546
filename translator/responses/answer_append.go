package responses

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

const maxUpstream = 64 // characters of an upstream's id of a reasoning item that is kept as it is

// family is what a block becomes, by the events that it has.
type family uint8

const (
	noFamily        family = iota
	textFamily             // a message with one part
	refusalFamily          // the same
	reasoningFamily        // with a part for its summary, where there is one
	functionFamily         // function_call
	customFamily           // custom_tool_call
	objectFamily           // the call of a tool that the API has a type for: it has an object, and no deltas
	searchFamily           // web_search_call
	opaqueFamily           // an item of the upstream's, which speaks this API too
)

// answer is what an encoder and a folder share. It writes the items of an answer, each once: the deltas of the open one go to the
// end of out as they come, so that what is said to be done, and the output of the whole response, are copies of it.
type answer struct {
	request  *ir.Request
	model    ir.Escaped
	id, stem ir.Escaped // of the response, and what the ids of its items hold of it
	created  int64

	out     []byte // the items, as the elements of output; for the folder, what stands in front of them too
	first   int    // where they begin
	whole   int    // where the complete ones end
	count   int64  // how many there are
	refused bool   // a refusal was shown
	hidden  []hidden

	// The open item.
	family     family
	redacted   bool
	item, lead int        // where it begins, and where what it has from its beginning ends
	part, text int        // where its part and the text of it begin
	begun      bool       // its part has begun, its arguments, or the list of what was found
	itemID     []byte     // its id
	upstream   []byte     // the upstream's id of it
	tool       ir.Escaped // the type of the tool that is called, where the API has one for it
	held       []byte     // its arguments, as long as they are no object, or its signature
	citations  []annotation
}

// open begins the item of a block. Its status comes last: up to there an item that has begun is the same as a complete one.
func (a *answer) open(ev *ir.Event) {
	a.begun, a.held, a.citations = false, a.held[:0], a.citations[:0]
	if ev.Block == ir.ServerToolBlock { // it comes whole
		a.family, a.item, a.lead = opaqueFamily, len(a.out), len(a.out)
		return
	}
	a.separate()
	switch ev.Block {
	case ir.TextBlock:
		a.family = textFamily
		a.begin("msg_", `"message","role":"assistant","content":[`)
		a.beginPart(`{"type":"output_text","text":"`)
	case ir.RefusalBlock:
		a.family, a.refused = refusalFamily, true
		a.begin("msg_", `"message","role":"assistant","content":[`)
		a.beginPart(`{"type":"refusal","refusal":"`)
	case ir.ReasoningBlock, ir.RedactedBlock:
		a.family, a.redacted = reasoningFamily, ev.Block == ir.RedactedBlock
		a.upstream = append(a.upstream[:0], ev.ID...)
		a.begin("rs_", `"reasoning","summary":[`)
	case ir.ToolCallBlock:
		a.openCall(ev)
	case ir.CustomToolCallBlock:
		a.family = customFamily
		a.begin("ctc_", `"custom_tool_call"`)
		a.callee(ev, `,"input":"`)
	case ir.WebSearchBlock:
		a.family = searchFamily
		a.begin("ws_", `"web_search_call","action":{"type":"search","query":"`)
	}
}

// raw appends s to the items as it stands. It and the next are called from everywhere, and large where they are inlined.
//
//go:noinline
func (a *answer) raw(s string) { a.out = append(a.out, s...) }

// raw appends s as it stands.
//
//go:noinline
func raw(dst []byte, s string) []byte { return append(dst, s...) }

// literal appends a JSON string literal.
//
//go:noinline
func literal(dst []byte, e ir.Escaped) []byte { return jsonw.AppendEscaped(dst, e) }

// separate puts a comma in front of all items but the first.
func (a *answer) separate() {
	if a.count > 0 {
		a.out = append(a.out, ',')
	}
	a.item = len(a.out)
}

// beginPart begins the part of an item.
func (a *answer) beginPart(lead string) {
	a.begun, a.part = true, len(a.out)
	a.raw(lead)
	a.text = len(a.out)
}

// begin appends an item up to behind its type.
func (a *answer) begin(prefix, lead string) {
	if prefix == "rs_" && a.isUpstreamsOwn() {
		a.itemID = append(a.itemID[:0], a.upstream...)
	} else {
		a.itemID = append(a.itemID[:0], prefix...)
		a.itemID = append(a.itemID, a.stem...)
		a.itemID = append(a.itemID, '_')
		a.itemID = strconv.AppendInt(a.itemID, a.count, 10)
	}
	a.raw(`{"id":"`)
	a.out = append(a.out, a.itemID...)
	a.raw(`","type":`)
	a.raw(lead)
	a.lead, a.text = len(a.out), len(a.out)
}

// add takes a delta of the open item.
func (a *answer) add(ev *ir.Event) {
	switch ev.Delta {
	case ir.SignatureDelta:
		if a.family == reasoningFamily {
			a.sign(ev)
		}
		return
	case ir.CitationDelta:
		a.cite(ev.Citation)
		return
	case ir.OpaqueDelta:
		if a.family == opaqueFamily {
			a.separate()
			a.out = jsonw.AppendFlat(a.out, ev.Raw)
			a.lead = len(a.out)
		}
		return
	}
	switch a.family {
	case objectFamily:
		a.held = append(a.held, ev.Text...)
		return
	case reasoningFamily:
		if !a.begun {
			a.beginPart(`{"type":"summary_text","text":"`)
		}
	case functionFamily:
		a.begun = a.begun || !jsonr.IsBlank(ev.Text)
	case opaqueFamily:
		return
	}
	a.raw(string(ev.Text))
}

// complete ends what the deltas have added up to. It returns what they lack: the arguments of a call that has none.
func (a *answer) complete() ir.Escaped {
	switch {
	case a.family == functionFamily && !a.begun:
		a.raw("{}")
		return "{}"
	case a.family == objectFamily:
		a.appendObject()
		jsonw.Flatten(a.out[a.item:])
		a.lead = len(a.out)
	}
	return ""
}

// closePart ends the part of the open item, where it has one.
func (a *answer) closePart() {
	if a.begun {
		a.out = a.appendPartEnd(a.out, a.characters())
	}
}

// appendPartEnd appends what follows the text of the open item's part, which has so many characters.
func (a *answer) appendPartEnd(dst []byte, characters int64) []byte {
	switch a.family {
	case textFamily:
		dst = raw(dst, `","annotations":[`)
		for i := range a.citations {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = a.citations[i].append(dst, characters)
		}
		return raw(dst, `],"logprobs":[]}`)
	case refusalFamily, reasoningFamily:
		return raw(dst, `"}`)
	}
	return dst
}

// close ends the open item and reports whether there is one: what comes whole may not have come.
func (a *answer) close() bool {
	if a.family == opaqueFamily {
		if a.lead == a.item {
			return false
		}
	} else {
		a.hide()
		a.out = a.appendItemEnd(a.out, "completed")
	}
	a.count, a.whole = a.count+1, len(a.out)
	return true
}

// appendItemEnd appends what follows the parts or the text of the open item.
func (a *answer) appendItemEnd(dst []byte, status string) []byte {
	switch a.family {
	case textFamily, refusalFamily:
		dst = append(dst, ']')
	case reasoningFamily:
		dst = raw(dst, encryptedMember)
		if len(a.held) == 0 || a.hides() {
			dst = raw(dst, "null")
		} else {
			dst = literal(dst, jsonw.View(a.held))
		}
	case functionFamily, customFamily:
		dst = append(dst, '"')
	case searchFamily:
		if a.begun {
			dst = raw(dst, `]}`)
		} else {
			dst = raw(dst, `"}`)
		}
	}
	dst = raw(dst, `,"status":"`)
	dst = raw(dst, status)
	return raw(dst, `"}`)
}
