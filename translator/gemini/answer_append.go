package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// answerWriter writes the only candidate of an answer. In a stream each part gets its own chunk,
// and a call is written when it is complete. In a plain body parts are appended as they come, and
// the pieces of a text become one part.
type answerWriter struct {
	request *ir.Request
	model   ir.Escaped
	plain   bool
	ids     []byte // the members with the answer's id and its model
	parts   int64  // how many parts a plain body has
	// the kind of a plain body's open part: TextBlock, ReasoningBlock, or 0 for none
	joined ir.BlockKind

	block     ir.BlockKind // the open block
	emptyLine bool         // an empty line precedes the next piece of text
	hasText   bool         // there was a text
	item      []byte       // the upstream's id of the open block of reasoning
	thought   []byte       // the text of the block of reasoning, up to maxThought
	waiting   []signature  // the signatures not yet written: a text or a call may follow
	repeated  []signature  // the signatures written since the last call, without a call
	called    bool         // a call has been written
	calls     google.Calls
	probable  logprobs
	sources   grounding
}

// appendBlockEvent appends the chunks or the part of a body for a BlockStart, Delta or BlockStop.
func (w *answerWriter) appendBlockEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.BlockStart:
		return w.appendStart(dst, ev)
	case ir.Delta:
		return w.appendDelta(dst, ev)
	case ir.BlockStop:
		w.stop()
	}
	return dst
}

func (w *answerWriter) appendStart(dst []byte, ev *ir.Event) []byte {
	dst = w.appendCall(dst)
	w.block = ev.Block
	switch ev.Block {
	case ir.TextBlock, ir.RefusalBlock:
		dst = w.appendApart(dst)
		w.emptyLine = w.hasText && (ev.NewMessage || ev.Block == ir.RefusalBlock)
		w.sources.begin()
	case ir.ReasoningBlock, ir.RedactedBlock:
		// the signature of a visible thought belongs right after the thought
		if n := len(w.waiting); n > 0 && !w.waiting[n-1].own {
			dst = w.appendApart(dst)
		}
		w.item, w.thought = append(w.item[:0], ev.ID...), w.thought[:0]
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		w.calls.Begin(ev)
	case ir.WebSearchBlock:
		w.sources.search()
	}
	return dst
}

// emptyLine separates two messages of the upstream, which are one message in this API.
const emptyLine = `\n\n`

func (w *answerWriter) appendDelta(dst []byte, ev *ir.Event) []byte {
	switch ev.Delta {
	case ir.SignatureDelta:
		return w.sign(dst, ev)
	case ir.LogprobsDelta:
		if w.probable.add(ev.Raw); !w.plain && w.probable.isLong() {
			return w.appendText(dst, ir.TextBlock, "")
		}
	case ir.CitationDelta:
		w.sources.add(ev.Citation, w.block)
	case ir.TextDelta:
		switch w.block {
		case ir.TextBlock, ir.RefusalBlock:
			if w.emptyLine {
				w.emptyLine = false
				dst = w.appendText(dst, ir.TextBlock, emptyLine)
				w.sources.base += int64(len("\n\n"))
			}
			w.hasText = true
			w.sources.hear(ev.Text)
			return w.appendText(dst, ir.TextBlock, ev.Text)
		case ir.ReasoningBlock:
			w.thought = append(w.thought, ev.Text[:min(len(ev.Text), maxThought+1-len(w.thought))]...)
			return w.appendText(dst, ir.ReasoningBlock, ev.Text)
		case ir.ToolCallBlock, ir.CustomToolCallBlock:
			w.calls.Add(ev.Text)
		case ir.WebSearchBlock:
			w.sources.ask(ev.Text)
		}
	}
	return dst
}

func (w *answerWriter) stop() {
	switch w.block {
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		w.calls.Stop()
	case ir.TextBlock:
		w.sources.end(w)
	case ir.WebSearchBlock:
		w.sources.endSearch()
	}
	w.block = 0
}

// textLead returns the beginning of a part with text, by the kind of its block.
func textLead(kind ir.BlockKind) string {
	if kind == ir.ReasoningBlock {
		return `{"thought":true,"text":"`
	}
	return `{"text":"`
}

// appendText appends a piece of a text or a thought. The waiting envelopes sign the first piece of a
// text.
func (w *answerWriter) appendText(dst []byte, kind ir.BlockKind, text ir.Escaped) []byte {
	signs := kind == ir.TextBlock && len(w.waiting) > 0
	if !w.plain || w.joined != kind || signs {
		dst = w.openPart(dst)
		if signs {
			dst = w.appendTextSignature(dst)
		} else {
			dst = append(dst, textLead(kind)...)
		}
		w.joined = kind
	}
	if dst = append(dst, text...); w.plain {
		return dst
	}
	w.joined = 0
	return w.closePart(append(dst, `"}`...))
}

// openPart appends what precedes a part.
func (w *answerWriter) openPart(dst []byte) []byte {
	if !w.plain {
		return append(append(dst, eventLead...), contentLead...)
	}
	if dst = w.endText(dst); w.parts > 0 {
		dst = append(dst, ',')
	}
	w.parts++
	w.sources.base = 0
	return dst
}

// endText ends the open text of a plain body, if there is one.
func (w *answerWriter) endText(dst []byte) []byte {
	if w.joined != 0 {
		w.joined = 0
		dst = append(dst, `"}`...)
	}
	return dst
}

// closePart appends what follows a part.
func (w *answerWriter) closePart(dst []byte) []byte {
	if w.plain {
		return dst
	}
	dst = w.probable.appendTo(append(dst, contentTail...))
	w.probable.reset()
	dst = append(append(dst, noUsage...), w.ids...)
	return append(dst, "}\n\n"...)
}

// The beginning of a chunk or a body with its only candidate, and the end of the candidate's
// content.
const (
	eventLead   = "data: "
	contentLead = `{"candidates":[{"content":{"parts":[`
	contentTail = `],"role":"model"},"index":0`
)

// appendCall appends the call whose block has ended, if it is known to be complete.
func (w *answerWriter) appendCall(dst []byte) []byte {
	if c := w.calls.Ready(); c != nil {
		return w.appendFunctionCall(dst, c)
	}
	return dst
}

// endCalls appends the calls that have waited for the end of the answer. cut says that the answer has
// ended at a limit or by a filter.
func (w *answerWriter) endCalls(dst []byte, cut bool) []byte {
	for c := w.calls.Last(cut); c != nil; c = w.calls.Last(cut) {
		dst = w.appendFunctionCall(dst, c)
	}
	return dst
}

func (w *answerWriter) appendFunctionCall(dst []byte, c *google.AnswerCall) []byte {
	dst = jsonw.AppendTextMember(w.openPart(w.settle(dst)), `{"functionCall":{"id":`, jsonw.View(c.ID))
	dst = jsonw.AppendTextMember(dst, `,"name":`, jsonw.View(c.Name))
	dst = c.AppendArguments(append(dst, `,"args":`...))
	dst = w.appendCallSignature(append(dst, '}'))
	return w.closePart(append(dst, '}'))
}
