package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// family is what a block of the hub becomes in this API: an output item, and the family of stream events that report it.
type family uint8

const (
	noFamily        family = iota
	textFamily             // message with one output_text part
	refusalFamily          // message with one refusal part
	reasoningFamily        // reasoning, with one summary part where there is a text
	functionFamily         // function_call
	customFamily           // custom_tool_call
	objectFamily           // the call of a tool that the API has a type for, as shell_call: it has an object in place of a text
	searchFamily           // web_search_call
	opaqueFamily           // an item that is written whole: one that an upstream of this API sent, or the call of a tool that another one ran
)

// itemWriter writes the output items of one answer, for a stream and for a plain body. Each item is written once, in out: the
// deltas of the open item are appended as they come. What a stream repeats (the done events, the output of the whole response)
// are copies of out.
type itemWriter struct {
	request  *ir.Request
	model    ir.Escaped
	id       ir.Escaped // of the response
	stem     ir.Escaped // the part of the response's id that the ids of its items hold
	created  int64      // seconds since 1970
	out      []byte     // the items, separated by commas; in a plain body, what stands in front of them too
	first    int        // where the items begin in out
	whole    int        // where the items that are complete end in out
	count    int64      // how many items are complete
	refused  bool       // there was a refusal in words
	withheld []withheld // see Keep.Hide

	tools map[ir.Escaped]*ir.Tool // those of the request that no search has found, once there was a search

	// The open item.
	family     family
	redacted   bool       // reasoningFamily: the block is redacted
	item       int        // where the item begins in out
	lead       int        // the end, in out, of what response.output_item.added shows of the item
	part       int        // where its part begins
	text       int        // where its text begins
	begun      bool       // its part has begun, its arguments are not blank, or it has a source
	itemID     []byte     //
	upstreamID []byte     // reasoningFamily: the upstream's id of the item
	tool       ir.Escaped // objectFamily: the type of the tool
	held       []byte     // objectFamily: the arguments so far; reasoningFamily: what becomes encrypted_content
	citations  openai.Citations
}

// open begins the item of a block. "status" is written last, so output_item.added and output_item.done share all bytes in front of it.
func (w *itemWriter) open(ev *ir.Event) {
	w.begun, w.held = false, w.held[:0]
	w.citations.Begin(0)
	w.item, w.lead = len(w.out), len(w.out)
	if ev.Block >= ir.HostedBlock { // written at its one delta
		w.family = opaqueFamily
		return
	}
	w.separate()
	switch ev.Block {
	case ir.TextBlock:
		w.family = textFamily
		w.begin("msg_", `"message","role":"assistant","content":[`)
		w.beginPart(`{"type":"output_text","text":"`)
	case ir.RefusalBlock:
		w.family, w.refused = refusalFamily, true
		w.begin("msg_", `"message","role":"assistant","content":[`)
		w.beginPart(`{"type":"refusal","refusal":"`)
	case ir.ReasoningBlock, ir.RedactedBlock:
		w.family, w.redacted = reasoningFamily, ev.Block == ir.RedactedBlock
		w.upstreamID = append(w.upstreamID[:0], ev.ID...)
		w.begin("rs_", `"reasoning","summary":[`)
	case ir.ToolCallBlock:
		w.openCall(ev)
	case ir.CustomToolCallBlock:
		w.family = customFamily
		w.begin("ctc_", `"custom_tool_call"`)
		w.callee(ev, `,"input":"`)
	case ir.WebSearchBlock:
		w.family = searchFamily
		w.begin("ws_", `"web_search_call","action":{"type":"search","query":"`)
	}
}

// raw appends s to the items. It is not inlined, nor is the function raw: each has dozens of callers, and inlined they make the
// module larger.
//
//go:noinline
func (w *itemWriter) raw(s string) { w.out = append(w.out, s...) }

// raw appends s.
//
//go:noinline
func raw(dst []byte, s string) []byte { return append(dst, s...) }

// separate puts a comma in front of all items but the first.
func (w *itemWriter) separate() {
	if w.count > 0 {
		w.out = append(w.out, ',')
	}
	w.item = len(w.out)
}

// beginPart begins the part of the open item.
func (w *itemWriter) beginPart(lead string) {
	w.begun, w.part = true, len(w.out)
	w.raw(lead)
	w.text = len(w.out)
}

// begin appends an item up to lead, which begins with its type. The id of an item is PREFIX_STEM_N.
func (w *itemWriter) begin(prefix, lead string) {
	if prefix == "rs_" && w.keepsUpstreamID() {
		w.itemID = append(w.itemID[:0], w.upstreamID...)
	} else {
		w.itemID = append(w.itemID[:0], prefix...)
		w.itemID = append(w.itemID, w.stem...)
		w.itemID = jsonw.AppendIntMember(w.itemID, "_", w.count)
	}
	w.out = jsonw.AppendTextMember(w.out, `{"id":`, jsonw.View(w.itemID))
	w.raw(`,"type":`)
	w.raw(lead)
	w.lead, w.text = len(w.out), len(w.out)
}

// add takes a delta of the open item.
func (w *itemWriter) add(ev *ir.Event) {
	switch ev.Delta {
	case ir.SignatureDelta:
		if w.family == reasoningFamily {
			w.sign(ev)
		}
		return
	case ir.CitationDelta:
		w.cite(ev.Citation)
		return
	case ir.HostedDelta:
		w.hosted(ev.Hosted, func() { w.close() })
		return
	case ir.OpaqueDelta:
		if w.family == opaqueFamily {
			w.separate()
			w.out = jsonw.AppendFlat(w.out, ev.Raw)
			w.lead = len(w.out)
		}
		return
	}
	switch w.family {
	case objectFamily:
		w.held = append(w.held, ev.Text...)
		return
	case reasoningFamily:
		if !w.begun {
			w.beginPart(`{"type":"summary_text","text":"`)
		}
	case functionFamily:
		w.begun = w.begun || !jsonr.IsBlank(ev.Text)
	case opaqueFamily:
		return
	}
	w.raw(string(ev.Text))
}

// complete ends the text or the object of the open item. It returns what the deltas did not bring: {} for a function's call
// without arguments.
func (w *itemWriter) complete() ir.Escaped {
	switch {
	case w.family == functionFamily && !w.begun:
		w.raw("{}")
		return "{}"
	case w.family == objectFamily:
		w.appendObject()
		jsonw.Flatten(w.out[w.item:])
		w.lead = len(w.out)
	}
	return ""
}

// closePart ends the part of the open item, where it has one.
func (w *itemWriter) closePart() {
	if w.begun {
		w.out = w.appendPartEnd(w.out, w.textEnd())
	}
}

// appendPartEnd appends what follows the text of the open item's part. end is what textEnd returns.
func (w *itemWriter) appendPartEnd(dst []byte, end int64) []byte {
	switch w.family {
	case textFamily:
		dst = raw(dst, `","annotations":[`)
		dst = w.citations.Append(dst, end, annotationLead, annotationTail)
		return raw(dst, `],"logprobs":[]}`)
	case refusalFamily, reasoningFamily:
		return raw(dst, `"}`)
	}
	return dst
}

// close ends the open item. It reports whether there is one: a ServerToolBlock without its delta is none.
func (w *itemWriter) close() bool {
	if w.family == opaqueFamily {
		if w.lead == w.item {
			return false
		}
	} else {
		w.withhold()
		w.out = w.appendItemEnd(w.out, "completed")
	}
	w.count, w.whole = w.count+1, len(w.out)
	return true
}

// appendItemEnd appends what follows the parts or the text of the open item.
func (w *itemWriter) appendItemEnd(dst []byte, status string) []byte {
	switch w.family {
	case textFamily, refusalFamily:
		dst = append(dst, ']')
	case reasoningFamily:
		dst = raw(dst, encryptedMember)
		if len(w.held) == 0 || w.hides() {
			dst = raw(dst, "null")
		} else {
			dst = jsonw.AppendEscaped(dst, jsonw.View(w.held))
		}
	case functionFamily, customFamily:
		dst = append(dst, '"')
	case searchFamily:
		if w.begun {
			dst = append(dst, ']')
		} else {
			dst = append(dst, '"')
		}
		dst = append(dst, '}')
	}
	dst = raw(dst, `,"status":"`)
	dst = raw(dst, status)
	return raw(dst, `"}`)
}
