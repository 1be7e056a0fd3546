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
	maxIndex = 1023 // the maximum output_index, content_index and summary_index
	// the failure if more than ir.MaxBuffered bytes have to be buffered
	tooMuch = "it has more than 8 MB of interleaved items"
)

// decoder reads one answer: the events of a stream (API reference, "Streaming events") or a plain
// body ("The Response object"). A stream repeats everything up to three times: in deltas, in events
// whose names end with done, and in the Response object of the last event. LM Studio leaves out the
// deltas of arguments (FAULTS 31), OpenAI at times the deltas of a short text (pipecat#5309), and
// new-api the output of the last event (new-api#4362). The decoder therefore reads every form. It
// compares repeated text with the text already emitted, and emits only the rest.
type decoder struct {
	index     jsonr.Index // of the current event or body
	r         *ir.Request
	lost      *ir.Lost
	out       events.Queue
	queued    []queuedPart // by queue number
	items     []*item
	names     ir.RenamedTools
	id        []byte
	own       bool         // the client also speaks this API
	finding   *ir.Hosted   // the last tool search, until its result arrives
	programs  []*ir.Hosted // the programs of the answer, for a client of another API
	runs      bool         // such a client has a form for programs, and asked for them
	resumes   bool         // the result of a program has come, and no text since
	called    bool         // a call was emitted
	refused   bool         // a refusal has arrived
	lastError *ir.Error    // an error event without a code, until response.failed has details
}

func newDecoder(r *ir.Request, t *ir.Target, l *ir.Lost, sink ir.Sink) *decoder {
	d := &decoder{r: r, lost: l, own: r.API.Name == Name, names: r.Renamed(nil, openai.MaxIdentifier)}
	d.runs = r.ShowsPrograms(Name, t)
	d.out.Init(sink, d, tooMuch)
	return d
}

// streamEvent has the members of one event. All members are read before any is handled, because
// their order is not fixed.
type streamEvent struct {
	kind       ir.Escaped
	index      int64 // output_index, or -1
	id         ir.Escaped
	part       int64 // content_index or summary_index, or -1
	delta      ir.Raw
	whole      ir.Raw // text, refusal, arguments or input of a done event: all deltas joined
	item       ir.Raw
	content    ir.Raw // the member "part"
	annotation ir.Raw
	response   ir.Raw
	logprobs   ir.Raw
	failed     bool
}

// Event reads one event. data has the event's type; if the type is missing, name is the type. An
// event with an error but neither type nor name is an error body of Chat Completions sent instead
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
		d.out.Fail(failure.Unreadable("an index is out of range"))
		return
	}
	switch {
	case ev.kind == "error", ev.kind == "response.error":
		d.error(data)
	case d.lastError != nil && ev.response == "":
		d.out.Fail(d.lastError)
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

// indexOf returns the value of an index, or -1 if it is not an integer.
func indexOf(v ir.Raw) int64 {
	if n, ok := jsonr.Int(v); ok {
		return n
	}
	return -1
}

// event handles an event of the answer's output.
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
		// Events of tools run by the upstream, such as response.web_search_call.searching, only
		// report progress.
		case !strings.Contains(name, "_call") && !strings.HasPrefix(name, "response.mcp_list_tools."):
			d.lost.AddNamed("event:", ev.kind)
		}
	}
}

// subject is the kind of item and of part to which an event's text belongs.
type subject struct {
	item itemKind
	part partKind
}

// subjectOf returns the subject of events with a name, given without .delta or .done. It is zero
// for events without a text.
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

// Body reads a whole plain answer.
//
//go:noinline
func (d *decoder) Body(body string) {
	if d.out.Ended() {
		return
	}
	if d.index.Check(body) != nil {
		d.out.Fail(failure.NotJSON(body))
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
		d.out.Fail(failure.Unreadable("the body has no output"))
	}
}

// Complete reports whether the answer has ended. Only the last event shows that the answer is
// complete, and the same event has the usage.
func (d *decoder) Complete() bool { return d.out.Ended() }

// Close handles the end of the stream. If the answer is not complete, it fails with the pending
// error event, with cause, or as incomplete.
func (d *decoder) Close(cause *ir.Error) {
	switch {
	case d.lastError != nil:
		d.out.Fail(d.lastError)
	case cause != nil:
		d.out.Fail(cause)
	default:
		d.out.Fail(failure.Incomplete())
	}
}
