package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// reasoning writes a thought with its signature, and with its summary as the client sent it. If
// Google does not store the conversation, "You MUST always resend all thought blocks exactly as
// they were received from the model" (ai.google.dev/gemini-api/docs/thinking). Reasoning of another
// vendor, or without a signature, is lost: Google rejects a thought without a signature
// (googleapis/js-genai#1735).
func (w *requestWriter) reasoning(c *ir.Content) {
	if c.Origin != Name || c.Signature == "" {
		w.LoseReasoning(c)
		return
	}
	w.signed = true
	w.Turn(google.Model)
	w.Raw(`{"type":"thought","signature":`)
	w.Literal(c.Signature)
	if c.Kind == ir.ReasoningContent && c.Text != "" {
		w.Raw(`,"summary":[`)
		w.Text(c.Text)
		w.Raw(`]`)
	}
	w.Raw(`}`)
}

// call writes a function_call. The result repeats its id and its name. A result refers to its call
// only by the id ("A unique ID for this specific tool call", FunctionCallStep of @google/genai).
func (w *requestWriter) call(c *ir.Content) {
	if !w.signed && !w.Target.UnsignedCalls {
		w.signed = true
		w.Turn(google.Model)
		w.Raw(unsignedThought)
	}
	sent := google.Call{ID: w.ids.Unique(c.ID, 0), Name: google.ToolName(c.Name), At: c.At}
	w.AddCall(&sent)
	w.Turn(google.Model)
	w.Raw(`{"type":"function_call","id":`)
	w.Literal(sent.ID)
	w.Raw(`,"name":`)
	w.Literal(sent.Name)
	w.Raw(`,"arguments":`)
	w.Arguments(c)
	w.Raw(`}`)
}

// Result writes the function_result of a call: a text, or a list if the result has an image or a
// file. The model must accept images and files in results: see package gemini. The API requires the
// name of the function, although its types say optional (robocurve/inspect-robots#380). A call
// without a result gets a note.
func (w *requestWriter) Result(call *google.Call) *ir.Error {
	result := w.NextResult()
	w.Turn(google.Results)
	w.Raw(`{"type":"function_result","call_id":`)
	w.Literal(call.ID)
	w.Raw(`,"name":`)
	w.Literal(call.Name)
	if result == nil || result.IsError {
		w.Raw(`,"is_error":true`)
	}
	w.Raw(`,"result":`)
	if result == nil {
		w.Raw(`"(no result)"}`)
		w.Lost.Add(call.At.String())
		return nil
	}
	var inside []*ir.Content
	w.texts = w.texts[:0]
	outside := false
	for i := range result.Parts {
		c := &result.Parts[i]
		f, err := w.ResultForm(c)
		switch {
		case err != nil:
			return err
		case f == 0:
			continue
		case f == google.Shown:
			outside = true
			continue
		case f == google.Attached:
			inside = append(inside, c)
		}
		w.texts = append(w.texts, w.Texts(c)...)
	}
	if outside {
		w.ShowLater(result)
		if len(w.texts) == 0 && len(inside) == 0 {
			w.texts = append(w.texts, `(see the file in the next message)`)
		}
	}
	if len(inside) == 0 {
		w.Raw(`"`)
		separator := ``
		for _, text := range w.texts {
			w.Raw(separator)
			w.Raw(string(text))
			separator = `\n\n`
		}
		w.Raw(`"}`)
		return nil
	}
	separator := `[`
	for _, text := range w.texts {
		w.Next(&separator)
		w.Text(text)
	}
	for _, c := range inside {
		w.Next(&separator)
		w.Media(c)
	}
	w.Raw(`]}`)
	return nil
}
