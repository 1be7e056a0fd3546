package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// reply is one turn of the model while it is written, which Google calls a step: what stands
// between two turns of the user or of results.
type reply struct {
	signed bool          // Google's signatures stand in it, so a model of Google's has made its calls
	said   bool          // a text has been written
	first  bool          // so has a call
	texts  []ir.Escaped  // signatures of texts that are still to come
	queue  []*ir.Content // signatures of calls that are still to come
}

// vertexOrigin is the origin of signatures that Vertex AI has made (ir.Envelope). The Gemini API
// refuses them, as Vertex AI does those of the Gemini API ("Corrupted thought signature.",
// BerriAI/litellm#32140).
const vertexOrigin = "vertex"

// originOf returns the origin of the signatures of a server.
func originOf(t *ir.Target) string {
	if t.VertexAI {
		return vertexOrigin
	}
	return Name
}

// isGoogleOrigin reports whether an origin is one of Google's servers.
func isGoogleOrigin(origin string) bool { return origin == Name || origin == vertexOrigin }

// takesSignature reports whether the upstream gets the signature of a block: its own. Which of
// Google's servers has made one that stands in a Gemini client's request as it is, nobody can tell.
func (w *requestWriter) takesSignature(c *ir.Content) bool {
	return c.Signature != "" && (c.Origin == originOf(w.Target) || c.Origin == Name && w.SameAPI)
}

// isSigned reports whether a turn has signatures of the upstream's.
func (w *requestWriter) isSigned(run []ir.Message) bool {
	for m := range run {
		for i := range run[m].Content {
			if c := &run[m].Content[i]; c.Kind.IsReasoning() && w.takesSignature(c) {
				return true
			}
		}
	}
	return false
}

// reasoning writes a thought with its signature, or keeps the signature of a text or a call for its
// part: Google wants each "in the exact part" that it came with. Each is Google's own: reasoning of
// another vendor, or without a signature, is lost. Clients of Chat Completions have all of them in
// front of the turn's text and calls.
func (w *requestWriter) reasoning(s *reply, c *ir.Content) {
	text, ofText := strings.CutPrefix(string(c.Signature), textMark)
	part, isPart := strings.CutPrefix(string(c.Signature), partMark)
	switch {
	case !w.takesSignature(c):
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

// hostedPart writes a part in which Google's servers have said what a tool of theirs did.
func (w *requestWriter) hostedPart(c *ir.Content, part string) {
	if w.Target.UnsignedCalls || jsonr.Check(part) != nil || jsonr.KindOf(ir.Raw(part)) != jsonr.Object {
		w.LoseReasoning(c)
		return
	}
	w.Part(google.Model)
	w.Raw(part)
}

// signTexts writes the signatures of texts, each in a part of its own behind the text, as streams
// have them ("thoughtSignature" of a part whose text is empty). Google takes an empty text with a
// signature.
func (w *requestWriter) signTexts(s *reply) {
	for _, signature := range s.texts {
		w.Part(google.Model)
		w.Raw(`{"text":"","thoughtSignature":`)
		w.Literal(signature)
		w.Raw(`}`)
	}
	s.texts = s.texts[:0]
}

// signCall writes the signature of the next call of a step, if it has one. Of parallel calls only
// the first one has.
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

// endStep writes the signatures of texts that have not come, and notes those of calls as lost.
func (w *requestWriter) endStep(s *reply) {
	w.signTexts(s)
	for _, c := range s.queue {
		w.LoseReasoning(c)
	}
}
