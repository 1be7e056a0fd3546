package policy

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Restore returns a sink for the upstream's answer to the request that Apply made of r. The sink
// gives tool calls the client's names and ids, and passes all events to sink. If no name and no id
// differs, Restore returns sink itself. If a tool's parameters have other names upstream, the
// arguments of its calls are buffered until complete; all other events are passed at once.
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

// answer is the sink of Restore.
type answer struct {
	sink     ir.Sink
	prefix   string   // the prefix of the client's call ids; "": ids are unchanged
	tools    []*Tool  // the client's tools with an entry in tool_map
	called   *Tool    // the tool of the open call, if its arguments are buffered; else nil
	buffered []byte   // the buffered arguments, escaped
	ended    bool     // the buffer limit was exceeded: the answer has ended with a failure
	ev       ir.Event // the changed copy of an event
}

// Event implements ir.Sink.
//
//go:noinline
func (a *answer) Event(ev *ir.Event) {
	switch {
	case a.ended:
		return
	case ev.Kind == ir.BlockStart && (ev.Block == ir.ToolCallBlock || ev.Block == ir.CustomToolCallBlock):
		ev = a.call(ev)
	case a.called != nil && ev.Kind == ir.Delta:
		a.buffer(ev.Text)
		return
	case a.called != nil && ev.Kind == ir.BlockStop:
		a.arguments()
		a.called = nil
	case ev.Kind == ir.Delta && ev.Delta == ir.HostedDelta:
		a.found(ev.Hosted.FoundTools)
	}
	a.sink.Event(ev)
}

// found replaces the names of tools found by the upstream with the client's names.
func (a *answer) found(names []ir.Escaped) {
	for i := range names {
		for _, t := range a.tools {
			if t.As == jsonw.Unescape(names[i]) {
				names[i] = jsonw.Escape(t.Name)
				break
			}
		}
	}
}

// call returns the first event of a call with the client's id and name.
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
			a.called, a.buffered = t, a.buffered[:0]
		}
		break
	}
	return &a.ev
}

// buffer buffers a piece of the arguments, up to ir.MaxBuffered bytes in all.
func (a *answer) buffer(e ir.Escaped) {
	// Only after everything before a key is read, escapes included, is the key known to be whole
	// and at the top level. Renamed arguments are small, and clients run complete arguments only,
	// so waiting costs nothing.
	if len(a.buffered)+len(e) > ir.MaxBuffered {
		a.ended = true
		a.sink.Event(&ir.Event{Kind: ir.Failure,
			Err: failure.Unreadable("the arguments of a tool call are larger than 8 MB")})
		return
	}
	a.buffered = append(a.buffered, e...)
}

// arguments emits the buffered arguments with the client's parameter names. Arguments that are not
// JSON are unchanged.
func (a *answer) arguments() {
	text := jsonw.View(a.buffered)
	if text == "" {
		return
	}
	object := jsonw.Unescape(text)
	if jsonr.Check(object) == nil {
		text = ir.Escaped(jsonw.AppendQuotedRaw(nil, renamedMembers(jsonw.Raw(object), a.called.Params,
			true)))
	}
	a.sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text})
}
