package anthropic

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// decoder reads one answer: a stream (Messages API, "Streaming messages") or a whole message. Both go through the same
// functions: a message's content is blocks that start whole.
type decoder struct {
	index        jsonr.Index // of the event or body that is read
	r            *ir.Request
	lost         *ir.Lost
	sink         ir.Sink
	names        ir.Names
	own          bool     // the client speaks this API: it gets what only its vendor knows
	ev           ir.Event // the one event that is handed out, over and over
	id           []byte
	started      bool
	ended        bool
	stop         ir.StopReason // 0 until the upstream has said why it stopped
	stopSequence []byte
	usage        ir.Usage

	list     []block
	front    int          // the block whose turn it is; len(list) where there is none
	open     ir.BlockKind // what of it has been yielded and not stopped, 0
	held     int          // bytes that are kept of blocks
	calls    bool         // a tool call has been yielded
	searches []search
	citation ir.Citation // the one that is handed out, over and over
}

func newDecoder(r *ir.Request, l *ir.Lost, sink ir.Sink) *decoder {
	return &decoder{r: r, lost: l, sink: sink, own: r.API.Name == Name, usage: ir.NoUsage, names: r.Renamed(maxName)}
}

// Event takes one event. Its type is in the data; some servers only name it.
func (d *decoder) Event(name, data string) {
	if d.ended || data == "" {
		return
	}
	if d.index.Check(data) != nil {
		switch {
		case name == "error":
			d.fail(failure.DecodeEvent(data))
		case data == "[DONE]":
			d.Close(nil)
		default:
			d.fail(failure.Unreadable("an event is not JSON"))
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
					d.fail(failure.Unreadable("a block with the index " + ir.Shortened(string(v))))
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
		case "error":
			e.err = r.Value()
		}
	}
	if e.kind == "" {
		e.kind = ir.Escaped(name)
	}
	d.event(&e, data)
}

// event is the members of an event, as they stand.
type event struct {
	kind                ir.Escaped
	index               int64 // -1: none
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
		d.blockDelta(e.index, &e.delta)
	case "content_block_stop":
		d.blockStop(e.index)
	case "message_delta":
		d.start("", "")
		d.messageDelta(&e.delta)
		d.count(e.usage)
	case "message_stop":
		d.start("", "")
		if d.stop == 0 {
			d.stop = ir.EndTurn
		}
		d.finish()
	case "ping":
	default:
		if e.kind == "error" || jsonr.KindOf(e.err) == jsonr.Object || jsonr.KindOf(e.err) == jsonr.String {
			d.fail(failure.DecodeEvent(data))
			return
		}
		d.lost.AddNamed("event:", e.kind)
	}
}

// messageStart takes message_start. One more of the same answer is passed over; of another one inside an answer, as a
// server sends it that has begun anew, nothing can be made: what came before can't be taken back.
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
			if !d.started || len(d.list) == 0 {
				d.count(r.Value())
			}
		}
	}
	if len(d.list) > 0 && id != "" && string(id) != string(d.id) {
		d.fail(failure.Unreadable("a second answer begins inside the first"))
		return
	}
	d.start(id, model)
}

// start yields Start, once.
func (d *decoder) start(id, model ir.Escaped) {
	if d.started {
		return
	}
	d.started = true
	d.id = append(d.id, id...)
	d.ev = ir.Event{Kind: ir.Start, ID: id, Model: model, Usage: d.usage}
	d.sink.Event(&d.ev)
}

// Body takes a whole plain answer.
func (d *decoder) Body(body string) {
	if d.ended {
		return
	}
	if d.index.Check(body) != nil {
		d.fail(failure.Unreadable("it is not JSON"))
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
			_ = r.Value()
		case "id":
			id, _ = jsonr.Text(r.Value())
		case "model":
			model, _ = jsonr.Text(r.Value())
		case "content":
			content = r.Value()
		case "usage":
			usage = r.Value()
		}
	}
	switch jsonr.KindOf(content) {
	case jsonr.Array, jsonr.String:
	default:
		failed = failed || says(body)
		if !failed {
			d.fail(failure.Unreadable("it has no content"))
			return
		}
	}
	if failed {
		d.fail(failure.DecodeEvent(body))
		return
	}
	d.count(usage)
	d.start(id, model)
	if text, ok := jsonr.Text(content); ok {
		d.blockText(ir.TextBlock, text)
		d.stopOpen()
	}
	list := jsonr.NewReader(string(content))
	for list.OpenArray(); list.Element() && !d.ended; {
		d.blockStart(int64(len(d.list)), list.Value())
		d.blockStop(-1)
	}
	whole := d.index.Reader()
	d.messageDelta(&whole)
	if d.stop == 0 {
		d.stop = ir.EndTurn
	}
	d.finish()
}

// says reports whether a body that holds no answer has words in its place.
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

// Complete reports whether the upstream has said why it stopped.
func (d *decoder) Complete() bool { return d.stop != 0 || d.ended }

// Close takes the end of the stream.
func (d *decoder) Close(cause *ir.Error) {
	switch {
	case d.ended:
	case d.stop != 0:
		d.finish()
	case cause != nil:
		d.fail(cause)
	default:
		d.fail(failure.Incomplete())
	}
}

// finish yields the answer's end, behind what is left of its blocks.
func (d *decoder) finish() {
	for d.front < len(d.list) && !d.ended {
		d.list[d.front].stopped = true
		d.next()
	}
	d.openSearches()
	if d.ended {
		return
	}
	d.ended = true
	d.ev = ir.Event{Kind: ir.Finish, Stop: d.reason(), Usage: d.usage}
	if d.ev.Stop == ir.StopSequence {
		d.ev.StopSequence = jsonw.View(d.stopSequence)
	}
	d.sink.Event(&d.ev)
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
