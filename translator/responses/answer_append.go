package responses

import (
	"edgelingua/translator/grow"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// family is what a block of the hub becomes in this API: an output item, and the stream events that
// report the item.
type family uint8

const (
	noFamily        family = iota
	textFamily             // message whose open part is an output_text
	refusalFamily          // message whose open part is a refusal
	reasoningFamily        // reasoning, with one summary part if there is any text
	functionFamily         // function_call
	customFamily           // custom_tool_call
	// the call of a tool with an item type of its own, such as shell_call: it has an object instead
	// of a text
	objectFamily
	searchFamily // web_search_call
	// an item written whole: from an upstream of this API, or the call of a tool run by an upstream
	// of a different API
	opaqueFamily
)

// itemWriter writes the output items of one answer, for a stream and for a plain body. Each item is
// written once, in out: the deltas of the open item are appended as they arrive. Everything
// repeated in a stream (the done events, the output of the whole response) is copied from out.
type itemWriter struct {
	request  *ir.Request
	model    ir.Escaped
	id       ir.Escaped // of the response
	stem     ir.Escaped // the part of the response's id that its items' ids contain
	created  int64      // seconds since 1970
	tier     ir.Tier
	out      []byte     // the items, separated by commas; in a plain body, also everything before them
	first    int        // where the items begin in out
	whole    int        // where the last complete item ends in out
	count    int64      // how many items are complete
	refused  bool       // the model refused in words
	called   bool       // the model called a client's tool
	withheld []withheld // see AnswerCopy.Hide

	// the request's tools not yet found by a search; nil before the first search
	tools map[ir.Escaped]*ir.Tool

	// The open item. It stays open after the end of its block. The next event decides whether it
	// gets a further part, is complete, or was cut.
	isOpen     bool
	ended      bool // the item's block has ended
	family     family
	phase      ir.Phase   // of a message
	parts      int64      // of a message: how many parts precede the open part
	redacted   bool       // reasoningFamily: the block is redacted
	item       int        // start of the item in out
	lead       int        // end, in out, of the item's beginning shown in response.output_item.added
	part       int        // start of the open part in out
	text       int        // start of the text in out
	failed     bool       // searchFamily: the search has failed
	begun      bool       // the part has begun, the arguments are not blank, or the search has a source
	itemID     []byte     // the id of the item
	upstreamID []byte     // reasoningFamily: the upstream's id of the item
	tool       ir.Escaped // objectFamily: the type of the tool
	// objectFamily: the arguments so far; reasoningFamily: the future encrypted_content
	held      []byte
	citations openai.Citations
	logprobs  openai.Logprobs
}

// isPart reports whether the block starting with ev becomes a further part of the open message.
func (w *itemWriter) isPart(ev *ir.Event) bool {
	return w.isOpen && w.ended && (w.family == textFamily || w.family == refusalFamily) &&
		(ev.Block == ir.TextBlock || ev.Block == ir.RefusalBlock) && !ev.NewMessage
}

// open begins the item of a block, or a further part of the open message. "status" is written last:
// output_item.added and output_item.done then share all bytes before it.
func (w *itemWriter) open(ev *ir.Event) {
	if w.isPart(ev) {
		w.ended = false
		w.parts++
		w.out = append(w.out, ',')
		w.openPart(ev.Block)
		return
	}
	w.isOpen, w.ended, w.parts, w.phase = true, false, 0, ev.Phase
	w.begun, w.failed, w.held = false, false, w.held[:0]
	w.citations.Begin(0)
	w.item, w.lead = len(w.out), len(w.out)
	if ev.Block >= ir.HostedBlock { // written at its only delta
		w.family = opaqueFamily
		return
	}
	w.separate()
	switch ev.Block {
	case ir.TextBlock, ir.RefusalBlock:
		w.begin("msg_", `"message","role":"assistant","content":[`)
		w.openPart(ev.Block)
	case ir.ReasoningBlock, ir.RedactedBlock:
		w.family, w.redacted = reasoningFamily, ev.Block == ir.RedactedBlock
		w.upstreamID = append(w.upstreamID[:0], ev.ID...)
		w.begin("rs_", `"reasoning","summary":[`)
	case ir.ToolCallBlock:
		w.called = true
		w.openCall(ev)
	case ir.CustomToolCallBlock:
		w.called, w.family = true, customFamily
		w.begin("ctc_", `"custom_tool_call"`)
		w.callee(ev, `,"input":"`)
	case ir.WebSearchBlock:
		w.family = searchFamily
		w.begin("ws_", `"web_search_call","action":{"type":"search","query":"`)
	}
}

// raw appends s to the items. Neither raw is inlined: each has dozens of callers, and inlining
// makes the module larger.
//
//go:noinline
func (w *itemWriter) raw(s string) { w.out = append(w.out, s...) }

// raw appends s.
//
//go:noinline
func raw(dst []byte, s string) []byte { return append(dst, s...) }

// separate puts a comma before each item except the first.
func (w *itemWriter) separate() {
	if w.count > 0 {
		w.out = append(w.out, ',')
	}
	w.item = len(w.out)
}

// openPart begins a part of the open message.
func (w *itemWriter) openPart(block ir.BlockKind) {
	w.citations.Begin(0)
	w.logprobs.Begin()
	if block == ir.TextBlock {
		w.family = textFamily
		w.beginPart(`{"type":"output_text","text":"`)
		return
	}
	w.family, w.refused = refusalFamily, true
	w.beginPart(`{"type":"refusal","refusal":"`)
}

// beginPart begins the part of the open item.
func (w *itemWriter) beginPart(lead string) {
	w.begun, w.part = true, len(w.out)
	w.raw(lead)
	w.text = len(w.out)
}

// begin appends the beginning of an item, including lead, which starts with the item's type. The id
// is PREFIX_STEM_N.
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

// addHosted writes a call run by the upstream. It is a function of its own because a function whose
// closure captures w allocates memory at each call.
func (w *itemWriter) addHosted(h *ir.Hosted) { w.hosted(h, func() { w.close(onward) }) }

// add adds a delta to the open item.
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
		w.addHosted(ev.Hosted)
		return
	case ir.LogprobsDelta:
		w.logprobs.Add(ev.Raw, "[]")
		return
	case ir.SummaryDelta:
		w.separate()
		w.begin("cmp_", `"compaction","encrypted_content":"`)
		w.raw(string(ev.Envelope))
		w.raw(`"}`)
		w.lead = len(w.out)
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
	w.out = append(grow.Room(w.out, len(ev.Text)), ev.Text...)
}

// end handles the end of the open block.
func (w *itemWriter) end(ev *ir.Event) {
	w.ended, w.failed = true, ev.Code != ""
	if ev.Phase != ir.NoPhase {
		w.phase = ev.Phase
	}
}

// complete ends the text or the object of the open item. It returns text missing from the deltas:
// {} for a function call without arguments, unless the call was cut.
func (w *itemWriter) complete(e ending) ir.Escaped {
	switch {
	case w.family == functionFamily && !w.begun && e != cut:
		w.raw("{}")
		return "{}"
	case w.family == objectFamily:
		w.appendObject()
		jsonw.Flatten(w.out[w.item:])
		w.lead = len(w.out)
	}
	return ""
}

// closePart ends the part of the open item, if it has one.
func (w *itemWriter) closePart() {
	if w.begun {
		w.out = w.appendPartEnd(w.out, w.textEnd())
	}
}

// appendPartEnd appends the rest of the open item's part, after its text. end is the result of
// textEnd.
func (w *itemWriter) appendPartEnd(dst []byte, end int64) []byte {
	switch w.family {
	case textFamily:
		dst = raw(dst, `","annotations":[`)
		dst = w.citations.Append(dst, end, annotationLead, annotationTail)
		return raw(append(raw(dst, `],"logprobs":[`), w.logprobs.All()...), `]}`)
	case refusalFamily, reasoningFamily:
		return raw(dst, `"}`)
	}
	return dst
}

// ending is how the open item ends.
type ending uint8

const (
	onward ending = iota // the answer continues after the item
	last                 // the last item of a complete answer
	// the last item of an answer cut by a limit, a filter or a failure: it may be incomplete
	cut
)

// close ends the open item. It returns false if there is no item: a ServerToolBlock without its
// delta writes nothing.
func (w *itemWriter) close(e ending) bool {
	w.isOpen = false
	if w.family == opaqueFamily {
		if w.lead == w.item {
			return false
		}
	} else {
		w.signUnsigned()
		w.judge(e)
		w.withhold()
		w.out = w.appendItemEnd(w.out, w.status(e))
	}
	w.count, w.whole = w.count+1, len(w.out)
	return true
}

// judge sets the phase of the open message, unless the upstream has set one. The last message of an
// answer without tool calls is the final answer. requestWriter.phase applies the same rule to the
// history.
func (w *itemWriter) judge(e ending) {
	switch {
	case w.phase != ir.NoPhase || e == cut:
	case e == last && !w.called:
		w.phase = ir.FinalAnswer
	default:
		w.phase = ir.Commentary
	}
}

// status returns the final status of an item. Searches and apply_patch_calls can't be "incomplete"
// (API reference, "The response object", output).
func (w *itemWriter) status(e ending) string {
	switch {
	case w.family == searchFamily && (w.failed || e == cut && !w.ended):
		return "failed"
	case e != cut || w.family == searchFamily:
		return "completed"
	case w.family == objectFamily && w.tool == applyPatch:
		return "in_progress"
	}
	return "incomplete"
}

// isCall reports whether the open item is a call run by the client.
func (w *itemWriter) isCall() bool {
	return w.family == functionFamily || w.family == customFamily || w.family == objectFamily
}

// appendItemEnd appends the rest of the open item, after its parts or its text.
func (w *itemWriter) appendItemEnd(dst []byte, status string) []byte {
	switch w.family {
	case textFamily, refusalFamily:
		dst = appendPhase(append(dst, ']'), w.phase)
	case reasoningFamily:
		dst = append(dst, ']')
		if len(w.held) > 0 && !w.hides() {
			dst = jsonw.AppendTextMember(dst, encryptedMember, jsonw.View(w.held))
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
