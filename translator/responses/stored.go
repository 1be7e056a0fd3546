package responses

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// Storing is what a body of POST /v1/responses has to do with stored responses.
type Storing struct {
	Store    bool   // the answer is to be stored: it is, unless the client says otherwise
	Encrypts bool   // the client asks for what carries reasoning to the next turn
	Previous string // the id of the response that it goes on from, "" for none

	// References are the items of the input that stand for stored ones, in their order.
	References []Reference

	input      ir.Raw // "": there is none
	from, to   int    // where it stands in the body
	isItemList bool
}

// Reference is an item of the input that stands for a stored one.
type Reference struct {
	ID       string
	Soft     bool // reasoning that brings itself along, but not what carries it to the next turn: nothing is lost where it is not stored
	index    int  // of the item
	from, to int  // where it stands in the input
}

// maxReferences bounds how many items are looked up for one request.
const maxReferences = 1000

// ReadStoring reads what body has to do with stored responses, which the endpoint stores. body has to be JSON; what else is wrong
// with it, its decoder says. What has been dealt with so is null in body from now on: the members store, if it is true, and
// previous_response_id.
//
//go:noinline
func ReadStoring(body []byte) (Storing, *ir.Error) {
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
			if ok && !IsResponseID(s.Previous) { // what has this form is long enough for null
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
		return s, openai.Invalid("input", "More than 1,000 items of 'input' refer to stored ones: send the items themselves, or 'previous_response_id'.")
	}
	return s, nil
}

// blank makes a value null.
func blank(value []byte) {
	n := copy(value, "null")
	for i := n; i < len(value); i++ {
		value[i] = ' '
	}
}

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
		if _, ok := Place(name); soft && !ok {
			continue
		}
		s.References = append(s.References, Reference{ID: name, Soft: soft, index: i, from: from, to: r.Offset()})
	}
}

// Refused is the error for a reference to an item that is not stored.
//
//go:noinline
func (r *Reference) Refused() *ir.Error {
	return &ir.Error{Kind: ir.NotFound, Path: ir.Pos{Form: "input[]", Index: ir.Index{r.index}}.String(), Message: "Item with id '" + r.ID +
		"' not found. Responses that are deleted, expired or made with \"store\":false have no items."}
}

// NoPrevious is the error for a response that is not stored, or not any more.
//
//go:noinline
func NoPrevious(id string) *ir.Error {
	return &ir.Error{Kind: ir.InvalidRequest, Path: "previous_response_id", Code: "previous_response_not_found",
		Message: "Previous response with id '" + id[:min(len(id), maxResponseID)] + "' not found."}
}

// Stored is where an item is stored.
type Stored struct {
	Response string // whose it is
	Input    bool   // it is one of its input, else of its output
	Index    int
}

// Place returns where the item with an id is stored; ok is false for an id that edgelingua has not made. Ids of stored items
// are PREFIX_STEM_N, or PREFIX_STEM_iN for input, where the response is resp_STEM.
func Place(id string) (at Stored, ok bool) {
	_, rest, _ := strings.Cut(id, "_")
	i := strings.LastIndexByte(rest, '_')
	if i < 0 {
		return at, false
	}
	number := rest[i+1:]
	number, at.Input = strings.CutPrefix(number, "i")
	n, err := strconv.Atoi(number)
	at.Response, at.Index = "resp_"+rest[:i], n
	return at, err == nil && n >= 0 && IsResponseID(at.Response)
}

// stemLength is how long the random part of a stored response's id is: 258 bits, in base64url.
const stemLength = 43

// ResponseID returns the id of a response that is to be stored, made of 43 random characters of base64url.
func ResponseID(random string) string { return "resp_" + random }

// IsResponseID reports whether id has the form of such an id. What has another form is not stored.
//
//go:noinline
func IsResponseID(id string) bool {
	stem, ok := strings.CutPrefix(id, "resp_")
	return ok && len(stem) == stemLength && ir.Identifier(ir.Escaped(stem), stemLength) == ir.Escaped(stem)
}

// Own returns the input of the request as it is stored: items, separated by commas, with stored ones in place of references. item
// returns these, or "" for a reference that is left as it stands. It is a part of the body where it can be.
//
//go:noinline
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

// HasInput reports whether there is an input that more can stand before: one that is neither a text nor a list is the decoder's to
// refuse.
func (s *Storing) HasInput() bool {
	return s.isItemList || jsonr.KindOf(s.input) == jsonr.String
}

// Around returns what stands before and behind the input in the body.
func (s *Storing) Around(body []byte) (before, behind []byte) { return body[:s.from], body[s.to:] }

// inside returns the elements of a list, without brackets and the space within them.
func inside(list string) string { return strings.Trim(list[1:len(list)-1], " \t\r\n") }

// Item returns the item at an index of a list of items, which are separated by commas; "" where there is none.
func Item(items string, index int) ir.Raw {
	for r := jsonr.NewElements(items); r.Element(); index-- {
		if index == 0 {
			return r.Value()
		}
	}
	return ""
}
