package toy

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// NewDecoder returns a decoder for one answer, streamed or plain.
func (Upstream) NewDecoder(_ *ir.Request, _ *ir.Target, _ *ir.Lost, sink ir.Sink) ir.Decoder {
	return &decoder{sink: sink}
}

type decoder struct {
	sink    ir.Sink
	started bool
	text    bool // a text block is open
	ended   bool
}

func (d *decoder) Event(_, data string) {
	if err := jsonr.Check(data); err != nil {
		d.fail(failure.Unreadable(err.Error()))
		return
	}
	r := jsonr.NewReader(data)
	d.part(&r)
}

func (d *decoder) Body(body string) {
	if err := jsonr.Check(body); err != nil {
		d.fail(failure.Unreadable(err.Error()))
		return
	}
	r := jsonr.NewReader(body)
	for r.OpenObject(); r.Member(); {
		for r.OpenArray(); r.Element(); {
			d.part(&r)
		}
	}
	d.Close(nil)
}

func (d *decoder) part(r *jsonr.Reader) {
	var ev ir.Event
	var end ir.Escaped
	var with ir.Raw
	usage := ir.NoUsage
	for r.OpenObject(); r.Member(); {
		v := r.Value()
		switch s, _ := jsonr.Text(v); r.Key() {
		case "id":
			ev = ir.Event{Kind: ir.Start, ID: s, Usage: ir.NoUsage}
		case "say":
			ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: s}
		case "call":
			ev = ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, CallID: s}
		case "tool":
			ev.Name = s
		case "with":
			with = v
		case "end":
			end = s
			ev.Kind = ir.Finish
		case "in":
			usage.Input = jsonr.Count(v)
		case "out":
			usage.Output = jsonr.Count(v)
		case "wrong":
			d.fail(&ir.Error{Kind: ir.Internal, Message: jsonw.Unescape(s)})
			return
		}
	}
	if d.started = d.started || ev.Kind == ir.Start; !d.started {
		d.fail(failure.Unreadable("it begins without an id"))
		return
	}
	if ev.Kind != ir.Delta && d.text {
		d.text = false
		d.emit(ir.Event{Kind: ir.BlockStop})
	}
	switch ev.Kind {
	case ir.Delta:
		if !d.text {
			d.text = true
			d.emit(ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
		}
	case ir.Finish:
		ev.Usage, ev.Stop = usage, ir.EndTurn
		if end == "tool" {
			ev.Stop = ir.ToolUse
		}
	}
	d.emit(ev)
	if ev.Kind == ir.BlockStart {
		d.emit(ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.Escape(string(with))})
		d.emit(ir.Event{Kind: ir.BlockStop})
	}
}

func (d *decoder) emit(ev ir.Event) {
	if !d.ended {
		d.ended = ev.Kind == ir.Finish || ev.Kind == ir.Failure
		d.sink.Event(&ev)
	}
}

func (d *decoder) fail(err *ir.Error) { d.emit(ir.Event{Kind: ir.Failure, Err: err}) }

func (d *decoder) Complete() bool { return d.ended }

func (d *decoder) Close(cause *ir.Error) {
	if cause == nil {
		cause = failure.Incomplete()
	}
	d.fail(cause)
}
