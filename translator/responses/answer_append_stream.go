package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
	"edgelingua/translator/sse"
)

// trap has its own id and sequence numbers, because the numbers of the stream it ends are unknown.
// No client compares them: the SDKs throw at the first event, and Codex reads only the error of the
// second.
const trap = "event: error\n" +
	`data: {"type":"error","sequence_number":0,"code":"server_error","message":"The translator failed.",` +
	`"param":null,"error":{"message":"The translator failed.","type":"server_error","param":null,` +
	`"code":"server_error"}}` + "\n\n" +
	"event: response.failed\n" +
	`data: {"type":"response.failed","sequence_number":1,"response":{"id":"resp_failed",` +
	`"object":"response","created_at":0,"model":"","output":[],"status":"failed","completed_at":null,` +
	`"error":{"code":"server_error","message":"The translator failed."},"incomplete_details":null,` +
	`"usage":null,"service_tier":"default","access_programs":null,"background":false,` +
	`"previous_response_id":null,"store":false,"frequency_penalty":0,"instructions":null,` +
	`"max_output_tokens":null,"max_tool_calls":null,"metadata":{},"parallel_tool_calls":true,` +
	`"presence_penalty":0,"prompt_cache_key":null,"reasoning":{"effort":null,"summary":null},` +
	`"safety_identifier":null,"temperature":1,"text":{"format":{"type":"text"}},"tool_choice":"auto",` +
	`"tools":[],"top_logprobs":0,"top_p":1,"truncation":"disabled"}}` + "\n\n"

// textEvents describes the events that report the text of an item. Families without a text have
// none.
type textEvents struct {
	delta, done        string // the events for a piece of the text, and for the whole text
	member             string // in done: the key of the text
	index              string // in both: the key of the part's index
	rest               string // in both: the bytes after the text
	partBegun, partEnd string // the events for the part; "" for a text without parts
}

var families = [...]textEvents{
	textFamily: {
		delta: "response.output_text.delta", done: "response.output_text.done", member: `,"text":"`,
		index: `,"content_index":`, rest: `","logprobs":[`,
		partBegun: "response.content_part.added", partEnd: "response.content_part.done",
	},
	refusalFamily: {
		delta: "response.refusal.delta", done: "response.refusal.done", member: `,"refusal":"`,
		index: `,"content_index":`, rest: `"`,
		partBegun: "response.content_part.added", partEnd: "response.content_part.done",
	},
	reasoningFamily: {
		delta: "response.reasoning_summary_text.delta", done: "response.reasoning_summary_text.done",
		member: `,"text":"`,
		index:  `,"summary_index":`, rest: `"`,
		partBegun: "response.reasoning_summary_part.added", partEnd: "response.reasoning_summary_part.done",
	},
	functionFamily: {
		delta: "response.function_call_arguments.delta", done: "response.function_call_arguments.done",
		member: `,"arguments":"`, rest: `"`,
	},
	customFamily: {
		delta: "response.custom_tool_call_input.delta", done: "response.custom_tool_call_input.done",
		member: `,"input":"`, rest: `"`,
	},
	opaqueFamily: {},
}

// encoder writes one streamed answer (API reference, "Streaming events"). It implements ir.Encoder.
// Each item gets all events of its family: Codex needs only the done events, openai's SDK the added
// ones, the AI SDK and LangChain the deltas.
type encoder struct {
	itemWriter
	sequence int64      // the number of the next event
	last     int64      // the number of the first event of the answer's end; 0 before the end
	unended  itemWriter // the state before the end
	// the beginning of the open item's delta events, up to their number; empty before the first
	// delta
	deltaLead []byte
	deltaMid  []byte // the bytes between number and text
	splices   *[]ir.Splice
}

// spliced is the minimum size, in bytes, of a text passed by reference (ir.Splice).
const spliced = 16 << 10

// SpliceInto implements ir.Splicer.
func (e *encoder) SpliceInto(list *[]ir.Splice) { e.splices = list }

// appendOut appends out[from:to]. A reference to out is safe, because bytes in out never change.
func (e *encoder) appendOut(dst []byte, from, to int) []byte {
	if e.splices == nil || to-from < spliced {
		return append(dst, e.out[from:to]...)
	}
	*e.splices = append(*e.splices, ir.Splice{At: len(dst), Text: e.out[from:to]})
	return dst
}

// AppendEvent appends the SSE events for ev.
func (e *encoder) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		return e.appendStart(dst, ev)
	case ir.BlockStart:
		return e.appendBlockStart(dst, ev)
	case ir.Delta:
		return e.appendDelta(dst, ev)
	case ir.BlockStop:
		e.end(ev)
	case ir.Finish:
		e.last, e.unended = e.sequence, e.itemWriter
		return e.appendFinish(e.appendItemStop(dst, e.endingOf(ev), false), ev)
	case ir.Failure:
		return e.appendFailure(dst, ev.Err)
	}
	return dst
}

// room returns dst with capacity for the end of the open item, which repeats the item's text three
// times, and for the end of the response, which repeats everything once. The module never frees
// memory, so a buffer that grows by doubling would waste all its earlier copies.
func (e *encoder) room(dst []byte) []byte {
	n := 3*(len(e.out)-e.item) + len(e.out)
	if n <= cap(dst)-len(dst) || e.splices != nil {
		return dst
	}
	grown := make([]byte, len(dst), len(dst)+n+n/16+4<<10)
	copy(grown, dst)
	return grown
}

// KeepAlive returns a comment line.
func (e *encoder) KeepAlive() string { return openai.KeepAlive }

// Trap returns the events of a failure.
func (e *encoder) Trap() string { return trap }

func (e *encoder) appendStart(dst []byte, ev *ir.Event) []byte {
	e.identify(ev)
	dst = e.appendResponse(dst, "response.created", &responseState{status: "in_progress", usage: ir.NoUsage})
	return e.appendResponse(dst, "response.in_progress", &responseState{status: "in_progress",
		usage: ir.NoUsage})
}

// appendName appends the beginning of an event: its name and number.
func (e *encoder) appendName(dst []byte, name string) []byte {
	return e.appendNumber(sse.AppendTyped(dst, name))
}

func (e *encoder) appendNumber(dst []byte) []byte {
	dst = jsonw.AppendIntMember(dst, `,"sequence_number":`, e.sequence)
	e.sequence++
	return dst
}

// appendItemName appends the beginning of an event about the open item.
//
//go:noinline
func (e *encoder) appendItemName(dst []byte, name string) []byte {
	return e.appendItemID(e.appendName(dst, name))
}

// appendItemID appends the index and id of the open item.
func (e *encoder) appendItemID(dst []byte) []byte {
	dst = jsonw.AppendIntMember(dst, `,"output_index":`, e.count)
	return jsonw.AppendTextMember(dst, `,"item_id":`, jsonw.View(e.itemID))
}

// appendEnd ends an event.
func appendEnd(dst []byte) []byte { return sse.AppendTail(append(dst, '}')) }

// appendResponse appends an event with the whole response in its current state, with all complete
// items.
func (e *encoder) appendResponse(dst []byte, name string, s *responseState) []byte {
	dst = raw(e.appendName(dst, name), `,"response":`)
	dst = e.appendOut(e.appendHead(dst), 0, e.whole)
	return appendEnd(e.appendTail(dst, s))
}

// appendBlockStart appends the end of the preceding item, and the beginning of an item and of its
// part, or of a further part of the open message. An item with an object instead of a text begins
// only when it is complete.
func (e *encoder) appendBlockStart(dst []byte, ev *ir.Event) []byte {
	isPart := e.isPart(ev)
	dst = e.appendItemStop(dst, onward, isPart)
	e.open(ev)
	e.deltaLead = e.deltaLead[:0]
	if isPart {
		return e.appendPartBegun(dst)
	}
	switch e.family {
	case textFamily, refusalFamily:
		return e.appendPartBegun(e.appendAdded(dst))
	case searchFamily:
		dst = appendEnd(e.appendItemName(e.appendAdded(dst), "response.web_search_call.in_progress"))
		return appendEnd(e.appendItemName(dst, "response.web_search_call.searching"))
	case objectFamily, opaqueFamily:
		return dst
	}
	return e.appendAdded(dst)
}

// appendAdded appends the event that begins the open item.
func (e *encoder) appendAdded(dst []byte) []byte {
	dst = e.appendWholeItem(dst, "response.output_item.added", e.count, e.lead)
	if e.family != opaqueFamily {
		dst = e.appendItemEnd(dst, "in_progress")
	}
	return appendEnd(dst)
}

// appendWholeItem appends an event with the last item, up to the offset end in out. index is the
// item's index in the output.
func (e *encoder) appendWholeItem(dst []byte, name string, index int64, end int) []byte {
	dst = jsonw.AppendIntMember(e.appendName(dst, name), `,"output_index":`, index)
	return e.appendOut(raw(dst, `,"item":`), e.item, end)
}

// appendPartBegun appends the event that begins the part of the open item.
func (e *encoder) appendPartBegun(dst []byte) []byte {
	dst = e.appendPart(dst, families[e.family].partBegun, e.text)
	return appendEnd(e.appendPartEnd(dst, 0))
}

// appendPart appends an event with the part of the open item, up to the offset end in out.
func (e *encoder) appendPart(dst []byte, name string, end int) []byte {
	dst = e.appendPartIndex(e.appendItemName(dst, name))
	return e.appendOut(raw(dst, `,"part":`), e.part, end)
}

// appendPartIndex appends the index of the part within the open item.
func (e *encoder) appendPartIndex(dst []byte) []byte {
	if key := families[e.family].index; key != "" {
		return jsonw.AppendIntMember(dst, key, e.parts)
	}
	return dst
}

// appendDelta appends the event of a text delta. Deltas of an item without a text are only
// buffered.
func (e *encoder) appendDelta(dst []byte, ev *ir.Event) []byte {
	if ev.Delta == ir.HostedDelta {
		return e.appendHostedDelta(dst, ev.Hosted)
	}
	begun := e.begun
	e.add(ev)
	if ev.Delta != ir.TextDelta || families[e.family].delta == "" {
		return dst
	}
	if e.family == reasoningFamily && !begun {
		dst = e.appendPartBegun(dst)
	}
	return e.appendText(dst, ev.Text)
}

// appendHostedDelta appends the item of a call run by the upstream. It is a function of its own
// because a function whose closure captures dst allocates memory at each call.
func (e *encoder) appendHostedDelta(dst []byte, h *ir.Hosted) []byte {
	e.hosted(h, func() { dst = e.appendItemStop(dst, onward, false) })
	return dst
}

// appendText appends the event for a piece of the open item's text.
func (e *encoder) appendText(dst []byte, text ir.Escaped) []byte {
	names := &families[e.family]
	if len(e.deltaLead) == 0 {
		e.deltaLead = sse.AppendTyped(e.deltaLead, names.delta)
		e.deltaMid = e.appendPartIndex(e.appendItemID(e.deltaMid[:0]))
		e.deltaMid = raw(e.deltaMid, `,"delta":"`)
	}
	dst = e.appendNumber(append(dst, e.deltaLead...))
	dst = append(dst, e.deltaMid...)
	dst = append(dst, text...)
	return appendEnd(e.appendRest(dst, e.logprobs.New()))
}

// appendRest appends the bytes after the text in an event. For the text of a message they include
// the log probabilities.
func (e *encoder) appendRest(dst, logprobs []byte) []byte {
	dst = raw(dst, families[e.family].rest)
	if e.family == textFamily {
		dst = append(append(dst, logprobs...), ']')
	}
	return dst
}

// appendItemStop appends the end of the open item, if any: of its text, of its part, and of the
// item itself, unless its message goesOn with a further part. A call that was cut gets no done
// events, because Codex 0.169 and the AI SDK run a call at response.output_item.done (Codex with
// any status). The final response lists the call as incomplete.
func (e *encoder) appendItemStop(dst []byte, how ending, goesOn bool) []byte {
	if !e.isOpen {
		return dst
	}
	if lacking := e.complete(how); lacking != "" {
		dst = e.appendText(dst, lacking)
	}
	if how == cut && e.isCall() {
		e.close(how)
		return dst
	}
	dst = e.room(dst)
	switch {
	case e.family == objectFamily, e.family == opaqueFamily && e.lead > e.item:
		dst = e.appendAdded(dst)
	case e.family == searchFamily && !e.failed && (how != cut || e.ended):
		dst = appendEnd(e.appendItemName(dst, "response.web_search_call.completed"))
	}
	if names := &families[e.family]; names.done != "" && (e.family != reasoningFamily || e.begun) {
		dst = e.appendAnnotations(dst)
		dst = e.appendPartIndex(e.appendItemName(dst, names.done))
		dst = e.appendOut(raw(dst, names.member), e.text, len(e.out))
		dst = appendEnd(e.appendRest(dst, e.logprobs.All()))
		e.closePart()
		if names.partEnd != "" {
			dst = appendEnd(e.appendPart(dst, names.partEnd, len(e.out)))
		}
	}
	if goesOn || !e.close(how) {
		return dst
	}
	return appendEnd(e.appendWholeItem(dst, "response.output_item.done", e.count-1, len(e.out)))
}

// appendAnnotations appends an event for each citation of the open text. The events follow the
// text's end, because some citations apply to the whole text.
func (e *encoder) appendAnnotations(dst []byte) []byte {
	end := e.textEnd()
	for i := range e.citations.Len() {
		dst = e.appendPartIndex(e.appendItemName(dst, "response.output_text.annotation.added"))
		dst = jsonw.AppendIntMember(dst, `,"annotation_index":`, int64(i))
		dst = e.citations.AppendOne(raw(dst, `,"annotation":`), i, end, annotationLead, annotationTail)
		dst = appendEnd(dst)
	}
	return dst
}

// appendFinish appends the end of an answer that ended without a failure. If the client has to
// submit outputs, it gets response.required_action, and then response.completed with an incomplete
// response, as from Tokligence Gateway.
func (e *encoder) appendFinish(dst []byte, ev *ir.Event) []byte {
	state := e.finished(ev)
	e.store(&state)
	if state.action == nil {
		return e.appendResponse(dst, "response."+state.status, &state)
	}
	dst = e.appendResponse(dst, "response.required_action", &state)
	dst = dst[:len(dst)-len(appendEnd(nil))]
	dst = append(raw(dst, `,"required_action":`), state.action...)
	return e.appendResponse(appendEnd(dst), "response.completed", &state)
}

// appendFailure appends the end of the cut item, then an error event, at which SDKs throw, and then
// the failed response, which Codex reads (FAULTS 39). The error event has all members twice: flat,
// as in the API reference, and in the object sent by OpenAI's own service. Without the object,
// openai 6 and LangChain 1.6 treat the answer as complete.
//
//go:noinline
func (e *encoder) appendFailure(dst []byte, err *ir.Error) []byte {
	if e.id == "" { // no Start has arrived
		dst = e.appendStart(dst, &ir.Event{})
	}
	if e.last > 0 { // the failure replaces the end
		e.sequence, e.itemWriter = e.last, e.unended
	}
	dst = e.appendItemStop(dst, cut, false)
	dst = raw(e.appendName(dst, "error"), `,"code":`)
	dst = openai.AppendStringOrNull(dst, openai.Code(err))
	dst = jsonw.AppendString(raw(dst, `,"message":`), openai.Message(err))
	dst = openai.AppendStringOrNull(raw(dst, `,"param":`), err.Path)
	object := len(dst)
	dst = Client{}.AppendError(dst, err)
	dst[object] = ',' // replaces the opening brace of {"error":...}
	dst = sse.AppendTail(dst)
	return e.appendResponse(dst, "response.failed", &responseState{status: "failed", err: err,
		usage: ir.NoUsage})
}
