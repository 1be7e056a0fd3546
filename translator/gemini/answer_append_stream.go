package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Each chunk has a part, as all of Google's have: @google/genai 3.1 drops the whole answer from a
// chat's history where one has none.
const (
	// keepAlive is a chunk with an empty text. google-genai for Python takes each line of a stream
	// that is not empty for JSON, a comment too (googleapis/python-genai, _api_client.py), and
	// @google/generative-ai looks for "data: " where the last event has ended.
	keepAlive = eventLead + contentLead + `{"text":""}` + contentTail + "}]}\n\n"

	trap = eventLead + trapped + "\n\n" + trapped + "\n\n"

	trapped = `{"error":{"code":500,"message":"The translator failed.","status":"INTERNAL"}}`
)

// encoder writes one streamed answer (Gemini API, "models.streamGenerateContent" with alt=sse). It
// implements ir.Encoder.
type encoder struct{ answerWriter }

// NewEncoder returns an encoder of one streamed answer; model is the name that it shows.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{answerWriter{request: r, model: model}}
}

// AppendEvent appends the chunks that ev becomes.
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

// appendFailure appends an error in place of a chunk. It follows once more without "data: ", as
// Google sends it (recorded by vercel/ai#5217): @google/generative-ai, and so LangChain, takes an
// error in a chunk for a chunk, and fails where the stream ends with what is no event.
func appendFailure(dst []byte, err *ir.Error) []byte {
	dst = Client{}.AppendError(append(dst, eventLead...), err)
	dst = append(dst, "\n\n"...)
	return append(Client{}.AppendError(dst, err), "\n\n"...)
}

// KeepAlive returns a chunk that says nothing.
func (e *encoder) KeepAlive() string { return keepAlive }

// Trap returns an error in place of a chunk.
func (e *encoder) Trap() string { return trap }

// start makes the members that name the answer. Google says the time of none.
func (w *answerWriter) start(ev *ir.Event) {
	w.ids = jsonw.AppendTextMember(w.ids[:0], `,"modelVersion":`, w.model)
	w.ids = jsonw.AppendTextMember(w.ids, `,"responseId":`, ir.AnswerID("", ev.ID))
	w.sources.places = false
	for i := range w.request.Tools {
		w.sources.places = w.sources.places || !w.request.Tools[i].Kind.RunByClient()
	}
}
