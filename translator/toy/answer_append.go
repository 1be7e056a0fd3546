package toy

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

// NewEncoder returns an encoder for one streamed answer.
func (Client) NewEncoder(*ir.Request, ir.Escaped) ir.Encoder { return &encoder{} }

// encoder writes a stream. A call is a single part, so its arguments are buffered until the call
// ends.
type encoder struct {
	parts
}

func (e *encoder) AppendEvent(dst []byte, ev *ir.Event) []byte {
	e.take(ev)
	if e.part == nil {
		return dst
	}
	dst = sse.AppendHead(dst, "")
	dst = append(dst, e.part...)
	return sse.AppendTail(dst)
}

func (*encoder) KeepAlive() string { return ": still here\n" }

func (*encoder) Trap() string { return "data: {\"wrong\":\"The translator failed.\"}\n\n" }

// NewPlainEncoder returns an encoder for one plain answer.
func (Client) NewPlainEncoder(_ *ir.Request, _ ir.Escaped, dst []byte) ir.PlainEncoder {
	return ir.NewPlainEncoder(dst, &bodyWriter{})
}

// bodyWriter writes a plain answer: the parts of a stream, in a list.
type bodyWriter struct {
	parts
}

func (w *bodyWriter) AppendEvent(dst []byte, ev *ir.Event) []byte {
	if w.take(ev); w.part == nil {
		return dst
	}
	lead, end := ",", ""
	switch ev.Kind {
	case ir.Start:
		lead = `{"parts":[`
	case ir.Finish:
		end = "]}"
	}
	return append(append(append(dst, lead...), w.part...), end...)
}

// parts turns events into the protocol's parts.
type parts struct {
	part  []byte   // the part completed by the last event, or nil
	block ir.Event // a copy of the start of the open block
	with  []byte   // the arguments of the open call so far
}

func (p *parts) take(ev *ir.Event) {
	p.part = nil
	switch ev.Kind {
	case ir.Start:
		p.part = append([]byte(`{"id":"`+string(ev.ID)), `"}`...)
	case ir.BlockStart:
		p.block = ir.Event{Block: ev.Block, CallID: clone(ev.CallID), Name: clone(ev.Name)}
		p.with = nil
	case ir.Delta:
		if p.block.Block == ir.ToolCallBlock {
			p.with = jsonw.AppendUnescaped(p.with, ev.Text)
		} else {
			p.part = []byte(`{"say":"` + string(ev.Text) + `"}`)
		}
	case ir.BlockStop:
		if p.block.Block == ir.ToolCallBlock {
			if len(p.with) == 0 { // a call without arguments may have no delta
				p.with = []byte("{}")
			}
			p.part = []byte(`{"call":"` + string(p.block.CallID) + `","tool":"` + string(p.block.Name) +
				`","with":` + string(p.with) + `}`)
		}
	case ir.Finish:
		p.part = []byte(`{"end":"` + map[bool]string{true: "tool", false: "done"}[ev.Stop == ir.ToolUse] +
			`","in":` + strconv.FormatInt(ev.Usage.Prompt(), 10) + `,"out":` +
			strconv.FormatInt(ev.Usage.Output, 10) + `}`)
	case ir.Failure:
		p.part = append(jsonw.AppendString([]byte(`{"wrong":`), ev.Err.Message), '}')
	}
}

func clone(e ir.Escaped) ir.Escaped { return ir.Escaped([]byte(e)) }
