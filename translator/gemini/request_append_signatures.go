package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// reply is the turn of the model being written. Google calls it a step: everything between two
// turns of the user or of results.
type reply struct {
	signed bool          // the turn has Google's signatures: a Google model made its calls
	said   bool          // a text has been written
	first  bool          // a call has been written
	texts  []ir.Escaped  // the signatures of texts not yet written
	queue  []*ir.Content // the signatures of calls not yet written
}

// vertexOrigin is the origin of Vertex AI's signatures (ir.Envelope). The Gemini API rejects them,
// and Vertex AI rejects the Gemini API's ("Corrupted thought signature.", BerriAI/litellm#32140).
const vertexOrigin = "vertex"

// originOf returns the origin of the signatures of a server.
func originOf(t *ir.Target) string {
	if t.VertexAI {
		return vertexOrigin
	}
	return Name
}

// isGoogleOrigin reports whether an origin is a Google server.
func isGoogleOrigin(origin string) bool { return origin == Name || origin == vertexOrigin }

// acceptsSignature reports whether the upstream gets the signature of a block: only its own. A Gemini
// client's request has signatures without an origin, from an unknown Google server: every upstream
// of this API gets such signatures.
func (w *requestWriter) acceptsSignature(c *ir.Content) bool {
	return c.Signature != "" && (c.Origin == originOf(w.Target) || c.Origin == Name && w.SameAPI)
}

// isSigned reports whether a turn has signatures of the upstream.
func (w *requestWriter) isSigned(run []ir.Message) bool {
	for m := range run {
		for i := range run[m].Content {
			if c := &run[m].Content[i]; c.Kind.IsReasoning() && w.acceptsSignature(c) {
				return true
			}
		}
	}
	return false
}

// reasoning writes a thought with its signature, or buffers the signature of a text or a call for
// its part: Google requires each "in the exact part" with which it came. Only Google's own
// reasoning is written. Another vendor's reasoning, or reasoning without a signature, is lost. In a
// request from a client of Chat Completions all reasoning comes before the turn's text and calls.
func (w *requestWriter) reasoning(s *reply, c *ir.Content) {
	text, ofText := strings.CutPrefix(string(c.Signature), textMark)
	part, isPart := strings.CutPrefix(string(c.Signature), partMark)
	switch {
	case !w.acceptsSignature(c):
		w.LoseReasoning(c)
	case isPart:
		w.hostedPart(c, jsonw.Unescape(ir.Escaped(part)))
	case c.Kind == ir.ReasoningContent:
		w.Part(google.Model)
		w.Raw(`{"text":`)
		w.Literal(c.Text)
		w.Raw(`,"thought":true,"thoughtSignature":`)
		w.Literal(c.Signature)
		w.Raw(`}`)
	case !ofText:
		s.queue = append(s.queue, c)
	default:
		s.texts = append(s.texts, ir.Escaped(text))
		if s.said {
			w.signTexts(s)
		}
	}
}

// hostedPart writes a part about one of Google's own tools, as Google's servers sent it.
func (w *requestWriter) hostedPart(c *ir.Content, part string) {
	if w.Target.UnsignedCalls || jsonr.Check(part) != nil || jsonr.KindOf(ir.Raw(part)) != jsonr.Object {
		w.LoseReasoning(c)
		return
	}
	w.Part(google.Model)
	w.Raw(part)
}

// signTexts writes the signatures of texts, each in a part of its own after the text, as in streams
// ("thoughtSignature" of a part with an empty text). Google accepts an empty text with a signature.
func (w *requestWriter) signTexts(s *reply) {
	for _, signature := range s.texts {
		w.Part(google.Model)
		w.Raw(`{"text":"","thoughtSignature":`)
		w.Literal(signature)
		w.Raw(`}`)
	}
	s.texts = s.texts[:0]
}

// signCall writes the signature of the next call of a step, if there is one. Of parallel calls only
// the first has a signature.
func (w *requestWriter) signCall(s *reply) {
	switch {
	case len(s.queue) > 0:
		w.Member(`,"thoughtSignature":`, s.queue[0].Signature)
		s.queue = s.queue[1:]
	case !s.first && !w.Target.UnsignedCalls:
		w.Raw(`,"thoughtSignature":"` + google.Unsigned + `"`)
	}
	s.first = true
}

// endStep writes the remaining signatures of texts, and notes the remaining signatures of calls as
// lost.
func (w *requestWriter) endStep(s *reply) {
	w.signTexts(s)
	for _, c := range s.queue {
		w.LoseReasoning(c)
	}
}
