package anthropic

import (
	"unsafe"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// folder gathers the events of one answer for the plain body (Messages API, "Create a Message", response).
type folder struct {
	model   ir.Escaped
	id      ir.Escaped
	content []byte // the elements of "content" so far
	block   ir.BlockKind
	input   []byte // the open tool call's arguments, or the open reasoning block's signature, escaped
	tail    []byte // the members behind "content", once the answer is complete
	err     *ir.Error
}

// Event takes the next event.
func (f *folder) Event(ev *ir.Event) {
	switch ev.Kind {
	case ir.Start:
		f.id = ir.Escaped(append([]byte(nil), messageID(ev.ID)...))
	case ir.BlockStart:
		f.open(ev)
	case ir.Delta:
		f.delta(ev)
	case ir.BlockStop:
		f.close()
	case ir.Finish:
		f.tail = appendStop(nil, ev)
		f.tail = append(f.tail, `,"usage":`...)
		u := ev.Usage
		u.Input = max(u.Input, 0) // SDKs demand it
		f.tail = appendUsage(f.tail, u)
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
	if len(f.content) > 0 {
		f.content = append(f.content, ',')
	}
	switch ev.Block {
	case ir.ReasoningBlock:
		f.content = append(f.content, `{"type":"thinking","thinking":"`...)
	case ir.ToolCallBlock:
		f.content = append(f.content, `{"type":"tool_use","id":`...)
		f.content = jsonw.AppendEscaped(f.content, ir.Identifier(ev.CallID, 0))
		f.content = append(f.content, `,"name":`...)
		f.content = jsonw.AppendEscaped(f.content, ev.Name)
		f.content = append(f.content, `,"input":`...)
	default:
		f.content = append(f.content, `{"type":"text","text":"`...)
	}
}

func (f *folder) delta(ev *ir.Event) {
	switch {
	case f.block == 0:
	case f.block == ir.ReasoningBlock && ev.Delta == ir.SignatureDelta, f.block == ir.ToolCallBlock:
		f.input = append(f.input, ev.Text...)
	case ev.Delta == ir.TextDelta:
		f.content = append(f.content, ev.Text...)
	}
}

func (f *folder) close() {
	switch f.block {
	case 0:
	case ir.ReasoningBlock:
		f.content = append(f.content, `","signature":"`...)
		f.content = append(f.content, f.input...)
		f.content = append(f.content, `"}`...)
	case ir.ToolCallBlock:
		f.content = appendInput(f.content, ir.Escaped(unsafe.String(unsafe.SliceData(f.input), len(f.input))))
		f.content = append(f.content, '}')
	default:
		f.content = append(f.content, `"}`...)
	}
	f.block = 0
}

// appendInput appends a call's arguments as the object that "input" must be. What is no object, because the model was cut off
// or made a mistake, goes into a member of one, so that the client's check of the input shows it to the model.
func appendInput(dst []byte, arguments ir.Escaped) []byte {
	if isBlank(arguments) {
		return append(dst, `{}`...)
	}
	start := len(dst)
	dst = jsonw.AppendUnescaped(dst, arguments)
	object := unsafe.String(unsafe.SliceData(dst[start:]), len(dst)-start)
	r := jsonr.NewReader(object)
	if r.Kind() == jsonr.Object && jsonr.Check(object) == nil {
		return dst
	}
	dst = append(dst[:start], `{"invalid_arguments":`...)
	dst = jsonw.AppendEscaped(dst, arguments)
	return append(dst, '}')
}

// AppendBody appends the message, or returns the failure.
func (f *folder) AppendBody(dst []byte) ([]byte, *ir.Error) {
	if f.err != nil {
		return dst, f.err
	}
	dst = append(dst, `{"id":"`...)
	dst = append(dst, f.id...)
	dst = append(dst, `","type":"message","role":"assistant","model":`...)
	dst = jsonw.AppendEscaped(dst, f.model)
	dst = append(dst, `,"content":[`...)
	dst = append(dst, f.content...)
	dst = append(dst, `],`...)
	dst = append(dst, f.tail...)
	return append(dst, '}'), nil
}
