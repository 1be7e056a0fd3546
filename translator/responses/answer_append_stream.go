package responses

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
	"edgelingua/translator/sse"
)

const (
	keepAlive = ": keep-alive\n" // without a blank line: some clients take the event that it would end for a broken one

	// The ids and numbers of the stream that it ends are not known. No client compares them: SDKs throw at the first event, and
	// Codex reads nothing but the error of the second.
	trap = "event: error\n" +
		`data: {"type":"error","sequence_number":0,"code":"server_error","message":"The translator failed.","param":null,"error":{"message":"The translator failed.","type":"server_error","param":null,"code":"server_error"}}` + "\n\n" +
		"event: response.failed\n" +
		`data: {"type":"response.failed","sequence_number":1,"response":{"id":"resp_failed","object":"response","created_at":0,"model":"","output":[],"status":"failed","error":{"code":"server_error","message":"The translator failed."},"incomplete_details":null,"usage":null,"access_programs":null,"instructions":null,"metadata":{},"parallel_tool_calls":true,"temperature":null,"tool_choice":"auto","tools":[],"top_p":null}}` + "\n\n"
)

// words are the names of the events of an item, and of what is in them.
type words struct {
	delta, done        string // of the text
	member             string // the text in done
	place, rest        string // what stands in front of the text in both, and behind it
	partBegun, partEnd string // of the part that the text is in
}

var families = [...]words{
	textFamily: {
		delta: "response.output_text.delta", done: "response.output_text.done", member: `,"text":"`,
		place: `,"content_index":0`, rest: `","logprobs":[]`,
		partBegun: "response.content_part.added", partEnd: "response.content_part.done",
	},
	refusalFamily: {
		delta: "response.refusal.delta", done: "response.refusal.done", member: `,"refusal":"`,
		place: `,"content_index":0`, rest: `"`,
		partBegun: "response.content_part.added", partEnd: "response.content_part.done",
	},
	reasoningFamily: {
		delta: "response.reasoning_summary_text.delta", done: "response.reasoning_summary_text.done", member: `,"text":"`,
		place: `,"summary_index":0`, rest: `"`,
		partBegun: "response.reasoning_summary_part.added", partEnd: "response.reasoning_summary_part.done",
	},
	functionFamily: {
		delta: "response.function_call_arguments.delta", done: "response.function_call_arguments.done", member: `,"arguments":"`, rest: `"`,
	},
	customFamily: {
		delta: "response.custom_tool_call_input.delta", done: "response.custom_tool_call_input.done", member: `,"input":"`, rest: `"`,
	},
	opaqueFamily: {},
}

// encoder writes one streamed answer (API reference, "Streaming events"). Each item gets all events of its kind, because each
// client relies on other ones.
type encoder struct {
	answer
	sequence  int64  // the number of the next event
	last      int64  // that of the event that the answer's end began with, 0 before it
	deltaLead []byte // of the deltas of the open item, up to that number; empty until the first one
	deltaMid  []byte // what follows it, up to the delta
}

// AppendEvent appends the events that ev becomes.
func (e *encoder) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		return e.appendStart(dst, ev)
	case ir.BlockStart:
		return e.appendBlockStart(dst, ev)
	case ir.Delta:
		return e.appendDelta(dst, ev)
	case ir.BlockStop:
		return e.appendBlockStop(e.room(dst))
	case ir.Finish:
		e.last = e.sequence
		return e.appendFinish(dst, ev)
	case ir.Failure:
		return e.appendFailure(dst, ev.Err)
	}
	return dst
}

// room makes room in dst for the end of the open item, which says its text three times, and of the response, which says everything
// once more. A buffer that grows leaves all its earlier ones behind, since nothing is freed.
func (e *encoder) room(dst []byte) []byte {
	n := 3*(len(e.out)-e.item) + len(e.out)
	if n <= cap(dst)-len(dst) {
		return dst
	}
	grown := make([]byte, len(dst), len(dst)+n+n/16+4<<10)
	copy(grown, dst)
	return grown
}

// KeepAlive returns a line that is a comment.
func (e *encoder) KeepAlive() string { return keepAlive }

// Trap returns the events of a failure.
func (e *encoder) Trap() string { return trap }

func (e *encoder) appendStart(dst []byte, ev *ir.Event) []byte {
	e.identify(ev)
	dst = e.appendResponse(dst, "response.created", &ending{status: "in_progress", usage: ir.NoUsage})
	return e.appendResponse(dst, "response.in_progress", &ending{status: "in_progress", usage: ir.NoUsage})
}

// appendName appends the beginning of an event.
func (e *encoder) appendName(dst []byte, name string) []byte {
	return e.appendNumber(appendLead(dst, name))
}

// appendLead appends the beginning of an event up to its number.
func appendLead(dst []byte, name string) []byte {
	dst = sse.AppendHead(dst, name)
	dst = raw(dst, `{"type":"`)
	dst = raw(dst, name)
	return raw(dst, `","sequence_number":`)
}

func (e *encoder) appendNumber(dst []byte) []byte {
	dst = strconv.AppendInt(dst, e.sequence, 10)
	e.sequence++
	return dst
}

// appendItemName appends the beginning of an event of the open item.
func (e *encoder) appendItemName(dst []byte, name string) []byte {
	return e.appendItem(e.appendName(dst, name))
}

// appendItem appends which item an event is about.
func (e *encoder) appendItem(dst []byte) []byte {
	dst = raw(dst, `,"output_index":`)
	dst = strconv.AppendInt(dst, e.count, 10)
	dst = raw(dst, `,"item_id":"`)
	dst = append(dst, e.itemID...)
	return append(dst, '"')
}

func appendEnd(dst []byte) []byte {
	dst = append(dst, '}')
	return sse.AppendTail(dst)
}

// appendResponse appends an event with the whole response as it is now: with the items that are complete.
func (e *encoder) appendResponse(dst []byte, name string, end *ending) []byte {
	dst = e.appendName(dst, name)
	dst = raw(dst, `,"response":`)
	dst = e.appendHead(dst)
	dst = append(dst, e.out[:e.whole]...)
	dst = e.appendTail(dst, end)
	return appendEnd(dst)
}

// appendBlockStart appends the beginning of an item and of its part. An item that is an object begins when it is complete.
func (e *encoder) appendBlockStart(dst []byte, ev *ir.Event) []byte {
	e.open(ev)
	e.deltaLead = e.deltaLead[:0]
	switch e.family {
	case objectFamily, opaqueFamily:
		return dst
	}
	dst = e.appendAdded(dst)
	switch e.family {
	case textFamily, refusalFamily:
		return e.appendPartBegun(dst)
	case searchFamily:
		dst = appendEnd(e.appendItemName(dst, "response.web_search_call.in_progress"))
		return appendEnd(e.appendItemName(dst, "response.web_search_call.searching"))
	}
	return dst
}

// appendAdded appends the event by which the open item begins.
func (e *encoder) appendAdded(dst []byte) []byte {
	dst = e.appendName(dst, "response.output_item.added")
	dst = raw(dst, `,"output_index":`)
	dst = strconv.AppendInt(dst, e.count, 10)
	dst = raw(dst, `,"item":`)
	dst = append(dst, e.out[e.item:e.lead]...)
	if e.family != opaqueFamily {
		dst = e.appendItemEnd(dst, "in_progress")
	}
	return appendEnd(dst)
}

// appendPartBegun appends the event by which the part of the open item begins.
func (e *encoder) appendPartBegun(dst []byte) []byte {
	dst = e.appendPart(dst, families[e.family].partBegun, e.text)
	dst = e.appendPartEnd(dst, 0)
	return appendEnd(dst)
}

// appendPart appends an event with the part of the open item up to end.
func (e *encoder) appendPart(dst []byte, name string, end int) []byte {
	dst = e.appendItemName(dst, name)
	dst = raw(dst, families[e.family].place)
	dst = raw(dst, `,"part":`)
	return append(dst, e.out[e.part:end]...)
}

// appendDelta appends the delta of a text. What has none is only gathered.
func (e *encoder) appendDelta(dst []byte, ev *ir.Event) []byte {
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

func (e *encoder) appendText(dst []byte, text ir.Escaped) []byte {
	w := &families[e.family]
	if len(e.deltaLead) == 0 {
		e.deltaLead = appendLead(e.deltaLead, w.delta)
		e.deltaMid = raw(e.appendItem(e.deltaMid[:0]), w.place)
		e.deltaMid = raw(e.deltaMid, `,"delta":"`)
	}
	dst = append(dst, e.deltaLead...)
	dst = e.appendNumber(dst)
	dst = append(dst, e.deltaMid...)
	dst = append(dst, text...)
	dst = raw(dst, w.rest)
	return appendEnd(dst)
}

// appendBlockStop appends the end of the text, of its part and of the item.
func (e *encoder) appendBlockStop(dst []byte) []byte {
	if lacking := e.complete(); lacking != "" {
		dst = e.appendText(dst, lacking)
	}
	switch {
	case e.family == objectFamily, e.family == opaqueFamily && e.lead > e.item:
		dst = e.appendAdded(dst)
	case e.family == searchFamily:
		dst = appendEnd(e.appendItemName(dst, "response.web_search_call.completed"))
	}
	if w := &families[e.family]; w.done != "" && (e.family != reasoningFamily || e.begun) {
		dst = e.appendCitations(dst)
		dst = e.appendItemName(dst, w.done)
		dst = raw(dst, w.place)
		dst = raw(dst, w.member)
		dst = append(dst, e.out[e.text:]...)
		dst = raw(dst, w.rest)
		dst = appendEnd(dst)
		e.closePart()
		if w.partEnd != "" {
			dst = appendEnd(e.appendPart(dst, w.partEnd, len(e.out)))
		}
	}
	if !e.close() {
		return dst
	}
	dst = e.appendName(dst, "response.output_item.done")
	dst = raw(dst, `,"output_index":`)
	dst = strconv.AppendInt(dst, e.count-1, 10)
	dst = raw(dst, `,"item":`)
	dst = append(dst, e.out[e.item:]...)
	return appendEnd(dst)
}

// appendCitations appends an event for each source of the open text. They wait for its end, since some stand for all of it.
func (e *encoder) appendCitations(dst []byte) []byte {
	if len(e.citations) == 0 {
		return dst
	}
	end := e.characters()
	for i := range e.citations {
		dst = e.appendItemName(dst, "response.output_text.annotation.added")
		dst = raw(dst, `,"content_index":0,"annotation_index":`)
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = raw(dst, `,"annotation":`)
		dst = e.citations[i].append(dst, end)
		dst = appendEnd(dst)
	}
	return dst
}

// appendFinish appends the end of a complete answer. Those who are told of a required action get it in an event of its own, and then
// the end, which says completed, of a response that does not.
func (e *encoder) appendFinish(dst []byte, ev *ir.Event) []byte {
	end := e.ended(ev)
	e.keep(&end)
	if end.action == nil {
		return e.appendResponse(dst, "response."+end.status, &end)
	}
	dst = e.appendResponse(dst, "response.required_action", &end)
	dst = dst[:len(dst)-len(appendEnd(nil))]
	dst = raw(dst, `,"required_action":`)
	dst = append(dst, end.action...)
	dst = appendEnd(dst)
	return e.appendResponse(dst, "response.completed", &end)
}

// appendFailure appends an error, at which SDKs throw, and behind it the response that has failed, which is what Codex reads. The
// error says everything twice: in the form of the API reference, and in that of OpenAI's own service, without which older SDKs
// take the answer for a complete one.
func (e *encoder) appendFailure(dst []byte, err *ir.Error) []byte {
	if e.id == "" { // it has not begun
		dst = e.appendStart(dst, &ir.Event{})
	}
	if e.last > 0 { // in place of the end
		e.sequence = e.last
	}
	dst = e.appendName(dst, "error")
	dst = raw(dst, `,"code":`)
	dst = openai.AppendStringOrNull(dst, openai.Code(err))
	dst = raw(dst, `,"message":`)
	dst = jsonw.AppendString(dst, openai.Message(err))
	dst = raw(dst, `,"param":`)
	dst = openai.AppendStringOrNull(dst, err.Path)
	object := len(dst)
	dst = Client{}.AppendError(dst, err)
	dst[object] = ',' // in place of its brace
	dst = sse.AppendTail(dst)
	return e.appendResponse(dst, "response.failed", &ending{status: "failed", err: err, usage: ir.NoUsage})
}
