package chat

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// decoder reads one answer: chunks of a stream ("Chat completion chunk object") or a whole "Chat completion object". Both go
// through the same functions; only the first choice is read.
type decoder struct {
	index        jsonr.Index // of the chunk or body that is read
	blocks       blocks
	request      *ir.Request
	target       *ir.Target
	sink         ir.Sink
	lost         answerLost
	think        thinking
	ev           ir.Event // the one event that is handed out, over and over
	citation     ir.Citation
	names        ir.Names
	id           []byte
	started      bool
	ended        bool
	called       bool          // tool_calls have come
	late         bool          // content has come behind the reason why the answer ends
	reasoned     bool          // reasoning has come in a member of its own
	said         *ir.Error     // what the last event said, if it had words in place of choices
	stop         ir.StopReason // 0 until the upstream has said why it stopped
	stopSequence ir.Escaped
	usage        ir.Usage
}

func newDecoder(r *ir.Request, t *ir.Target, l *ir.Lost, sink ir.Sink) *decoder {
	d := &decoder{request: r, target: t, sink: sink, lost: answerLost{list: l}, usage: ir.NoUsage, names: r.Renamed(openai.MaxIdentifier)}
	d.blocks.d = d
	return d
}

// Event takes one chunk. Of the names that some servers send only that of an error counts.
func (d *decoder) Event(name, data string) {
	if d.ended {
		return
	}
	if name == "error" {
		d.fail(failure.DecodeEvent(data))
		return
	}
	if data == "[DONE]" {
		d.end(nil)
		return
	}
	if d.index.Check(data) != nil {
		d.fail(failure.Unreadable("an event is not JSON"))
		return
	}
	d.answer(data, false)
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
	d.answer(body, true)
	switch {
	case d.ended:
	case !d.started:
		d.fail(failure.Unreadable("it has no choices"))
	default:
		if d.stop == 0 {
			d.stop = ir.EndTurn
		}
		d.end(nil)
	}
}

// Complete reports whether finish_reason has come, and nothing of the answer behind it.
func (d *decoder) Complete() bool { return d.stop != 0 && !d.late || d.ended }

// Close takes the end of the stream.
func (d *decoder) Close(cause *ir.Error) {
	if !d.ended {
		d.end(cause)
	}
}

// answer reads one chunk or body. Its members are gathered first: their order is not fixed.
func (d *decoder) answer(text string, whole bool) {
	var h header
	var choices jsonr.Reader
	var usage ir.Raw
	failed, words := false, false
	r := d.index.Reader()
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "id":
			h.id = r.Value()
		case "model":
			h.model = r.Value()
		case "created":
			h.created = r.Value()
		case "choices":
			choices = r.Here()
		case "usage":
			usage = r.Value()
		case "error":
			v := r.Value()
			k := jsonr.KindOf(v)
			failed = failed || k == jsonr.Object || k == jsonr.String && v != `""`
		case "object", "type":
			failed = failed || r.Value() == `"error"`
		case "message":
			words = words || r.Kind() == jsonr.String
		case "detail", "msg", "errors":
			words = words || r.Kind() != jsonr.Null
		}
	}
	words = words && choices.Kind() == jsonr.Missing
	if failed || words && whole {
		d.fail(failure.DecodeEvent(text))
		return
	}
	d.said = nil
	if words { // progress, or the reason why nothing more will come
		said := *failure.DecodeEvent(text)
		said.Message = strings.Clone(said.Message)
		said.Code = strings.Clone(said.Code)
		d.said = &said
	}
	counted := jsonr.KindOf(usage) == jsonr.Object
	if counted {
		d.usage = readUsage(usage) // some servers count in every chunk: the last one holds
	}
	if choices.Kind() == jsonr.Array {
		for choices.OpenArray(); choices.Element(); {
			d.choice(&choices, &h, whole)
			if d.ended {
				return
			}
		}
	}
	if d.stop != 0 && counted { // the chunk with finish_reason, or one behind it: the count is final
		d.end(nil)
	}
}

// choice reads one element of "choices". One with another index than 0 was not asked for, and is lost.
func (d *decoder) choice(r *jsonr.Reader, h *header, whole bool) {
	var message jsonr.Reader
	var reason, matched, logprobs, failed ir.Raw
	index := int64(0)
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "index":
			index, _ = jsonr.Int(r.Value())
		case "delta", "message": // some servers stream the one under the other's name, some all so far under the other beside it
			if r.Kind() == jsonr.Object && (r.Key() == "delta" || message.Kind() == jsonr.Missing) {
				message = r.Here()
			}
		case "finish_reason":
			reason = r.Value()
		case "stop_reason", "matched_stop":
			matched = r.Value()
		case "logprobs":
			logprobs = r.Value()
		case "error":
			failed = r.Value()
		}
	}
	if index != 0 {
		d.lost.add(lostChoice, message.Value())
		return
	}
	d.lost.add(lostLogprobs, logprobs)
	if jsonr.KindOf(failed) == jsonr.Object {
		d.fail(failure.DecodeEvent(`{"error":` + string(failed) + `}`))
		return
	}
	d.start(h)
	if message.Kind() == jsonr.Object {
		d.message(&message, whole)
	}
	if why, _ := jsonr.Text(reason); why != "" && why != "null" && !d.ended {
		d.finished(why, matched)
	}
}

// header is what each chunk says of the answer.
type header struct{ id, model, created ir.Raw }

// start yields Start, once.
func (d *decoder) start(h *header) {
	if d.started {
		return
	}
	d.started = true
	d.ev = ir.Event{Kind: ir.Start, Usage: ir.NoUsage}
	d.ev.ID, _ = jsonr.Text(h.id)
	d.ev.Model, _ = jsonr.Text(h.model)
	d.ev.Created = max(jsonr.Count(h.created), 0)
	d.id = append(d.id, d.ev.ID...)
	d.sink.Event(&d.ev)
}

// end yields the answer's end: what is known by now is all there will be.
func (d *decoder) end(cause *ir.Error) {
	if d.stop == 0 {
		if cause == nil {
			cause = d.said
		}
		if cause == nil {
			cause = failure.Incomplete()
		}
		d.fail(cause)
		return
	}
	d.settle()
	d.blocks.finish()
	if d.ended {
		return
	}
	d.ended = true
	d.ev = ir.Event{Kind: ir.Finish, Stop: d.blocks.stop(d.stop), Usage: d.usage}
	if d.ev.Stop == ir.StopSequence {
		d.ev.StopSequence = d.stopSequence
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
