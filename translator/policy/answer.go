package policy

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Restore returns a sink for the answer to what Apply has made of r, which gives calls the client's names and ids again: sink itself
// where there is nothing to give back. The arguments of a tool whose parameters have other names are held back until they are
// whole; all else goes on as it comes.
func (p *Policy) Restore(r *ir.Request, sink ir.Sink) ir.Sink {
	a := &answer{sink: sink}
	if p.PrefixIDs {
		a.prefix = r.API.CallIDPrefix
	}
	for i := range r.Tools {
		if m := p.named(&r.Tools[i]); m != nil {
			a.tools = append(a.tools, m)
		}
	}
	if a.prefix == "" && a.tools == nil {
		return sink
	}
	return a
}

type answer struct {
	sink   ir.Sink
	prefix string  // of the ids of calls; "": they stay
	tools  []*Tool // those of the client that have another name upstream
	called *Tool   // whose arguments are held back; nil: none
	held   []byte
	ended  bool
	ev     ir.Event
}

// Event takes the next event of the answer.
func (a *answer) Event(ev *ir.Event) {
	switch {
	case a.ended:
		return
	case ev.Kind == ir.BlockStart && (ev.Block == ir.ToolCallBlock || ev.Block == ir.CustomToolCallBlock):
		ev = a.call(ev)
	case a.called != nil && ev.Kind == ir.Delta:
		a.hold(ev.Text)
		return
	case a.called != nil && ev.Kind == ir.BlockStop:
		a.arguments()
		a.called = nil
	}
	a.sink.Event(ev)
}

// call returns the beginning of a call as the client knows it.
func (a *answer) call(ev *ir.Event) *ir.Event {
	a.ev = *ev
	if a.prefix != "" {
		a.ev.CallID = shownID(ev.CallID, a.prefix)
	}
	name := jsonw.Unescape(ev.Name)
	for _, t := range a.tools {
		if t.As != name {
			continue
		}
		a.ev.Name = jsonw.Escape(t.Name)
		if len(t.Params) > 0 && ev.Block == ir.ToolCallBlock {
			a.called, a.held = t, a.held[:0]
		}
		break
	}
	return &a.ev
}

func (a *answer) hold(e ir.Escaped) {
	if len(a.held)+len(e) > ir.MaxHeld {
		a.ended = true
		a.sink.Event(&ir.Event{Kind: ir.Failure, Err: failure.Unreadable("arguments of a tool call of more than 8 MB")})
		return
	}
	a.held = append(a.held, e...)
}

// arguments passes on what is held, with the client's names. What is no object, which a model has written, goes as it is.
func (a *answer) arguments() {
	text := jsonw.View(a.held)
	if text == "" {
		return
	}
	object := jsonw.Unescape(text)
	if jsonr.Check(object) == nil {
		text = ir.Escaped(jsonw.AppendQuotedRaw(nil, renamedMembers(jsonw.Raw(object), a.called.Params, true)))
	}
	a.sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text})
}
