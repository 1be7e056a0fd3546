package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// answerWriter writes the steps of an answer (Step of @google/genai): a stream's events, or the steps
// of a plain body. A step of text or thoughts is written piece by piece. Every other step is written
// when it is complete.
type answerWriter struct {
	request *ir.Request
	model   ir.Escaped
	plain   bool
	id      ir.Escaped // of a stored answer, else ""
	steps   int64      // how many steps have begun
	// the kind of the open step: TextBlock, ReasoningBlock, or 0 for none
	step     ir.BlockKind
	hasTexts bool // the open step has a text; in a plain body its string is open

	block     ir.BlockKind // the open block
	said      bool         // there was a text, and only texts and thoughts after the text
	emptyLine bool         // an empty line precedes the next piece of text
	refused   bool         // the model refused in words
	item      []byte       // the upstream's id of the open block of reasoning
	thought   []byte       // the text of the block of reasoning, up to maxThought
	calls     google.Calls
	called    bool // a call has been written
	citing    citing
}

// maxThought bounds, in bytes, the text of reasoning in an envelope.
const maxThought = 1 << 20

// emptyLine separates two messages of the upstream. Clients join the texts after the last step of
// another kind than text and thought (output_text of @google/genai).
const emptyLine = `\n\n`

// start begins an answer.
func (w *answerWriter) start() {
	if k := w.request.AnswerCopy; k != nil {
		w.id = k.ID
	}
	w.citing.start(w.request)
}

// appendBlockEvent appends what a BlockStart, Delta or BlockStop adds.
func (w *answerWriter) appendBlockEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.BlockStart:
		return w.appendStart(dst, ev)
	case ir.Delta:
		return w.appendDelta(dst, ev)
	case ir.BlockStop:
		return w.appendStop(dst, ev)
	}
	return dst
}

func (w *answerWriter) appendStart(dst []byte, ev *ir.Event) []byte {
	dst = w.appendCall(dst)
	w.block = ev.Block
	switch ev.Block {
	case ir.TextBlock, ir.RefusalBlock:
		w.refused = w.refused || ev.Block == ir.RefusalBlock
		w.emptyLine = w.said && (ev.NewMessage || ev.Block == ir.RefusalBlock)
		w.citing.text = w.citing.text[:0]
	case ir.ReasoningBlock, ir.RedactedBlock:
		dst = w.endStep(dst)
		w.item, w.thought = append(w.item[:0], ev.ID...), w.thought[:0]
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		w.calls.Begin(ev)
	case ir.WebSearchBlock:
		w.citing.query, w.citing.found = w.citing.query[:0], w.citing.found[:0]
	}
	return dst
}

func (w *answerWriter) appendDelta(dst []byte, ev *ir.Event) []byte {
	switch ev.Delta {
	case ir.SignatureDelta:
		return w.appendSignature(dst, ev)
	case ir.CitationDelta:
		w.citing.add(ev.Citation, w.block)
	case ir.TextDelta:
		switch w.block {
		case ir.TextBlock, ir.RefusalBlock:
			if w.emptyLine {
				w.emptyLine = false
				dst = w.appendText(dst, ir.TextBlock, emptyLine)
				w.citing.base += int64(len("\n\n")) // a new step begins with 0
			}
			w.said = true
			w.citing.hear(ev.Text)
			return w.appendText(dst, ir.TextBlock, ev.Text)
		case ir.ReasoningBlock:
			w.thought = append(w.thought, ev.Text[:min(len(ev.Text), maxThought+1-len(w.thought))]...)
			return w.appendText(dst, ir.ReasoningBlock, ev.Text)
		case ir.ToolCallBlock, ir.CustomToolCallBlock:
			w.calls.Add(ev.Text)
		case ir.WebSearchBlock:
			w.citing.ask(ev.Text)
		}
	}
	return dst
}

func (w *answerWriter) appendStop(dst []byte, ev *ir.Event) []byte {
	switch w.block {
	case ir.TextBlock, ir.RefusalBlock:
		dst = w.appendAnnotations(dst)
	case ir.ReasoningBlock, ir.RedactedBlock:
		dst = w.endStep(dst)
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		w.calls.Stop()
	case ir.WebSearchBlock:
		dst = w.appendSearch(dst, ev.Code)
	}
	w.block = 0
	return dst
}

// appendText appends a piece of a text or of a thought's summary. It opens a step of the kind, unless
// one is open: all texts between two other steps are one text.
func (w *answerWriter) appendText(dst []byte, kind ir.BlockKind, text ir.Escaped) []byte {
	dst = w.openStep(dst, kind)
	if !w.plain {
		lead, tail := `"delta":{"type":"text","text":"`, `"}`
		if kind == ir.ReasoningBlock {
			lead, tail = `"delta":{"type":"thought_summary","content":{"type":"text","text":"`, `"}}`
		}
		dst = append(append(open(dst, stepDelta), lead...), text...)
		return w.shut(append(dst, tail...), stepDelta)
	}
	if !w.hasTexts {
		w.hasTexts = true
		lead := `,"content":[{"type":"text","text":"`
		if kind == ir.ReasoningBlock {
			lead = `,"summary":[{"type":"text","text":"`
		}
		dst = append(dst, lead...)
	}
	return append(dst, text...)
}

// openStep appends the start of a step for thoughts or text, unless one of the kind is open.
func (w *answerWriter) openStep(dst []byte, kind ir.BlockKind) []byte {
	if w.step == kind {
		return dst
	}
	dst = w.endStep(dst)
	w.step, w.hasTexts = kind, false
	w.citing.base = 0
	step := `"step":{"type":"model_output"}`
	if kind == ir.ReasoningBlock {
		step = `"step":{"type":"thought"}`
	}
	return w.appendStep(dst, step)
}

// appendStep appends the start of a step. step is the member of a step.start. In a plain body the
// step stays open.
func (w *answerWriter) appendStep(dst []byte, step string) []byte {
	w.steps++
	if !w.plain {
		return w.shut(append(open(dst, stepStart), step...), stepStart)
	}
	if w.steps > 1 {
		dst = append(dst, ',')
	}
	return append(dst, step[len(`"step":`):len(step)-1]...)
}

// endStep appends the end of the open step, if there is one.
func (w *answerWriter) endStep(dst []byte) []byte {
	if w.step == 0 {
		return dst
	}
	if w.plain {
		dst = w.endTexts(dst)
	}
	w.step = 0
	return w.appendStepEnd(dst)
}

// endTexts ends the list of texts in the open step of a plain body, if there is one.
func (w *answerWriter) endTexts(dst []byte) []byte {
	if !w.hasTexts {
		return dst
	}
	w.hasTexts = false
	dst = append(dst, '"')
	if w.step == ir.TextBlock && len(w.citing.annotations) > 0 {
		dst = append(append(dst, `,"annotations":[`...), w.citing.annotations...)
		dst = append(dst, ']')
		w.citing.annotations = w.citing.annotations[:0]
	}
	return append(dst, `}]`...)
}

// appendStepEnd appends the end of a step.
func (w *answerWriter) appendStepEnd(dst []byte) []byte {
	if w.plain {
		return append(dst, '}')
	}
	return w.shut(open(dst, stepStop), stepStop)
}

// appendSignature appends the signature of a thought: Google's own as it is, any other in an envelope
// in base64. The envelope includes the text of the reasoning, since @google/adk 2.0 drops summaries.
func (w *answerWriter) appendSignature(dst []byte, ev *ir.Event) []byte {
	dst = w.openStep(dst, ir.ReasoningBlock)
	if w.plain {
		dst = append(w.endTexts(dst), `,"signature":"`...)
	} else {
		dst = append(open(dst, stepDelta), `"delta":{"type":"thought_signature","signature":"`...)
	}
	switch {
	case ev.Origin == Name && !ir.IsEnvelope(ev.Text):
		dst = append(dst, ev.Text...)
	case ev.Origin == Name: // package translator has made the envelope
		dst = google.AppendBase64(dst, []byte(ev.Text))
	case len(w.thought) > 0 && len(w.thought) <= maxThought && ir.HidesIn(ev.Text):
		dst = google.AppendBase64(dst, ir.AppendHidden(nil, ev.Origin, jsonw.View(w.item),
			jsonw.View(w.thought), ev.Text))
	default:
		dst = google.AppendBase64(dst, ir.AppendEnvelope(nil, ev.Origin, w.block == ir.RedactedBlock,
			jsonw.View(w.item), ev.Text))
	}
	if w.plain {
		return append(dst, '"')
	}
	return w.shut(append(dst, `"}`...), stepDelta)
}

// appendCall appends the call whose block has ended, if it is known to be complete.
func (w *answerWriter) appendCall(dst []byte) []byte {
	if c := w.calls.Ready(); c != nil {
		return w.appendFunctionCall(dst, c)
	}
	return dst
}

// appendFunctionCall appends the step of a call. In a stream the arguments are a delta.
func (w *answerWriter) appendFunctionCall(dst []byte, c *google.AnswerCall) []byte {
	dst = w.endStep(dst)
	w.called, w.said = true, false
	step := jsonw.AppendTextMember(nil, `"step":{"type":"function_call","id":`, jsonw.View(c.ID))
	step = jsonw.AppendTextMember(step, `,"name":`, jsonw.View(c.Name))
	arguments := c.AppendArguments(nil)
	if w.plain {
		step = append(append(step, `,"arguments":`...), arguments...)
		return w.appendStepEnd(w.appendStep(dst, string(jsonw.View(append(step, '}')))))
	}
	dst = w.appendStep(dst, string(jsonw.View(append(step, `,"arguments":{}}`...))))
	dst = append(open(dst, stepDelta), `"delta":{"type":"arguments_delta","arguments":`...)
	dst = jsonw.AppendString(dst, string(jsonw.View(arguments)))
	return w.appendStepEnd(w.shut(append(dst, '}'), stepDelta))
}

// appendLast appends what waits for the Finish of the answer, and ends the open step.
func (w *answerWriter) appendLast(dst []byte, ev *ir.Event) []byte {
	cut := ev.Stop == ir.MaxTokens || ev.Stop == ir.ContextWindow || ev.Stop == ir.Refusal
	for c := w.calls.Last(cut); c != nil; c = w.calls.Last(cut) {
		dst = w.appendFunctionCall(dst, c)
	}
	return w.endStep(dst)
}
