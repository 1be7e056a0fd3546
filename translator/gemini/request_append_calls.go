package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// sentCall is a call that has been written.
type sentCall struct {
	id, name ir.Escaped // as the upstream knows them; id is "" for none
	at       ir.Pos
}

// madeID is what the ids of calls begin with to which this program has given one, since Google had not (see decoder.beginCall), and those of OpenAI.
// Some of Google's do too, with nothing but digits behind it ("call_4162774", brainlid/langchain#620).
const madeID = "call_"

// isGooglesID reports whether Google may have given a call its id.
func isGooglesID(id ir.Escaped) bool {
	rest, made := strings.CutPrefix(string(id), madeID)
	return !made || strings.Trim(rest, "0123456789") == ""
}

// call writes a functionCall. Google gets its own ids back, which stand beside its own signatures, and no others: models before Gemini 3 give none and
// refuse any ("Unknown name \"id\" at 'contents[1].parts[0].function_call': Cannot find field.", BerriAI/litellm#34603), as Vertex AI does
// (langchain-ai/langchainjs#10266). A call without one belongs to its result by the order.
func (w *requestWriter) call(s *reply, c *ir.Content) {
	sent := sentCall{name: google.ToolName(c.Name), at: c.At}
	if s.signed && !w.Target.UnsignedCalls && !w.Target.VertexAI && isGooglesID(c.ID) {
		sent.id = c.ID
	}
	s.calls = append(s.calls, sent)
	w.signTexts(s)
	w.open(modelTurn)
	w.Raw(`{"functionCall":{"name":`)
	w.Literal(sent.name)
	w.Raw(`,"args":`)
	if c.Kind == ir.CustomCallContent {
		w.Raw(`{"input":`)
		w.Literal(c.Text)
		w.Raw(`}`)
	} else {
		w.Raw(string(c.Input))
	}
	w.Member(`,"id":`, sent.id)
	w.Raw(`}`)
	w.signCall(s)
	w.Raw(`}`)
}

// result writes the functionResponse of a call. Its response is an object, with the text as "output", or as "error" where the call has failed
// (Gemini API, "FunctionResponse"). The text stays a text where it is JSON: Gemini 3 takes a "$ref" in the object for the name of a part
// (vercel/ai#14369). Images and files go into its parts, where the model takes these (ai.google.dev/gemini-api/docs/function-calling,
// "Multimodal function responses", Gemini 3), else into the user's turn behind all results. A call without a result gets a note in its place.
func (w *requestWriter) result(call sentCall) *ir.Error {
	result := w.NextResult()
	key := `,"response":{"output":"`
	if result == nil || result.IsError {
		key = `,"response":{"error":"`
	}
	w.open(resultTurn)
	w.Raw(`{"functionResponse":{"name":`)
	w.Literal(call.name)
	w.Member(`,"id":`, call.id)
	w.Raw(key)
	if result == nil {
		w.Raw(`(no result)"}}}`)
		w.Lost.Add(call.at.String())
		return nil
	}
	var inside []google.Media
	outside, separator := false, ``
	for i := range result.Parts {
		c := &result.Parts[i]
		f, err := google.FormOf(&w.Writer, true, c)
		if err != nil {
			return err
		}
		if f == google.Attached {
			m := google.MediaOf(c)
			if w.Target.ResultImages != ir.NativeImages || !m.FitsResult() {
				outside = true
				continue
			}
			w.loseDetail(c)
			inside = append(inside, m)
		}
		if f == 0 {
			continue
		}
		for _, text := range google.TextsOf(c) {
			if !jsonr.IsBlank(text) {
				w.Raw(separator)
				w.Raw(string(text))
				separator = `\n\n`
			}
		}
	}
	switch {
	case separator != ``:
	case len(inside) > 0:
		w.Raw(`(see the attached file)`)
	case outside:
		w.Raw(`(see the file in the next message)`)
	}
	w.Raw(`"}`)
	separator = `,"parts":[`
	for i := range inside {
		w.Next(&separator)
		w.media(&inside[i])
	}
	if separator == `,` {
		w.Raw(`]`)
	}
	w.Raw(`}}`)
	if outside {
		w.shown = append(w.shown, result)
	}
	return nil
}

// show writes a turn of the user's with the images and files of results that have no place in these.
func (w *requestWriter) show() *ir.Error {
	for _, result := range w.shown {
		w.open(userTurn)
		w.Raw(`{"text":"Returned by the tool call `)
		w.Raw(string(ir.Identifier(result.ID, 0)))
		w.Raw(`:"}`)
		for i := range result.Parts {
			c := &result.Parts[i]
			if f, err := google.FormOf(&w.Writer, true, c); err != nil {
				return err
			} else if f != google.Attached {
				continue
			}
			if m := google.MediaOf(c); w.Target.ResultImages != ir.NativeImages || !m.FitsResult() {
				w.attach(userTurn, c)
			}
		}
	}
	w.shown = w.shown[:0]
	return nil
}
