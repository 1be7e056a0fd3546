package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Each chunk has a part, like all of Google's chunks: if a chunk has none, @google/genai 3.1 drops
// the whole answer from a chat's history.
const (
	// keepAlive is a chunk with an empty text. A comment would not do: google-genai for Python
	// parses each non-empty line of a stream as JSON (googleapis/python-genai, _api_client.py), and
	// @google/generative-ai looks for "data: " at the end of the last event.
	keepAlive = eventLead + contentLead + `{"text":""}` + contentTail + "}]}\n\n"

	trap = eventLead + trapped + "\n\n" + trapped + "\n\n"

	trapped = `{"error":{"code":500,"message":"The translator failed.","status":"INTERNAL"}}`
)

// encoder writes one streamed answer (Gemini API, "models.streamGenerateContent" with alt=sse). It
// implements ir.Encoder.
type encoder struct{ answerWriter }

// NewEncoder returns an encoder of one streamed answer. model is the model's name in the answer.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{answerWriter{request: r, model: model}}
}

// AppendEvent appends the chunks for ev.
func (e *encoder) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		e.start(ev)
		return dst
	case ir.Finish:
		dst = e.appendSignatures(e.endCalls(dst, isCut(ev)))
		dst = append(append(append(dst, eventLead...), contentLead...), `{"text":""}`...)
		return append(e.appendFinish(dst, ev), "\n\n"...)
	case ir.Failure:
		return appendFailure(dst, ev.Err)
	}
	return e.appendBlockEvent(dst, ev)
}

// appendFailure appends an error as a chunk, and repeats it without "data: ", the form in which
// Google sends errors (recorded by vercel/ai#5217). @google/generative-ai, and with it LangChain,
// reads an error in a chunk as a chunk, but fails if the stream ends with something other than an
// event.
func appendFailure(dst []byte, err *ir.Error) []byte {
	dst = Client{}.AppendError(append(dst, eventLead...), err)
	dst = append(dst, "\n\n"...)
	return append(Client{}.AppendError(dst, err), "\n\n"...)
}

// KeepAlive returns a chunk with an empty text.
func (e *encoder) KeepAlive() string { return keepAlive }

// Trap returns the error that replaces a chunk after a crash of the translator.
func (e *encoder) Trap() string { return trap }

// start makes the members with the answer's id and model. Google's answers have no time.
func (w *answerWriter) start(ev *ir.Event) {
	w.ids = jsonw.AppendTextMember(w.ids[:0], `,"modelVersion":`, w.model)
	w.ids = jsonw.AppendTextMember(w.ids, `,"responseId":`, ir.AnswerID("", ev.ID))
	w.sources.positions = false
	for i := range w.request.Tools {
		w.sources.positions = w.sources.positions || !w.request.Tools[i].Kind.RunByClient()
	}
}
