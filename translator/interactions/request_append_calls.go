package interactions

import (
	"strconv"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// reply is one turn of the model while it is written.
type reply struct {
	signed bool       // a thought has been written
	calls  []sentCall // those that have been written, in their order
}

// sentCall is a call that has been written.
type sentCall struct {
	id, name ir.Escaped // as the upstream knows them
	at       ir.Pos
}

// reasoning writes a thought with its signature, and with its summary as the client has it: in a conversation that Google does not keep, "You MUST always
// resend all thought blocks exactly as they were received from the model" (ai.google.dev/gemini-api/docs/thinking). Reasoning of another vendor, or without a
// signature, is lost: Google refuses a thought without one (googleapis/js-genai#1735).
func (w *requestWriter) reasoning(s *reply, c *ir.Content) {
	if c.Origin != Name || c.Signature == "" {
		w.LoseReasoning(c)
		return
	}
	s.signed = true
	w.step(modelTurn)
	w.Raw(`{"type":"thought","signature":`)
	w.Literal(c.Signature)
	if c.Kind == ir.ReasoningContent && c.Text != "" {
		w.Raw(`,"summary":[`)
		w.text(c.Text)
		w.Raw(`]`)
	}
	w.Raw(`}`)
}

// call writes a function_call. Its id and its name stand once more in the result.
func (w *requestWriter) call(s *reply, c *ir.Content) {
	if !s.signed && !w.Target.UnsignedCalls {
		s.signed = true
		w.step(modelTurn)
		w.Raw(unsignedThought)
	}
	sent := sentCall{id: w.uniqueID(c.ID), name: google.ToolName(c.Name), at: c.At}
	s.calls = append(s.calls, sent)
	w.step(modelTurn)
	w.Raw(`{"type":"function_call","id":`)
	w.Literal(sent.id)
	w.Raw(`,"name":`)
	w.Literal(sent.name)
	w.Raw(`,"arguments":`)
	if c.Kind == ir.CustomCallContent {
		w.Raw(`{"input":`)
		w.Literal(c.Text)
		w.Raw(`}`)
	} else {
		w.Raw(string(c.Input))
	}
	w.Raw(`}`)
}

// uniqueID returns the id of a call as the upstream gets it: one that an earlier call has, as some servers give it, gets a number behind it, since a
// result belongs to its call by the id alone ("A unique ID for this specific tool call", FunctionCallStep of @google/genai).
func (w *requestWriter) uniqueID(id ir.Escaped) ir.Escaped {
	if w.ids == nil {
		w.ids = make(map[ir.Escaped]int)
	}
	unique := id
	for w.ids[unique] > 0 {
		w.ids[id]++
		unique = id + "_" + ir.Escaped(strconv.Itoa(w.ids[id]))
	}
	w.ids[unique] = 1
	return unique
}

// result writes the function_result of a call: a text, or a list where it holds an image or a file, as far as the model takes these (see package gemini;
// else they stand in the user's step behind all results). The API demands the name of the function too, which its types leave open
// (robocurve/inspect-robots#380). A call without a result gets a note in its place.
func (w *requestWriter) result(call *sentCall) *ir.Error {
	result := w.NextResult()
	w.step(resultTurn)
	w.Raw(`{"type":"function_result","call_id":`)
	w.Literal(call.id)
	w.Raw(`,"name":`)
	w.Literal(call.name)
	if result == nil || result.IsError {
		w.Raw(`,"is_error":true`)
	}
	w.Raw(`,"result":`)
	if result == nil {
		w.Raw(`"(no result)"}`)
		w.Lost.Add(call.at.String())
		return nil
	}
	var inside []*ir.Content
	var texts []ir.Escaped
	outside := false
	for i := range result.Parts {
		c := &result.Parts[i]
		f, err := google.FormOf(&w.Writer, true, c)
		if err != nil {
			return err
		}
		if f == google.Attached && !w.fitsResult(c) {
			outside = true
			continue
		}
		if f == google.Attached {
			inside = append(inside, c)
		}
		if f == 0 {
			continue
		}
		for _, text := range google.TextsOf(c) {
			if !jsonr.IsBlank(text) {
				texts = append(texts, text)
			}
		}
	}
	if outside {
		w.shown = append(w.shown, result)
		if len(texts) == 0 && len(inside) == 0 {
			texts = append(texts, `(see the file in the next message)`)
		}
	}
	if len(inside) == 0 {
		w.Raw(`"`)
		separator := ``
		for _, text := range texts {
			w.Raw(separator)
			w.Raw(string(text))
			separator = `\n\n`
		}
		w.Raw(`"}`)
		return nil
	}
	separator := `[`
	for _, text := range texts {
		w.Next(&separator)
		w.text(text)
	}
	for _, c := range inside {
		w.Next(&separator)
		w.media(c)
	}
	w.Raw(`]}`)
	return nil
}

// fitsResult reports whether a result can hold an image or a file.
func (w *requestWriter) fitsResult(c *ir.Content) bool {
	m := google.MediaOf(c)
	return w.Target.ResultImages == ir.NativeImages && m.FitsResult()
}

// show writes a step of the user's with the images and files of results that have no place in these.
func (w *requestWriter) show() *ir.Error {
	for _, result := range w.shown {
		w.part(userTurn)
		w.Raw(`{"type":"text","text":"Returned by the tool call `)
		w.Raw(string(ir.Identifier(result.ID, 0)))
		w.Raw(`:"}`)
		for i := range result.Parts {
			c := &result.Parts[i]
			if f, err := google.FormOf(&w.Writer, true, c); err != nil {
				return err
			} else if f == google.Attached && !w.fitsResult(c) {
				w.attach(userTurn, c)
			}
		}
	}
	w.shown = w.shown[:0]
	return nil
}
