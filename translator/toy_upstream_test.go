package translator_test

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// toyUpstream is the fourth protocol on the upstream's side. An answer is a stream of parts, or {"parts":[PART...]}:
//
//	{"id":ID}, {"say":TEXT}, {"call":ID,"tool":NAME,"with":OBJECT}, {"end":"done" or "tool","in":N,"out":N}, {"wrong":MESSAGE}
type toyUpstream struct{}

func (toyUpstream) Name() string { return toyName }

func (toyUpstream) AppendRequest(dst []byte, q *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	out := append(dst, `{"model":"`...)
	out = append(out, q.Model...)
	out = append(out, `","turns":[`...)
	first := true
	for _, m := range q.Messages {
		for i := range m.Content {
			var err *ir.Error
			before := len(out)
			if !first {
				out = append(out, ',')
			}
			mark := len(out)
			if out, err = appendToyTurn(out, m.Role, &m.Content[i], q, t, lost); err != nil {
				return dst, err
			}
			if len(out) == mark {
				out = out[:before]
				continue
			}
			first = false
		}
	}
	out = append(out, `],"tools":[`...)
	for i := range q.Tools {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"name":"`+string(q.Tools[i].Name)+`","takes":`...)
		out = append(out, q.Tools[i].Schema...)
		out = append(out, '}')
	}
	return append(out, `]}`...), nil
}

func appendToyTurn(dst []byte, role ir.Role, c *ir.Content, q *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	switch c.Kind {
	case ir.TextContent:
		who := "user"
		if role == ir.Assistant {
			who = "model"
		}
		return append(dst, `{"who":"`+who+`","say":"`+string(c.Text)+`"}`...), nil
	case ir.ToolCallContent:
		return append(dst, `{"who":"model","call":"`+string(c.ID)+`","tool":"`+string(c.Name)+`","with":`+string(c.Input)+`}`...), nil
	case ir.ToolResultContent:
		dst = append(dst, `{"who":"tool","call":"`+string(c.ID)+`","say":"`...)
		for _, part := range c.Parts {
			dst = append(dst, part.Text...)
		}
		return append(dst, `"}`...), nil
	}
	return dst, lost.AddOrRefuse(t, c.At.String(), "anything but text and calls")
}

func (toyUpstream) NewDecoder(_ *ir.Request, _ *ir.Target, _ *ir.Lost, sink ir.Sink) ir.Decoder {
	return &toyDecoder{sink: sink}
}

func (toyUpstream) DecodeError(status int, body string) *ir.Error {
	return failure.Decode(status, body)
}

type toyDecoder struct {
	sink    ir.Sink
	started bool
	text    bool // a block of text is open
	ended   bool
}

func (d *toyDecoder) Event(_, data string) {
	if err := jsonr.Check(data); err != nil {
		d.fail(failure.Unreadable(err.Error()))
		return
	}
	r := jsonr.NewReader(data)
	d.part(&r)
}

func (d *toyDecoder) Body(body string) {
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

func (d *toyDecoder) part(r *jsonr.Reader) {
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

func (d *toyDecoder) emit(ev ir.Event) {
	if !d.ended {
		d.ended = ev.Kind == ir.Finish || ev.Kind == ir.Failure
		d.sink.Event(&ev)
	}
}

func (d *toyDecoder) fail(err *ir.Error) { d.emit(ir.Event{Kind: ir.Failure, Err: err}) }

func (d *toyDecoder) Complete() bool { return d.ended }

func (d *toyDecoder) Close(cause *ir.Error) {
	if cause == nil {
		cause = failure.Incomplete()
	}
	d.fail(cause)
}
