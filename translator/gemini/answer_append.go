package gemini

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// answerWriter writes the one candidate of an answer. In a stream each part goes out in a chunk of its own, a call when it is whole. In a plain body the
// parts are appended as they come, and the pieces of a text are one part.
type answerWriter struct {
	request *ir.Request
	model   ir.Escaped
	plain   bool
	ids     []byte       // the members that name the answer and its model
	parts   int64        // how many parts a plain body has
	joined  ir.BlockKind // of the part of a plain body that is still open: TextBlock, ReasoningBlock, or 0 for none

	block     ir.BlockKind // the open block
	apart     bool         // what comes next of the text stands behind an empty line
	said      bool         // there was a text
	signature []byte       // what the next part is to have as its signature: of a call, or reasoning that the client can't read
	item      []byte       // the upstream's id of the open block of reasoning
	thought   bool         // the open block of reasoning has a text
	id, name  []byte       // of the open call
	arguments []byte       // of the open call, or its free text
	custom    bool         // the open call has free text
	waits     bool         // the call has ended: the next event says whether it is complete or was cut
	probable  logprobs
	sources   grounding
}

// appendBlockEvent appends what a BlockStart, Delta or BlockStop becomes.
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
	dst = w.appendCall(dst, false)
	w.block, w.thought = ev.Block, false
	switch ev.Block {
	case ir.TextBlock, ir.RefusalBlock:
		dst = w.appendSignature(dst)
		w.apart = w.said && (ev.Apart || ev.Block == ir.RefusalBlock)
		w.sources.begin()
	case ir.ReasoningBlock, ir.RedactedBlock:
		dst = w.appendSignature(dst)
		w.item = append(w.item[:0], ev.ID...)
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		w.custom = ev.Block == ir.CustomToolCallBlock
		w.id, w.name, w.arguments = append(w.id[:0], ev.CallID...), append(w.name[:0], ev.Name...), w.arguments[:0]
	case ir.WebSearchBlock:
		w.sources.search()
	}
	return dst
}

// emptyLine stands between two messages of the upstream's, which are one in this API.
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
			if w.apart {
				w.apart = false
				dst = w.appendText(dst, ir.TextBlock, emptyLine)
				w.sources.base += int64(len("\n\n"))
			}
			w.said = true
			w.sources.hear(ev.Text)
			return w.appendText(dst, ir.TextBlock, ev.Text)
		case ir.ReasoningBlock:
			w.thought = true
			return w.appendText(dst, ir.ReasoningBlock, ev.Text)
		case ir.ToolCallBlock, ir.CustomToolCallBlock:
			w.arguments = append(w.arguments, ev.Text...)
		case ir.WebSearchBlock:
			w.sources.ask(ev.Text)
		}
	}
	return dst
}

func (w *answerWriter) stop() {
	switch w.block {
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		w.waits = true
	case ir.TextBlock:
		w.sources.end(w)
	case ir.WebSearchBlock:
		w.sources.endSearch()
	}
	w.block = 0
}

// textLead returns how a part with text begins, by its block.
func textLead(kind ir.BlockKind) string {
	if kind == ir.ReasoningBlock {
		return `{"thought":true,"text":"`
	}
	return `{"text":"`
}

// appendText appends a piece of a text or a thought.
func (w *answerWriter) appendText(dst []byte, kind ir.BlockKind, text ir.Escaped) []byte {
	if !w.plain || w.joined != kind {
		dst = append(w.openPart(dst), textLead(kind)...)
		w.joined = kind
	}
	if dst = append(dst, text...); w.plain {
		return dst
	}
	w.joined = 0
	return w.closePart(append(dst, `"}`...))
}

// openPart appends what stands in front of a part.
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

// endText ends the text of a plain body that is still open.
func (w *answerWriter) endText(dst []byte) []byte {
	if w.joined != 0 {
		w.joined = 0
		dst = append(dst, `"}`...)
	}
	return dst
}

// closePart appends what stands behind a part.
func (w *answerWriter) closePart(dst []byte) []byte {
	if w.plain {
		return dst
	}
	dst = w.probable.appendTo(append(dst, contentTail...))
	w.probable.reset()
	dst = append(append(dst, `}]`...), w.ids...)
	return append(dst, "}\n\n"...)
}

// How the one candidate of a chunk, or of a body, begins, and its content ends.
const (
	eventLead   = "data: "
	contentLead = `{"candidates":[{"content":{"parts":[`
	contentTail = `],"role":"model"},"index":0`
)

// sign takes the signature of a block. Google's own goes out as it is: that of a thought or a text in a part behind it, and that of a call in the call's
// part. What another vendor has signed, or only it can read, goes out in an envelope (ir.Envelope) in base64: behind the thought, or else with the call that
// follows, since gemini-cli keeps the signatures of calls and no thoughts.
func (w *answerWriter) sign(dst []byte, ev *ir.Event) []byte {
	own := ev.Origin == Name && !ir.IsEnvelope(ev.Text)
	text, ofText := strings.CutPrefix(string(ev.Text), textMark)
	switch {
	case own:
		w.signature = append(w.signature, text...)
	case ev.Origin == Name: // package translator has made the envelope
		w.signature = appendBase64(w.signature, []byte(ev.Text))
	default:
		w.signature = appendBase64(w.signature, ir.AppendEnvelope(nil, ev.Origin, w.block == ir.RedactedBlock, jsonw.View(w.item), ev.Text))
	}
	switch {
	case w.block == ir.ReasoningBlock && (own || w.thought):
		return w.appendSigned(dst, `{"thought":true,"text":"","thoughtSignature":"`)
	case own && ofText:
		return w.appendSignature(dst)
	}
	return dst
}

// appendSignature appends a part with the signature that waits, where one does: no call has followed.
func (w *answerWriter) appendSignature(dst []byte) []byte {
	if len(w.signature) == 0 {
		return dst
	}
	return w.appendSigned(dst, `{"text":"","thoughtSignature":"`)
}

func (w *answerWriter) appendSigned(dst []byte, lead string) []byte {
	dst = append(append(w.openPart(dst), lead...), w.signature...)
	w.signature = w.signature[:0]
	return w.closePart(append(dst, `"}`...))
}

// appendCall appends the call whose block has ended, where there is one. cut says that the answer has ended at a limit: then a call whose arguments are not
// whole is left out, since this API has no form for it.
func (w *answerWriter) appendCall(dst []byte, cut bool) []byte {
	if !w.waits {
		return dst
	}
	w.waits = false
	if cut && (w.custom || !isWhole(jsonw.View(w.arguments))) {
		return dst
	}
	dst = jsonw.AppendTextMember(w.openPart(dst), `{"functionCall":{"id":`, jsonw.View(w.id))
	dst = jsonw.AppendTextMember(dst, `,"name":`, jsonw.View(w.name))
	if dst = append(dst, `,"args":`...); w.custom {
		dst = append(jsonw.AppendTextMember(dst, `{"input":`, jsonw.View(w.arguments)), '}')
	} else {
		at := len(dst)
		dst = jsonr.AppendObject(dst, jsonw.View(w.arguments))
		jsonw.Flatten(dst[at:])
	}
	if dst = append(dst, '}'); len(w.signature) > 0 {
		dst = jsonw.AppendTextMember(dst, `,"thoughtSignature":`, jsonw.View(w.signature))
		w.signature = w.signature[:0]
	}
	return w.closePart(append(dst, '}'))
}

// isWhole reports whether the arguments of a call are an object.
func isWhole(arguments ir.Escaped) bool {
	text := jsonw.Unescape(arguments)
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") && jsonr.Check(text) == nil
}
