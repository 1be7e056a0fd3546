package anthropic

import (
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
	kept  []byte // the open tool call's arguments or reasoning's signature, escaped, or the text's citations
	item  []byte // the upstream's id of the open block, where that must go with a signature
	found found  // what is known of a web search
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
	f.kept = f.kept[:0]
	switch ev.Block {
	case ir.ReasoningBlock:
		f.item = append(f.item[:0], ev.ID...)
		f.element()
		f.dst = append(f.dst, `{"type":"thinking","thinking":"`...)
	case ir.RedactedBlock:
		f.item = append(f.item[:0], ev.ID...)
	case ir.WebSearchBlock:
		f.found.begin(ev)
	case ir.ServerToolBlock, ir.CustomToolCallBlock:
	case ir.ToolCallBlock:
		f.element()
		f.dst = append(f.dst, `{"type":"tool_use","id":`...)
		f.dst = jsonw.AppendEscaped(f.dst, ir.Identifier(ev.CallID, 0))
		f.dst = append(f.dst, `,"name":`...)
		f.dst = jsonw.AppendEscaped(f.dst, ev.Name)
		f.dst = append(f.dst, `,"input":`...)
	default:
		f.block = ir.TextBlock
		f.element()
		f.dst = append(f.dst, `{"type":"text","text":"`...)
	}
}

// element begins an element of "content".
func (f *folder) element() {
	if f.begun {
		f.dst = append(f.dst, ',')
	}
	f.begun = true
}

func (f *folder) delta(ev *ir.Event) {
	switch f.block {
	case ir.WebSearchBlock:
		f.found.delta(ev)
	case ir.RedactedBlock:
		f.element()
		f.dst = appendRedacted(f.dst, ev, f.item)
	case ir.ServerToolBlock:
		f.element()
		f.dst = append(f.dst, ev.Raw...)
	case ir.ToolCallBlock:
		f.kept = append(f.kept, ev.Text...)
	case ir.ReasoningBlock:
		if ev.Delta == ir.SignatureDelta {
			f.kept = appendSignature(f.kept, ev, false, f.item)
		} else {
			f.dst = append(f.dst, ev.Text...)
		}
	case ir.TextBlock:
		if ev.Delta == ir.CitationDelta {
			if len(f.kept) > 0 {
				f.kept = append(f.kept, ',')
			}
			f.kept = appendCitation(f.kept, ev.Citation)
		} else {
			f.dst = append(f.dst, ev.Text...)
		}
	}
}

func (f *folder) close() {
	switch f.block {
	case ir.WebSearchBlock:
		f.element()
		f.dst = f.found.appendUse(f.dst, true)
		f.element()
		f.dst = f.found.appendResult(f.dst)
	case ir.ReasoningBlock:
		f.dst = append(f.dst, `","signature":"`...)
		f.dst = append(f.dst, f.kept...)
		f.dst = append(f.dst, `"}`...)
	case ir.ToolCallBlock:
		f.dst = jsonr.AppendObject(f.dst, jsonw.View(f.kept))
		f.dst = append(f.dst, '}')
	case ir.TextBlock:
		f.dst = append(f.dst, '"')
		if len(f.kept) > 0 {
			f.dst = append(f.dst, `,"citations":[`...)
			f.dst = append(f.dst, f.kept...)
			f.dst = append(f.dst, ']')
		}
		f.dst = append(f.dst, '}')
	}
}

// Body returns the message, or the failure.
func (f *folder) Body() ([]byte, *ir.Error) {
	if f.err != nil {
		return f.dst[:f.start], f.err
	}
	return f.dst, nil
}
