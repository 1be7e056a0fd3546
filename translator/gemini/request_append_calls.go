package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// madeID is the prefix of the ids that this program gives to calls without one (see
// decoder.beginCall), and of OpenAI's ids. Some of Google's ids have it too, followed only by
// digits ("call_4162774", brainlid/langchain#620).
const madeID = "call_"

// isGooglesID reports whether a call's id may be Google's.
func isGooglesID(id ir.Escaped) bool {
	rest, made := strings.CutPrefix(string(id), madeID)
	return !made || strings.Trim(rest, "0123456789") == ""
}

// call writes a functionCall. Google gets back its own ids, beside its own signatures, but no other
// ids. Models before Gemini 3 give no ids and reject all ids ("Unknown name \"id\" at
// 'contents[1].parts[0].function_call': Cannot find field.", BerriAI/litellm#34603), and so does
// Vertex AI (langchain-ai/langchainjs#10266). The order matches a call without an id to its result.
func (w *requestWriter) call(s *reply, c *ir.Content) {
	sent := google.Call{Name: google.ToolName(c.Name), At: c.At}
	if s.signed && !w.Target.UnsignedCalls && !w.Target.VertexAI && isGooglesID(c.ID) {
		sent.ID = c.ID
	}
	w.AddCall(&sent)
	w.signTexts(s)
	w.Part(google.Model)
	w.Raw(`{"functionCall":{"name":`)
	w.Literal(sent.Name)
	w.Raw(`,"args":`)
	w.Arguments(c)
	w.Member(`,"id":`, sent.ID)
	w.Raw(`}`)
	w.signCall(s)
	w.Raw(`}`)
}

// Result writes the functionResponse of a call. Google requires as many results as calls, in a
// content of their own right after the calls ("Please ensure that the number of function response
// parts is equal to the number of function call parts of the function call turn.", and
// anomalyco/opencode#43479 for text beside them). A call without a result gets a note.
//
// The response is an object with the text as "output", or as "error" if the call failed (Gemini
// API, "FunctionResponse"). The text stays a string even if it is JSON: Gemini 3 reads a "$ref" in
// the object as the name of a part (vercel/ai#14369). Images and files are parts of the response,
// if the model accepts them there (ai.google.dev/gemini-api/docs/function-calling, "Multimodal
// function responses", Gemini 3), otherwise parts of the user's turn after all results.
func (w *requestWriter) Result(call *google.Call) *ir.Error {
	result := w.NextResult()
	key := `,"response":{"output":"`
	if result == nil || result.IsError {
		key = `,"response":{"error":"`
	}
	w.Part(google.Results)
	w.Raw(`{"functionResponse":{"name":`)
	w.Literal(call.Name)
	w.Member(`,"id":`, call.ID)
	w.Raw(key)
	if result == nil {
		w.Raw(`(no result)"}}}`)
		w.Lost.Add(call.At.String())
		return nil
	}
	var inside []google.Media
	outside, separator := false, ``
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
			c.LoseDetail(w.Lost)
			inside = append(inside, google.MediaOf(c))
		}
		for _, text := range w.Texts(c) {
			w.Raw(separator)
			w.Raw(string(text))
			separator = `\n\n`
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
		w.ShowLater(result)
	}
	return nil
}
