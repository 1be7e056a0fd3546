package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// maxReferences is the maximum number of items looked up for one request.
const maxReferences = 1000

// ReadStoring reads the members of body that concern stored responses, for an endpoint that stores
// them. body must have passed jsonr.Check; DecodeRequest reports its other faults. ReadStoring
// changes body: it replaces the members now handled by the caller, previous_response_id and a true
// store or background, by null. The result refers to body. An error names the field.
func ReadStoring(body []byte) (ir.Storing, error) {
	s := ir.Storing{Store: true}
	text := string(jsonw.View(body))
	r := jsonr.NewReader(text)
	if r.Kind() != jsonr.Object {
		return s, nil
	}
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
		case "background":
			if s.Background = r.Value() == "true"; s.Background {
				ir.Blank(body[from:r.Offset()])
			}
		case "previous_response_id":
			kind := r.Kind()
			id, ok := jsonr.Text(r.Value())
			if !ok && kind != jsonr.Null {
				return s, openai.WrongType("previous_response_id", "a string", kind)
			}
			s.Previous = strings.Clone(jsonw.Unescape(id))
			// a valid id is long enough for blank
			if ok && !IsResponseID(s.Previous) && !isID(s.Previous, briefLength) {
				return s, NoPrevious(s.Previous)
			}
			ir.Blank(body[from:r.Offset()])
		case "include":
			s.Encrypts = jsonr.Holds(r.Value(), `"reasoning.encrypted_content"`)
		case "input":
			s.Before, s.After = "", ""
			if r.Kind() == jsonr.String {
				s.Before = `{"type":"message","role":"user","content":[{"type":"input_text","text":`
				s.After = `}]}`
			}
			s.IsList = r.Kind() == jsonr.Array
			s.Input = r.Value()
			s.From, s.To = from, r.Offset()
		}
	}
	if s.IsList {
		readReferences(&s)
	}
	if len(s.References) > maxReferences {
		return s, openai.Invalid("input",
			"'input' has more than 1,000 references to stored items: send the items themselves, or "+
				"'previous_response_id'.")
	}
	return s, nil
}

// readReferences finds the references in the input. AI SDK 6 and 7 send item_references. Their type
// is optional: an item with an id, but neither type nor role, is also a reference.
func readReferences(s *ir.Storing) {
	r := jsonr.NewReader(string(s.Input))
	i := 0
	for r.OpenArray(); r.Element(); i++ {
		from := r.Offset()
		var kind, id ir.Escaped
		says, encrypted := false, false
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "type":
				kind, _ = jsonr.Text(r.Value())
			case "id":
				id, _ = jsonr.Text(r.Value())
			case "role":
				says = true
			case "encrypted_content":
				v := r.Value()
				encrypted = v != "null" && v != `""`
			}
		}
		soft := kind == "reasoning" && !encrypted
		if id == "" || !soft && kind != "item_reference" && (kind != "" || says) {
			continue
		}
		name := strings.Clone(jsonw.Unescape(id))
		if _, ok := ParseItemID(name); soft && !ok {
			continue
		}
		s.References = append(s.References, ir.Reference{ID: name, Soft: soft, Index: i, From: from,
			To: r.Offset()})
	}
}

// Refused returns the error for a reference to an item that is not stored.
func Refused(r *ir.Reference) *ir.Error {
	return &ir.Error{Kind: ir.NotFound, Path: ir.Pos{Form: "input[]", Index: ir.Index{r.Index}}.String(),
		Message: "Item with id '" + r.ID +
			"' not found. Responses that are deleted, expired or created with \"store\":false have no items."}
}

// NoPrevious returns the error for a previous_response_id whose response is not stored, or no
// longer stored. Code and message are OpenAI's.
func NoPrevious(id string) *ir.Error { return storedAnswers.NoPrevious(id) }
