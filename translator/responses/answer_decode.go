package responses

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// maxIndex bounds output_index and the index of a part.
const maxIndex = 1023

// decoder reads one answer: the events of a stream (API reference, "Streaming events") or a whole "Response object". What they
// hold goes through the same functions of items.
type decoder struct {
	index   jsonr.Index // of the event or body that is read
	r       *ir.Request
	sink    ir.Sink
	out     outputItems
	lost    answerLost
	ev      ir.Event    // the one event that is handed out, over and over
	cite    ir.Citation // and what it points at
	names   ir.Names
	id      []byte
	own     bool // the client speaks this protocol
	started bool
	ended   bool
	said    *ir.Error // what an error event said that had no code: response.failed may have one
}

func newDecoder(r *ir.Request, l *ir.Lost, sink ir.Sink) *decoder {
	d := &decoder{r: r, sink: sink, lost: answerLost{list: l}, own: r.API.Name == Name, names: r.Renamed(openai.MaxIdentifier)}
	d.out.d = d
	return d
}

// streamEvent is one event of a stream. Its members are gathered first: their order is not fixed.
type streamEvent struct {
	kind       ir.Escaped
	index      int64 // output_index, -1 where there is none
	id         ir.Escaped
	part       int64 // content_index or summary_index, -1 where there is none
	delta      ir.Raw
	whole      ir.Raw // text, refusal, arguments or input: what the deltas add up to
	item       ir.Raw
	content    ir.Raw // part
	annotation ir.Raw
	response   ir.Raw
	logprobs   ir.Raw
	failed     bool
}

// Event takes one event.
func (d *decoder) Event(name, data string) {
	switch {
	case d.ended:
		return
	case data == "[DONE]":
		d.Close(nil)
		return
	case d.index.Check(data) != nil:
		if name == "error" {
			d.fail(failure.DecodeEvent(data))
		} else {
			d.fail(failure.Unreadable("an event is not JSON"))
		}
		return
	}
	ev := streamEvent{index: -1, part: -1}
	ev.read(d.index.Reader())
	if ev.kind == "" {
		ev.kind = ir.Escaped(name)
		if ev.failed { // the envelope of another API
			ev.kind = "error"
		}
	}
	if ev.index < -1 || ev.index > maxIndex || ev.part < -1 || ev.part > maxIndex {
		d.fail(failure.Unreadable("an index out of bounds"))
		return
	}
	switch {
	case ev.kind == "error", ev.kind == "response.error":
		d.error(data)
	case d.said != nil && ev.response == "":
		d.fail(d.said)
	case ev.response != "":
		d.response(ev.kind, ev.response)
	default:
		d.event(&ev)
	}
}

func (ev *streamEvent) read(r jsonr.Reader) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			ev.kind, _ = jsonr.Text(r.Value())
		case "output_index":
			ev.index = indexOf(r.Value())
		case "item_id":
			ev.id, _ = jsonr.Text(r.Value())
		case "content_index", "summary_index":
			ev.part = indexOf(r.Value())
		case "delta":
			ev.delta = r.Value()
		case "text", "refusal", "arguments", "input":
			ev.whole = r.Value()
		case "item":
			ev.item = r.Value()
		case "part":
			ev.content = r.Value()
		case "annotation":
			ev.annotation = r.Value()
		case "response":
			if r.Kind() == jsonr.Object {
				ev.response = r.Value()
			}
		case "logprobs":
			ev.logprobs = r.Value()
		case "error":
			ev.failed = !jsonr.IsNothing(r.Value())
		}
	}
}

// indexOf returns the value of an index, -1 where it is no number.
func indexOf(v ir.Raw) int64 {
	if n, ok := jsonr.Int(v); ok {
		return n
	}
	return -1
}

// event takes an event of the answer's output.
func (d *decoder) event(ev *streamEvent) {
	if !jsonr.IsNothing(ev.logprobs) {
		d.lost.add(lostLogprobs)
	}
	o := &d.out
	switch ev.kind {
	case "response.output_item.added":
		o.added(ev.item, ev.index)
	case "response.output_item.done":
		o.done(ev.item, ev.index)
	case "response.output_text.delta":
		o.delta(ev, messageItem, textPart)
	case "response.refusal.delta":
		o.delta(ev, messageItem, refusalPart)
	case "response.reasoning_summary_text.delta", "response.reasoning_summary.delta":
		o.delta(ev, reasoningItem, summaryPart)
	case "response.reasoning_text.delta", "response.reasoning.delta":
		o.delta(ev, reasoningItem, reasoningPart)
	case "response.function_call_arguments.delta":
		o.delta(ev, functionItem, inputPart)
	case "response.custom_tool_call_input.delta":
		o.delta(ev, customItem, inputPart)
	case "response.output_text.done":
		o.whole(ev, messageItem, textPart)
	case "response.refusal.done":
		o.whole(ev, messageItem, refusalPart)
	case "response.reasoning_summary_text.done", "response.reasoning_summary.done":
		o.whole(ev, reasoningItem, summaryPart)
	case "response.reasoning_text.done", "response.reasoning.done":
		o.whole(ev, reasoningItem, reasoningPart)
	case "response.function_call_arguments.done":
		o.whole(ev, functionItem, inputPart)
	case "response.custom_tool_call_input.done":
		o.whole(ev, customItem, inputPart)
	case "response.content_part.done", "response.reasoning_summary_part.done", "response.reasoning_part.done":
		o.partDone(ev)
	case "response.output_text.annotation.added":
		o.annotation(ev)
	case "response.content_part.added", "response.reasoning_summary_part.added", "response.reasoning_part.added",
		"keepalive", "ping", "response.keepalive", "response.heartbeat":
	default:
		// What hosted tools say of their progress is in their items, too.
		if !strings.Contains(string(ev.kind), "_call") && !strings.HasPrefix(string(ev.kind), "response.mcp_list_tools.") {
			d.lost.list.AddNamed("event:", ev.kind)
		}
	}
}

// Complete reports whether the answer has ended: usage comes with the end.
func (d *decoder) Complete() bool { return d.ended }

// Close takes the end of the stream.
func (d *decoder) Close(cause *ir.Error) {
	switch {
	case d.said != nil:
		d.fail(d.said)
	case cause != nil:
		d.fail(cause)
	default:
		d.fail(failure.Incomplete())
	}
}

// fail yields Failure.
func (d *decoder) fail(err *ir.Error) {
	if d.ended {
		return
	}
	d.ended = true
	d.ev = ir.Event{Kind: ir.Failure, Err: err}
	d.sink.Event(&d.ev)
}
