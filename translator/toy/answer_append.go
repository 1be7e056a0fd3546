package toy

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

// NewEncoder returns an encoder of one streamed answer.
func (Client) NewEncoder(*ir.Request, ir.Escaped) ir.Encoder { return &encoder{} }

// encoder writes a stream. A call is one event in it, so its arguments are gathered first.
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

// NewFolder returns an encoder of one plain answer.
func (Client) NewFolder(_ *ir.Request, _ ir.Escaped, dst []byte) ir.Folder {
	return &folder{dst: append(dst, `{"parts":[`...), start: len(dst)}
}

// folder writes a plain answer: the parts that a stream would have, in a list.
type folder struct {
	parts
	dst   []byte
	start int
	err   *ir.Error
}

func (f *folder) Event(ev *ir.Event) {
	if f.take(ev); f.part == nil {
		return
	}
	if ev.Kind == ir.Failure {
		f.err = ev.Err
		return
	}
	if ev.Kind != ir.Start {
		f.dst = append(f.dst, ',')
	}
	f.dst = append(f.dst, f.part...)
}

func (f *folder) Body() ([]byte, *ir.Error) {
	if f.err != nil {
		return f.dst[:f.start], f.err
	}
	return append(f.dst, "]}"...), nil
}

// parts makes the protocol's parts of events.
type parts struct {
	part  []byte // the part that the last event made; nil for none
	block ir.Event
	with  []byte // the arguments of the open call so far
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
			p.part = []byte(`{"call":"` + string(p.block.CallID) + `","tool":"` + string(p.block.Name) + `","with":` + string(p.with) + `}`)
		}
	case ir.Finish:
		p.part = []byte(`{"end":"` + map[bool]string{true: "tool", false: "done"}[ev.Stop == ir.ToolUse] +
			`","in":` + strconv.FormatInt(ev.Usage.Prompt(), 10) + `,"out":` + strconv.FormatInt(ev.Usage.Output, 10) + `}`)
	case ir.Failure:
		p.part = append(jsonw.AppendString([]byte(`{"wrong":`), ev.Err.Message), '}')
	}
}

func clone(e ir.Escaped) ir.Escaped { return ir.Escaped([]byte(e)) }
