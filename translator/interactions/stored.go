package interactions

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// storedAnswers says how interactions are stored. Google's ids begin with v1_ too. The answer to a
// deletion is Empty of @google/genai.
var storedAnswers = ir.Stored{Noun: "Interaction", Lead: "v1_", Previous: "previous_interaction_id",
	Deleted: `{}`, Inputs: true}

// readStoring reads the members of body that concern stored interactions: see ir.API. Google stores an
// interaction unless "store" is false. A text, a content and a list of contents are stored as a
// user_input.
func readStoring(body []byte) (ir.Storing, error) {
	s := ir.Storing{Store: true, Encrypts: true}
	r := jsonr.NewReader(string(jsonw.View(body)))
	for r.OpenObject(); r.Member(); {
		from := r.Offset()
		switch r.Key() {
		case "store":
			switch r.Value() {
			case "true", "null":
				s.Store = true
				ir.Blank(body[from:r.Offset()])
			case "false":
				s.Store = false
			}
		case storedAnswers.Previous:
			kind := r.Kind()
			id, ok := jsonr.Text(r.Value())
			if !ok && kind != jsonr.Null {
				return s, google.WrongKind(storedAnswers.Previous, "a string", kind)
			}
			s.Previous = strings.Clone(jsonw.Unescape(id))
			// a valid id is long enough for Blank
			if ok && !storedAnswers.IsID(s.Previous) {
				return s, storedAnswers.NoPrevious(s.Previous)
			}
			ir.Blank(body[from:r.Offset()])
		case "input":
			kind := r.Kind()
			s.IsList, s.Before, s.After = kind == jsonr.Array, "", ""
			s.Input = r.Value()
			s.From, s.To = from, r.Offset()
			const lead = `{"type":"user_input","content":`
			switch {
			case kind == jsonr.String:
				s.Before, s.After = lead+`[{"type":"text","text":`, `}]}`
			case kind == jsonr.Object:
				s.Before, s.After = lead+`[`, `]}`
			case s.IsList && isContents(s.Input):
				s.IsList, s.Before, s.After = false, lead, `}`
			}
		}
	}
	return s, nil
}

// isContents reports whether a list is one of contents: its first element is no step.
func isContents(list ir.Raw) bool {
	r := jsonr.NewReader(string(list))
	if r.OpenArray(); !r.Element() || r.Kind() != jsonr.Object {
		return false
	}
	switch typeOf(r.Value()) {
	case "text", "image", "audio", "video", "document":
		return true
	}
	return false
}
