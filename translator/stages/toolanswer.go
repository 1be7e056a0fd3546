package stages

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// toolAnswer is a sink that turns the arguments of the only tool into the text of the answer. Text
// outside of the call is buffered. At the end of the answer it is dropped, unless the model has not
// called the tool: then the text is the answer.
type toolAnswer struct {
	sink         ir.Sink
	block        ir.BlockKind // the open block if it is a text or a call, else 0
	called       bool
	hasArguments bool
	// open: the call has ended without arguments. Its block stays open until the next event shows
	// whether the answer was cut there.
	open     bool
	failed   bool
	buffered []byte
	ev       ir.Event
}

// Event implements ir.Sink.
func (a *toolAnswer) Event(ev *ir.Event) {
	switch {
	case a.failed:
		return
	case ev.Kind == ir.BlockStart && ev.Block == ir.TextBlock,
		ev.Kind == ir.BlockStart && ev.Block == ir.ToolCallBlock && a.called:
		a.block = ir.TextBlock
		return
	case ev.Kind == ir.BlockStart && ev.Block == ir.ToolCallBlock:
		a.block, a.called, a.buffered = ir.ToolCallBlock, true, nil
		a.ev = ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock}
		ev = &a.ev
	case a.block == ir.TextBlock && ev.Kind == ir.Delta:
		if ev.Delta == ir.TextDelta && !a.called {
			a.buffer(ev.Text)
		}
		return
	case ev.Kind == ir.BlockStop && a.block != 0:
		call := a.block == ir.ToolCallBlock
		a.block, a.open = 0, call && !a.hasArguments
		if !call || a.open {
			return
		}
	case ev.Kind == ir.Finish || ev.Kind == ir.Failure:
		if !a.called {
			a.flush()
		}
		if ev.Kind == ir.Finish && ev.Stop == ir.ToolUse && a.called {
			a.ev = *ev
			a.ev.Stop = ir.EndTurn
			ev = &a.ev
		}
	}
	a.hasArguments = a.hasArguments || a.block == ir.ToolCallBlock && ev.Kind == ir.Delta
	if a.open {
		a.close(ev)
	}
	a.sink.Event(ev)
}

// close ends the block of a call without arguments. Unless the next event says that the answer was
// cut, the arguments are an empty object.
func (a *toolAnswer) close(next *ir.Event) {
	a.open = false
	cut := next.Kind == ir.Failure || next.Kind == ir.Finish &&
		(next.Stop == ir.MaxTokens || next.Stop == ir.ContextWindow || next.Stop == ir.Refusal)
	if !cut {
		a.sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "{}"})
	}
	a.sink.Event(&ir.Event{Kind: ir.BlockStop})
}

func (a *toolAnswer) buffer(text ir.Escaped) {
	if len(a.buffered)+len(text) > ir.MaxBuffered {
		a.failed = true
		err := failure.Unreadable("it has more than 8 MB of text instead of a tool call")
		a.sink.Event(&ir.Event{Kind: ir.Failure, Err: err})
		return
	}
	a.buffered = append(a.buffered, text...)
}

// flush passes the buffered text on.
func (a *toolAnswer) flush() {
	if len(a.buffered) == 0 {
		return
	}
	a.sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	a.sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.View(a.buffered)})
	a.sink.Event(&ir.Event{Kind: ir.BlockStop})
}
