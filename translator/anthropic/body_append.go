package anthropic

import (
	"unsafe"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// folder writes the plain body of one answer (Messages API, "Create a Message", response).
type folder struct {
	model ir.Escaped
	dst   []byte // the body so far, from start on
	start int
	begun bool // an element of "content" is there
	block ir.BlockKind
	input []byte // the open tool call's arguments, or the open reasoning block's signature, escaped
	err   *ir.Error
}

// Event takes the next event.
func (f *folder) Event(ev *ir.Event) {
	switch ev.Kind {
	case ir.Start:
		f.dst = append(f.dst, `{"id":"`...)
		f.dst = append(f.dst, messageID(ev.ID)...)
		f.dst = append(f.dst, `","type":"message","role":"assistant","model":`...)
		f.dst = jsonw.AppendEscaped(f.dst, f.model)
		f.dst = append(f.dst, `,"content":[`...)
	case ir.BlockStart:
		f.open(ev)
	case ir.Delta:
		f.delta(ev)
	case ir.BlockStop:
		f.close()
	case ir.Finish:
		f.dst = append(f.dst, `],`...)
		f.dst = appendStop(f.dst, ev)
		f.dst = append(f.dst, `,"usage":`...)
		u := ev.Usage
		u.Input = max(u.Input, 0) // SDKs demand it
		f.dst = appendUsage(f.dst, u)
		f.dst = append(f.dst, '}')
	case ir.Failure:
		f.err = ev.Err
	}
}

// open begins a block, with the same forms as the stream.
func (f *folder) open(ev *ir.Event) {
	f.block = ev.Block
	f.input = f.input[:0]
	switch ev.Block {
	case ir.RedactedBlock, ir.ServerToolBlock, ir.CustomToolCallBlock:
		f.block = 0
		return
	}
	if f.begun {
		f.dst = append(f.dst, ',')
	}
	f.begun = true
	switch ev.Block {
	case ir.ReasoningBlock:
		f.dst = append(f.dst, `{"type":"thinking","thinking":"`...)
	case ir.ToolCallBlock:
		f.dst = append(f.dst, `{"type":"tool_use","id":`...)
		f.dst = jsonw.AppendEscaped(f.dst, ir.Identifier(ev.CallID, 0))
		f.dst = append(f.dst, `,"name":`...)
		f.dst = jsonw.AppendEscaped(f.dst, ev.Name)
		f.dst = append(f.dst, `,"input":`...)
	default:
		f.dst = append(f.dst, `{"type":"text","text":"`...)
	}
}

func (f *folder) delta(ev *ir.Event) {
	switch {
	case f.block == 0:
	case f.block == ir.ReasoningBlock && ev.Delta == ir.SignatureDelta, f.block == ir.ToolCallBlock:
		f.input = append(f.input, ev.Text...)
	case ev.Delta == ir.TextDelta:
		f.dst = append(f.dst, ev.Text...)
	}
}

func (f *folder) close() {
	switch f.block {
	case 0:
	case ir.ReasoningBlock:
		f.dst = append(f.dst, `","signature":"`...)
		f.dst = append(f.dst, f.input...)
		f.dst = append(f.dst, `"}`...)
	case ir.ToolCallBlock:
		f.dst = jsonr.AppendObject(f.dst, ir.Escaped(unsafe.String(unsafe.SliceData(f.input), len(f.input))))
		f.dst = append(f.dst, '}')
	default:
		f.dst = append(f.dst, `"}`...)
	}
	f.block = 0
}

// Body returns the message, or the failure.
func (f *folder) Body() ([]byte, *ir.Error) {
	if f.err != nil {
		return f.dst[:f.start], f.err
	}
	return f.dst, nil
}
