package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// Storing is the part of a POST /v1/responses body that concerns stored responses.
type Storing struct {
	Store    bool   // store the answer: true unless the client sends "store":false
	Encrypts bool   // the client asks for encrypted_content, with "include"
	Previous string // the id of the response that the request continues, or ""

	// References are the items of the input that refer to stored items, in order.
	References []Reference

	input      ir.Raw // the member "input", or ""
	from, to   int    // the range of input in the body
	isItemList bool   // input is a list
}

// Reference is an item of the input that refers to a stored item: an item_reference, or reasoning
// without its encrypted_content.
type Reference struct {
	ID string
	// the item is reasoning and has the text itself: if it is not stored, nothing is lost
	Soft     bool
	index    int // the item's index in the input
	from, to int // the item's range in the input, in bytes
}

// maxReferences is the maximum number of items looked up for one request.
const maxReferences = 1000

// ReadStoring reads the members of body that concern stored responses, for an endpoint that stores
// them. body must have passed jsonr.Check; DecodeRequest reports its other faults. ReadStoring
// changes body: it replaces the members now handled by the caller, previous_response_id and a true
// store, by null. The result refers to body. An error names the field.
func ReadStoring(body []byte) (Storing, error) {
	s := Storing{Store: true}
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
				blank(body[from:r.Offset()])
			case "false":
				s.Store = false
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
			blank(body[from:r.Offset()])
		case "include":
			s.Encrypts = jsonr.Holds(r.Value(), `"reasoning.encrypted_content"`)
		case "input":
			s.isItemList = r.Kind() == jsonr.Array
			s.input = r.Value()
			s.from, s.to = from, r.Offset()
		}
	}
	if s.isItemList {
		s.readReferences()
	}
	if len(s.References) > maxReferences {
		return s, openai.Invalid("input",
			"'input' has more than 1,000 references to stored items: send the items themselves, or "+
				"'previous_response_id'.")
	}
	return s, nil
}

// blank overwrites a value of at least four bytes with null and spaces.
func blank(value []byte) {
	n := copy(value, "null")
	for i := n; i < len(value); i++ {
		value[i] = ' '
	}
}

// readReferences finds the references in the input. AI SDK 6 and 7 send item_references. Their type
// is optional: an item with an id, but neither type nor role, is also a reference.
func (s *Storing) readReferences() {
	r := jsonr.NewReader(string(s.input))
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
		s.References = append(s.References, Reference{ID: name, Soft: soft, index: i, from: from,
			to: r.Offset()})
	}
}

// Refused returns the error for a reference to an item that is not stored.
func (r *Reference) Refused() *ir.Error {
	return &ir.Error{Kind: ir.NotFound, Path: ir.Pos{Form: "input[]", Index: ir.Index{r.index}}.String(),
		Message: "Item with id '" + r.ID +
			"' not found. Responses that are deleted, expired or created with \"store\":false have no items."}
}

// NoPrevious returns the error for a previous_response_id whose response is not stored, or no
// longer stored. Code and message are OpenAI's.
func NoPrevious(id string) *ir.Error {
	return &ir.Error{Kind: ir.InvalidRequest, Path: "previous_response_id",
		Code:    "previous_response_not_found",
		Message: "Previous response with id '" + id[:min(len(id), maxResponseID)] + "' not found."}
}

// Own returns the request's input in its stored form: items, separated by commas, with references
// replaced by the stored items. The function item returns the stored item for a reference, or "" to
// leave the reference unchanged. If a list has no references, the result is a view of the body.
func (s *Storing) Own(item func(*Reference) ir.Raw) string {
	if !s.isItemList {
		text := raw(nil, `{"type":"message","role":"user","content":[{"type":"input_text","text":`)
		return string(jsonw.View(raw(raw(text, string(s.input)), `}]}`)))
	}
	list := string(s.input)
	if len(s.References) == 0 {
		return inside(list)
	}
	stored := make([]ir.Raw, len(s.References))
	size := len(list)
	for i := range stored {
		stored[i] = item(&s.References[i])
		size += len(stored[i])
	}
	own, at := make([]byte, 0, size), 0
	for i, ref := range s.References {
		if stored[i] != "" {
			own = raw(own, list[at:ref.from])
			own = raw(own, string(stored[i]))
			at = ref.to
		}
	}
	return inside(string(jsonw.View(raw(own, list[at:]))))
}

// HasInput reports whether stored items can be inserted before the input, which must be a string or
// a list. DecodeRequest rejects any other input.
func (s *Storing) HasInput() bool {
	return s.isItemList || jsonr.KindOf(s.input) == jsonr.String
}

// AddInput returns a copy of body with an empty list as its input, before all other members. The
// input in body must be missing or null.
func (s *Storing) AddInput(body []byte) []byte {
	const lead, list = `{"input":`, `[]`
	object := strings.IndexByte(string(jsonw.View(body)), '{')
	s.input, s.isItemList, s.from, s.to = list, true, len(lead), len(lead+list)
	return append(append(make([]byte, 0, len(body)+len(lead+list+",")), lead+list+","...), body[object+1:]...)
}

// Around returns the bytes of body before and after the input. Both are views of body.
func (s *Storing) Around(body []byte) (before, behind []byte) { return body[:s.from], body[s.to:] }

// inside returns the elements of a list, without the brackets and surrounding space.
func inside(list string) string { return strings.Trim(list[1:len(list)-1], " \t\r\n") }
