package chat

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// decoder reads one answer: chunks of a stream ("Chat completion chunk object") or a whole "Chat completion object". Both go
// through the same functions; only the first choice is read.
type decoder struct {
	blocks  blocks
	sink    ir.Sink
	lost    lost
	ev      ir.Event // the one event that is handed out, over and over
	renamed []renamed
	id      []byte
	started bool
	ended   bool
	said    *ir.Error     // what the last event said, if it had words in place of choices
	stop    ir.StopReason // 0 until the upstream has said why it stopped
	usage   ir.Usage
}

// renamed is a tool whose name the upstream could not be given as it is.
type renamed struct{ short, name ir.Escaped }

func newDecoder(r *ir.Request, l *ir.Lost, sink ir.Sink) *decoder {
	d := &decoder{sink: sink, lost: lost{list: l}, usage: ir.NoUsage}
	d.blocks.d = d
	for i := range r.Tools {
		name := r.Tools[i].Name
		if short := functionName(name); short != name {
			d.renamed = append(d.renamed, renamed{short, name})
		}
	}
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
	if jsonr.Check(data) != nil {
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
	if jsonr.Check(body) != nil {
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

// Complete reports whether finish_reason has come.
func (d *decoder) Complete() bool { return d.stop != 0 || d.ended }

// Close takes the end of the stream.
func (d *decoder) Close(cause *ir.Error) {
	if !d.ended {
		d.end(cause)
	}
}

// answer reads one chunk or body. Its members are gathered first: their order is not fixed.
func (d *decoder) answer(text string, whole bool) {
	var id, model, choices, usage ir.Raw
	failed, words := false, false
	r := jsonr.NewReader(text)
	for r.Open(); r.Member(); {
		switch r.Key() {
		case "id":
			id = r.Value()
		case "model":
			model = r.Value()
		case "choices":
			choices = r.Value()
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
		case "detail":
			words = words || r.Kind() != jsonr.Null
		}
	}
	words = words && choices == ""
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
	list := jsonr.NewReader(string(choices))
	if list.Kind() == jsonr.Array {
		for list.Open(); list.Element(); {
			d.choice(&list, id, model, whole)
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
func (d *decoder) choice(r *jsonr.Reader, id, model ir.Raw, whole bool) {
	var message, reason, logprobs ir.Raw
	index := int64(0)
	for r.Open(); r.Member(); {
		switch r.Key() {
		case "index":
			index, _ = jsonr.Int(r.Value())
		case "delta", "message": // some servers stream the one under the other's name
			if v := r.Value(); jsonr.KindOf(v) == jsonr.Object {
				message = v
			}
		case "finish_reason":
			reason = r.Value()
		case "logprobs":
			logprobs = r.Value()
		}
	}
	if index != 0 {
		d.lost.add(lostChoice, message)
		return
	}
	d.lost.add(lostLogprobs, logprobs)
	if d.stop != 0 {
		return
	}
	d.start(id, model)
	if message != "" {
		d.message(message, whole)
	}
	if why, _ := jsonr.Text(reason); why != "" && !d.ended {
		d.stop = stopReason(why)
	}
}

// start yields Start, once.
func (d *decoder) start(id, model ir.Raw) {
	if d.started {
		return
	}
	d.started = true
	d.ev = ir.Event{Kind: ir.Start, Usage: ir.NoUsage}
	d.ev.ID, _ = jsonr.Text(id)
	d.ev.Model, _ = jsonr.Text(model)
	d.id = append(d.id, d.ev.ID...)
	d.sink.Event(&d.ev)
}

// message reads a delta or a whole message, in the order in which the parts of an answer follow each other.
func (d *decoder) message(v ir.Raw, whole bool) {
	var content, reasoning, reasoningContent, refusal, calls ir.Raw
	r := jsonr.NewReader(string(v))
	for r.Open(); r.Member(); {
		switch r.Key() {
		case "content":
			content = r.Value()
		case "reasoning_content":
			reasoningContent = r.Value()
		case "reasoning":
			reasoning = r.Value()
		case "refusal":
			refusal = r.Value()
		case "tool_calls":
			calls = r.Value()
		case "annotations":
			d.lost.add(lostAnnotations, r.Value())
		case "audio":
			d.lost.add(lostAudio, r.Value())
		case "images":
			d.lost.add(lostImages, r.Value())
		case "function_call":
			d.lost.add(lostFunctionCall, r.Value())
		}
	}
	if text, _ := jsonr.Text(reasoningContent); text != "" {
		d.blocks.text(ir.ReasoningBlock, text)
	} else if text, _ := jsonr.Text(reasoning); text != "" { // some servers send both, with the same text
		d.blocks.text(ir.ReasoningBlock, text)
	}
	if jsonr.KindOf(content) == jsonr.Array {
		d.parts(content)
	} else if text, _ := jsonr.Text(content); text != "" {
		d.blocks.text(ir.TextBlock, text)
	}
	if text, _ := jsonr.Text(refusal); text != "" {
		d.blocks.text(ir.RefusalBlock, text)
	}
	if jsonr.KindOf(calls) == jsonr.Array {
		list := jsonr.NewReader(string(calls))
		for list.Open(); list.Element() && !d.ended; {
			d.call(&list, whole)
		}
	}
}

// parts reads a content that is an array, as one vendor sends it.
func (d *decoder) parts(v ir.Raw) {
	list := jsonr.NewReader(string(v))
	for list.Open(); list.Element(); {
		for list.Open(); list.Member(); {
			switch list.Key() {
			case "type":
				if kind := list.Value(); kind != `"text"` && kind != `"thinking"` {
					d.lost.add(lostPart, kind)
				}
			case "text":
				if text, _ := jsonr.Text(list.Value()); text != "" {
					d.blocks.text(ir.TextBlock, text)
				}
			case "thinking":
				for list.Open(); list.Element(); {
					for list.Open(); list.Member(); {
						if list.Key() == "text" {
							if text, _ := jsonr.Text(list.Value()); text != "" {
								d.blocks.text(ir.ReasoningBlock, text)
							}
						}
					}
				}
			}
		}
	}
}

// call reads one element of tool_calls.
func (d *decoder) call(r *jsonr.Reader, whole bool) {
	p := piece{index: -1}
	for r.Open(); r.Member(); {
		switch r.Key() {
		case "index":
			if n, ok := jsonr.Int(r.Value()); ok && !whole {
				p.index = n
			}
		case "id":
			p.id, _ = jsonr.Text(r.Value())
		case "function":
			for r.Open(); r.Member(); {
				switch r.Key() {
				case "name":
					p.name, _ = jsonr.Text(r.Value())
				case "arguments":
					p.arguments = r.Value()
				}
			}
		}
	}
	d.blocks.call(&p, whole)
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
	d.blocks.finish()
	if d.ended {
		return
	}
	d.ended = true
	d.ev = ir.Event{Kind: ir.Finish, Stop: d.blocks.stop(d.stop), Usage: d.usage}
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

// toolName returns the client's name of the tool that the upstream calls name.
func (d *decoder) toolName(name ir.Escaped) ir.Escaped {
	for i := range d.renamed {
		if d.renamed[i].short == name {
			return d.renamed[i].name
		}
	}
	return name
}
