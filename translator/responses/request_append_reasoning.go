package responses

import "edgelingua/translator/ir"

// reasoning writes reasoning, and asks for what carries it to the next turn. Models that do not reason refuse both.
func (w *requestWriter) reasoning() {
	effort, summary := ir.Escaped(""), w.r.Summary
	if w.r.Effort != "" {
		e, exact := ir.NearestEffort(w.r.Effort, w.t.Efforts)
		if !exact {
			w.lost.Add(w.r.FieldPath(ir.FieldEffort))
		}
		effort = ir.Escaped(e)
	}
	if len(w.t.Efforts) == 0 {
		if summary != "" && summary != "auto" {
			w.lost.Add(w.r.FieldPath(ir.FieldSummary))
		}
		return
	}
	separator := `,"reasoning":{"effort":`
	if effort != "" {
		w.raw(separator)
		w.literal(effort)
		separator = `,"summary":`
	} else {
		separator = `,"reasoning":{"summary":`
	}
	if summary != "" {
		w.raw(separator)
		w.literal(summary)
	}
	if effort != "" || summary != "" {
		w.raw(`}`)
	}
	w.raw(`,"include":["reasoning.encrypted_content"]`)
}

// thought writes a reasoning item that an upstream of this protocol has given, with its id: the two belong together. The API
// refuses one that nothing of the same turn follows.
func (w *requestWriter) thought(c *ir.Content) {
	if c.Origin != Name || c.Signature == "" || w.answers == 0 {
		if !w.reasons { // the upstream reasons anew; a long history would fill the list
			w.reasons = true
			w.lost.Add(c.At.String())
		}
		return
	}
	w.item("reasoning")
	if c.ItemID != "" {
		w.raw(`,"id":`)
		w.literal(c.ItemID)
	}
	w.raw(`,"summary":[`)
	if c.Text != "" {
		w.raw(`{"type":"summary_text","text":`)
		w.literal(c.Text)
		w.raw(`}`)
	}
	w.raw(`],"encrypted_content":`)
	w.literal(c.Signature)
	w.raw(`}`)
}

func isReasoning(c *ir.Content) bool {
	return c.Kind == ir.ReasoningContent || c.Kind == ir.RedactedContent
}
