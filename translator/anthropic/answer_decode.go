package anthropic

import (
	"edgelingua/translator/events"
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// decoder reads one answer: a stream (Messages API, "Streaming messages") or a whole message. Both
// share the functions for blocks: a block of a message is read as a content_block_start with the
// whole block inside.
type decoder struct {
	index       jsonr.Index // of the event or body being read
	r           *ir.Request
	lost        *ir.Lost
	out         events.Indexed // block n is blocks[n]
	blocks      []block
	searches    []search
	ran         []ir.Hosted // the upstream's own calls without a result so far
	names       ir.RenamedTools
	own         bool // the client speaks this API too: it gets blocks without a form in other APIs
	runs        bool // a client of another API has a form for programs, and asked for them
	programs    []*ir.Hosted
	waiting     *ir.Hosted // the last program, until its container or its result is known; else nil
	container   string     // the id of the container, "" if unknown
	called      bool       // a tool call has been yielded
	interrupted bool       // a block other than text has come since the last text
	id          []byte     // of the message

	stop         ir.StopReason // 0 until the upstream has sent a stop_reason
	stopSequence []byte
	details      []byte // stop_details
	explanation  []byte // of the details, escaped
	usage        ir.Usage
}

// missingStart replaces the missing start of a block (FAULTS 4). The block can have text and
// thinking. events.Indexed handles a missing end (FAULTS 6) too.
const missingStart = `{"type":"text"}`

// tooMuch completes the error message for an answer with interleaved blocks that needs more than
// ir.MaxBuffered bytes of buffer.
const tooMuch = "it has more than 8 MB of interleaved content blocks"

func newDecoder(r *ir.Request, t *ir.Target, l *ir.Lost, sink ir.Sink) *decoder {
	d := &decoder{r: r, lost: l, own: r.API.Name == Name, usage: ir.NoUsage, names: r.Renamed(nil, maxName)}
	d.runs = r.ShowsPrograms(Name, t)
	d.out.Init(sink, d, missingStart, tooMuch)
	return d
}

// Event reads one event. The event's data contains its type. No known server leaves out the type
// there, but the event's name repeats the type and counts in this case.
//
//go:noinline
func (d *decoder) Event(name, data string) {
	if d.out.Ended() || data == "" {
		return
	}
	if d.index.Check(data) != nil {
		switch {
		case name == "error":
			d.out.Fail(failure.DecodeEvent(data))
		case data == "[DONE]":
			d.Close(nil)
		default:
			d.out.Fail(failure.Unreadable("an event is not JSON"))
		}
		return
	}
	e := event{index: -1}
	r := d.index.Reader()
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			e.kind, _ = jsonr.Text(r.Value())
		case "index":
			if v := r.Value(); v != "null" {
				n, ok := jsonr.Int(v)
				if !ok || n < 0 {
					d.out.Fail(failure.Unreadable("a content block has the invalid index " +
						ir.Shortened(string(v))))
					return
				}
				e.index = n
			}
		case "message":
			e.message = r.Value()
		case "content_block":
			e.block = r.Value()
		case "delta":
			e.delta = r.Here()
		case "usage":
			e.usage = r.Value()
		case "context_management":
			d.edited(r.Value())
		case "error":
			e.err = r.Value()
		}
	}
	if e.kind == "" {
		e.kind = ir.Escaped(name)
	}
	d.event(&e, data)
}

// event holds the members of an event's data, unread.
type event struct {
	kind                ir.Escaped
	index               int64 // -1 for none
	delta               jsonr.Reader
	message, block, err ir.Raw
	usage               ir.Raw
}

func (d *decoder) event(e *event, data string) {
	switch e.kind {
	case "message_start":
		d.messageStart(e.message)
	case "content_block_start":
		d.start("", "")
		d.blockStart(e.index, e.block)
	case "content_block_delta":
		d.start("", "")
		d.out.BlockDelta(e.index, &e.delta)
	case "content_block_stop":
		d.out.BlockStop(e.index)
	case "message_delta":
		d.start("", "")
		d.messageDelta(&e.delta)
		d.count(e.usage)
	case "message_stop":
		d.start("", "")
		d.finish()
	case "ping":
	default:
		if e.kind == "error" || jsonr.KindOf(e.err) == jsonr.Object || jsonr.KindOf(e.err) == jsonr.String {
			d.out.Fail(failure.DecodeEvent(data))
			return
		}
		d.lost.AddNamed("event:", e.kind)
	}
}

// messageStart reads message_start. A second message_start for the same message is ignored (FAULTS
// 12). A message_start for another message comes from a proxy that has repeated its request to the
// upstream (recorded in spliced-message-start). After the first block it is a failure, since the
// client has already seen parts of the first message.
func (d *decoder) messageStart(v ir.Raw) {
	var id, model ir.Escaped
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "id":
			id, _ = jsonr.Text(r.Value())
		case "model":
			model, _ = jsonr.Text(r.Value())
		case "usage":
			if !d.out.Started() || d.out.Len() == 0 {
				d.count(r.Value())
			}
		case "container":
			if !d.out.Started() {
				d.contain(r.Value())
			}
		case "input_transformations":
			d.lost.AddMember("", &r)
		default:
			d.other(&r)
		}
	}
	if d.out.Len() > 0 && id != "" && string(id) != string(d.id) {
		d.out.Fail(failure.Unreadable("a second message starts before the first one ends"))
		return
	}
	d.start(id, model)
}

// start yields Start, once.
func (d *decoder) start(id, model ir.Escaped) {
	if !d.out.Started() {
		d.id = append(d.id, id...)
	}
	d.out.Start(id, model, 0, d.usage)
}

// Body reads a whole plain answer. Its content is a list of blocks. No known server sends a string,
// but content of requests may be a string, so Body reads a string as text.
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
	var id, model ir.Escaped
	var content, usage ir.Raw
	failed := false
	r := d.index.Reader()
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			failed = failed || r.Value() == `"error"`
		case "error":
			failed = failed || r.Kind() == jsonr.Object || r.Kind() == jsonr.String
		case "id":
			id, _ = jsonr.Text(r.Value())
		case "model":
			model, _ = jsonr.Text(r.Value())
		case "content":
			content = r.Value()
		case "usage":
			usage = r.Value()
		default:
			d.other(&r)
		}
	}
	switch jsonr.KindOf(content) {
	case jsonr.Array, jsonr.String:
	default:
		failed = failed || says(body)
		if !failed {
			d.out.Fail(failure.Unreadable("the body has no content"))
			return
		}
	}
	if failed {
		d.out.Fail(failure.DecodeEvent(body))
		return
	}
	d.count(usage)
	d.start(id, model)
	if text, ok := jsonr.Text(content); ok {
		d.out.Begin(ir.TextBlock, "")
		d.out.Text(text)
		d.out.Stop()
	}
	list := jsonr.NewReader(string(content))
	for list.OpenArray(); !d.out.Ended() && list.Element(); {
		d.blockStart(-1, list.Value())
		d.out.BlockStop(-1)
	}
	whole := d.index.Reader()
	d.messageDelta(&whole)
	d.finish()
}

// says reports whether a body without content has a message instead, as some gateways answer with a
// good status (FAULTS 39).
func says(body string) bool {
	r := jsonr.NewReader(body)
	if r.Kind() == jsonr.String {
		return true
	}
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "message", "detail":
			if r.Kind() == jsonr.String {
				return true
			}
		}
	}
	return false
}

// Complete reports whether a stop_reason has come: message_delta has the usage too, and only
// message_stop may be missing (FAULTS 47).
func (d *decoder) Complete() bool { return d.stop != 0 || d.out.Ended() }

// Close ends the stream. Without a stop_reason the end is a failure: cause, or an incomplete answer
// if cause is nil.
func (d *decoder) Close(cause *ir.Error) {
	switch {
	case d.stop != 0:
		d.finish()
	case cause != nil:
		d.out.Fail(cause)
	default:
		d.out.Fail(failure.Incomplete())
	}
}

// finish yields the answer's end. First it ends all blocks without a content_block_stop, and yields
// the searches without a result.
func (d *decoder) finish() {
	if d.stop == 0 {
		d.stop = ir.EndTurn
	}
	for d.out.CompleteAll(); d.waiting != nil && !d.out.Ended(); {
		d.release()
	}
	d.openSearches()
	for i := range d.ran {
		if d.ran[i].Kind == ir.MCPTool {
			d.lost.AddNamed("block:", "mcp_tool_use")
		} else {
			d.lost.AddNamed("block:", "server_tool_use")
		}
	}
	if d.stop == ir.Refusal && len(d.details) > 0 {
		d.refuse()
		return
	}
	d.out.Finish(d.reason(), jsonw.View(d.stopSequence), d.usage)
}
