package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// folder writes the plain body of one answer (API reference, "Chat completion object"). The content goes right into the body; what
// stands behind it there waits.
type folder struct {
	answer
	request *ir.Request
	model   ir.Escaped
	dst     []byte // the body so far, from start on
	start   int
	text    bool // the content has begun

	refusal, reasoning, details, calls, annotations []byte
	thought                                         int // where in reasoning the open block begins
	err                                             *ir.Error
}

// Event takes the next event.
func (f *folder) Event(ev *ir.Event) {
	switch ev.Kind {
	case ir.Start:
		f.legacy = f.request.Legacy
		f.dst = appendAnswerHead(f.dst, "chat.completion", ev, f.request, f.model)
		f.dst = append(f.dst, `{"index":0,"message":{"role":"assistant","content":`...)
	case ir.BlockStart:
		f.open(ev)
		f.thought = len(f.reasoning)
		if f.block == ir.ToolCallBlock || f.block == ir.CustomToolCallBlock {
			f.calls = f.appendCall(separated(f.calls), ev, false)
		}
	case ir.Delta:
		f.delta(ev)
	case ir.BlockStop:
		f.stop()
	case ir.Finish:
		f.finish(ev)
	case ir.Failure:
		f.err = ev.Err
	}
}

func (f *folder) delta(ev *ir.Event) {
	switch {
	case ev.Delta == ir.CitationDelta:
		f.cite(ev.Citation)
	case ev.Delta == ir.SignatureDelta:
		if thought := f.reasoning[f.thought:]; len(thought) <= maxThought {
			f.details = f.appendDetail(separated(f.details), ev, thought)
		}
	case ev.Delta != ir.TextDelta:
	case f.block == ir.TextBlock:
		f.characters += jsonw.Characters(ev.Text)
		if !f.text {
			f.text = true
			f.dst = append(f.dst, '"')
		}
		f.dst = append(f.dst, ev.Text...)
	case f.block == ir.ReasoningBlock:
		f.reasoning = append(f.reasoning, ev.Text...)
	case f.block == ir.RefusalBlock:
		f.refusal = append(f.refusal, ev.Text...)
	case f.block == ir.ToolCallBlock, f.block == ir.CustomToolCallBlock:
		f.argue(ev.Text)
		f.calls = append(f.calls, ev.Text...)
	}
}

// stop ends a block.
func (f *folder) stop() {
	switch f.block {
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		f.calls = append(f.calls, f.fill()...)
		f.calls = f.appendCallEnd(f.calls)
	case ir.TextBlock:
		if len(f.citations) > 0 {
			f.annotations = f.appendCitations(separated(f.annotations))
		}
	}
	f.block = 0
}

// finish writes all that stands behind the content. Content is null where there is a call or a refusal instead.
func (f *folder) finish(ev *ir.Event) {
	switch {
	case f.text:
		f.raw(`"`)
	case f.calls != nil || f.refused:
		f.raw(`null`)
	default:
		f.raw(`""`)
	}
	if f.refused {
		f.raw(`,"refusal":"`)
		f.dst = append(f.dst, f.refusal...)
		f.raw(`","annotations":[`)
	} else {
		f.raw(`,"refusal":null,"annotations":[`)
	}
	f.dst = append(f.dst, f.annotations...)
	f.raw(`]`)
	if f.reasoning != nil {
		f.raw(`,"reasoning_content":"`)
		f.dst = append(f.dst, f.reasoning...)
		f.raw(`"`)
	}
	if f.details != nil {
		f.raw(`,"reasoning_details":[`)
		f.dst = append(f.dst, f.details...)
		f.raw(`]`)
	}
	switch {
	case f.calls == nil:
	case f.legacy:
		f.raw(`,"function_call":`)
		f.dst = append(f.dst, f.calls...)
	default:
		f.raw(`,"tool_calls":[`)
		f.dst = append(f.dst, f.calls...)
		f.raw(`]`)
	}
	f.raw(`},"logprobs":null,"finish_reason":"`)
	f.raw(f.finishReason(ev.Stop))
	f.raw(`"}],"usage":`)
	f.dst = appendUsage(f.dst, ev.Usage)
	f.raw(`}`)
}

func (f *folder) raw(s string) { f.dst = append(f.dst, s...) }

// separated returns a list of elements, ready for the next.
func separated(list []byte) []byte {
	if len(list) > 0 {
		list = append(list, ',')
	}
	return list
}

// Body returns the answer, or the failure.
func (f *folder) Body() ([]byte, *ir.Error) {
	if f.err != nil {
		return f.dst[:f.start], f.err
	}
	return f.dst, nil
}
