package responses

import (
	"strings"

	"edgelingua/translator/events"
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

const (
	maxIndex = 1023 // bounds output_index, content_index and summary_index
	// the words of the failure where more than ir.MaxHeld bytes have to be held
	tooMuch = "mixed items of more than 8 MB"
)

// decoder reads one answer: the events of a stream (API reference, "Streaming events") or a plain
// body ("The Response object"). A stream says everything up to three times: in deltas, in events
// whose names end with done, and in the Response object of its last event. LM Studio leaves out the
// deltas of arguments (FAULTS 31), OpenAI at times those of a short text (pipecat#5309), and
// new-api the output of the last event (new-api#4362). So each form is read, and what comes again
// is held against what has gone out: only the rest goes out.
type decoder struct {
	index   jsonr.Index // of the event or body that is read
	r       *ir.Request
	lost    *ir.Lost
	out     events.Queue
	places  []place // what the queue's numbers stand for
	items   []*item
	names   ir.Names
	id      []byte
	own     bool       // the client speaks this API too
	finding *ir.Hosted // the last search for tools, until its result comes
	called  bool       // a call has gone out
	refused bool       // a refusal has come
	said    *ir.Error  // an error event without a code, until response.failed says more
}

func newDecoder(r *ir.Request, l *ir.Lost, sink ir.Sink) *decoder {
	d := &decoder{r: r, lost: l, own: r.API.Name == Name, names: r.Renamed(openai.MaxIdentifier)}
	d.out.Init(sink, d, tooMuch)
	return d
}

// streamEvent holds the members of one event. They are gathered before any of them is acted on,
// since their order is not fixed.
type streamEvent struct {
	kind       ir.Escaped
	index      int64 // output_index, -1 where there is none
	id         ir.Escaped
	part       int64 // content_index or summary_index, -1 where there is none
	delta      ir.Raw
	whole      ir.Raw // text, refusal, arguments or input, in a done event: what the deltas add up to
	item       ir.Raw
	content    ir.Raw // the member part
	annotation ir.Raw
	response   ir.Raw
	logprobs   ir.Raw
	failed     bool
}

// Event takes one event. Its type is in its data; where it is missing there the event's name
// counts. An event without either that has an error is the error body of Chat Completions in place
// of an event.
//
//go:noinline
func (d *decoder) Event(name, data string) {
	switch {
	case d.out.Ended():
		return
	case data == "[DONE]":
		d.Close(nil)
		return
	case d.index.Check(data) != nil:
		if name == "error" {
			d.out.Fail(failure.DecodeEvent(data))
		} else {
			d.out.Fail(failure.Unreadable("an event is not JSON"))
		}
		return
	}
	ev := streamEvent{index: -1, part: -1}
	ev.read(d.index.Reader())
	if ev.kind == "" {
		ev.kind = ir.Escaped(name)
		if ev.failed {
			ev.kind = "error"
		}
	}
	if ev.index < -1 || ev.index > maxIndex || ev.part < -1 || ev.part > maxIndex {
		d.out.Fail(failure.Unreadable("an index out of bounds"))
		return
	}
	switch {
	case ev.kind == "error", ev.kind == "response.error":
		d.error(data)
	case d.said != nil && ev.response == "":
		d.out.Fail(d.said)
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

// indexOf returns the value of an index, -1 where that is no number.
func indexOf(v ir.Raw) int64 {
	if n, ok := jsonr.Int(v); ok {
		return n
	}
	return -1
}

// event takes an event of the answer's output.
func (d *decoder) event(ev *streamEvent) {
	switch ev.kind {
	case "response.output_item.added":
		if f := d.readItem(ev.item); f.kind != 0 {
			d.itemAdded(f, ev.index)
		}
	case "response.output_item.done":
		if f := d.readItem(ev.item); f.kind != 0 {
			d.itemDone(f, ev.index)
		}
	case "response.content_part.done", "response.reasoning_summary_part.done", "response.reasoning_part.done":
		d.partDone(ev)
	case "response.output_text.annotation.added":
		d.annotationAdded(ev)
	case "response.content_part.added", "response.reasoning_summary_part.added",
		"response.reasoning_part.added",
		"keepalive", "ping", "response.keepalive", "response.heartbeat":
	default:
		name, delta := strings.CutSuffix(string(ev.kind), ".delta")
		name, done := strings.CutSuffix(name, ".done")
		switch of := subjectOf(name); {
		case of.part != 0 && delta:
			d.textDelta(ev, of)
		case of.part != 0 && done:
			d.textDone(ev, of)
		// The events of tools that the upstream runs, as response.web_search_call.searching, only
		// tell how far the tool is.
		case !strings.Contains(name, "_call") && !strings.HasPrefix(name, "response.mcp_list_tools."):
			d.lost.AddNamed("event:", ev.kind)
		}
	}
}

// subject is the kind of item and of part that an event's text belongs to.
type subject struct {
	item itemKind
	part partKind
}

// subjectOf returns the subject of the events with a name, which comes without .delta or .done. It
// is zero for events without a text.
func subjectOf(name string) subject {
	switch name {
	case "response.output_text":
		return subject{messageItem, textPart}
	case "response.refusal":
		return subject{messageItem, refusalPart}
	case "response.reasoning_summary_text", "response.reasoning_summary":
		return subject{reasoningItem, summaryPart}
	case "response.reasoning_text", "response.reasoning":
		return subject{reasoningItem, reasoningPart}
	case "response.function_call_arguments":
		return subject{functionItem, inputPart}
	case "response.custom_tool_call_input":
		return subject{customItem, inputPart}
	}
	return subject{}
}

// Body takes a whole plain answer.
//
//go:noinline
func (d *decoder) Body(body string) {
	if d.out.Ended() {
		return
	}
	if d.index.Check(body) != nil {
		d.out.Fail(failure.Unreadable("it is not JSON"))
		return
	}
	var output, fault, words bool
	r := d.index.Reader()
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "output":
			output = r.Kind() == jsonr.Array
		case "error":
			fault = !jsonr.IsNothing(r.Value())
		case "message", "detail":
			words = r.Kind() != jsonr.Null
		}
	}
	switch {
	case output:
		d.response("", ir.Raw(body))
	case fault, words:
		d.out.Fail(failure.DecodeEvent(body))
	default:
		d.out.Fail(failure.Unreadable("it has no output"))
	}
}

// Complete reports whether the answer has ended. Nothing is known to be missing before: the event
// that ends it has the usage.
func (d *decoder) Complete() bool { return d.out.Ended() }

// Close takes the end of the stream.
func (d *decoder) Close(cause *ir.Error) {
	switch {
	case d.said != nil:
		d.out.Fail(d.said)
	case cause != nil:
		d.out.Fail(cause)
	default:
		d.out.Fail(failure.Incomplete())
	}
}
