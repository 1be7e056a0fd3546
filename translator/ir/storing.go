package ir

import (
	"strings"

	"edgelingua/translator/jsonw"
)

// Stored says how the answers of an API are stored for clients: see worker/stored.
type Stored struct {
	Noun     string // what clients call a stored answer: "Response"
	Lead     string // the beginning of the ids of stored answers
	Previous string // the member of a request with the id of the answer that the request continues
	Code     string // the code of the error for an answer that is not stored
	Deleted  string // the answer to a deletion; "%" stands for the id
	Submits  bool   // clients may submit the outputs of calls: see AnswerCopy.Action
	Inputs   bool   // the stored answer can be shown with its input
	// clients may ask for an answer that goes on when they leave: see Storing.Background
	Background bool
}

// storedLength is the length of the random part of a stored answer's id: 258 bits in base64url.
const storedLength = 43

// ID returns the id for an answer to be stored. random is 43 random characters of base64url.
func (s *Stored) ID(random string) string { return s.Lead + random }

// IsID reports whether id has the form of ID's results. An answer with an id of any other form is not
// stored.
func (s *Stored) IsID(id string) bool {
	stem, ok := strings.CutPrefix(id, s.Lead)
	return ok && len(stem) == storedLength && Identifier(Escaped(stem), storedLength) == Escaped(stem)
}

// NoPrevious returns the error for a request that continues an answer that is not stored, or no longer
// stored.
func (s *Stored) NoPrevious(id string) *Error {
	return &Error{Kind: InvalidRequest, Path: s.Previous, Code: s.Code,
		Message: "Previous " + strings.ToLower(s.Noun) + " with id '" + id[:min(len(id), 64)] +
			"' not found."}
}

// Storing is the part of a request's body that concerns stored answers.
type Storing struct {
	Store    bool // store the answer: true unless the client sends "store":false
	Encrypts bool // the client gets everything that is stored
	// the answer is made to its end, whether or not the client listens
	Background bool
	Previous   string // the id of the answer that the request continues, or ""

	// References are the items of the input that refer to stored items, in order.
	References []Reference

	Input    Raw // the member with the conversation, or ""
	From, To int // the range of Input in the body
	// Input is a list of items. Otherwise Before and After around Input make an item of it
	IsList        bool
	Before, After string
}

// Reference is an item of the input that refers to a stored item.
type Reference struct {
	ID string
	// the item has the content itself: if it is not stored, nothing is lost
	Soft     bool
	Index    int // the item's index in the input
	From, To int // the item's range in the input, in bytes
}

// Own returns the request's input in its stored form: items, separated by commas, with references
// replaced by the stored items. The function item returns the stored item for a reference, or "" to
// leave the reference unchanged. If a list has no references, the result is a view of the body.
func (s *Storing) Own(item func(*Reference) Raw) string {
	list := string(s.Input)
	if !s.IsList {
		return s.Before + list + s.After
	}
	if len(s.References) == 0 {
		return inside(list)
	}
	stored := make([]Raw, len(s.References))
	size := len(list)
	for i := range stored {
		stored[i] = item(&s.References[i])
		size += len(stored[i])
	}
	own, at := make([]byte, 0, size), 0
	for i, ref := range s.References {
		if stored[i] != "" {
			own = append(own, list[at:ref.From]...)
			own = append(own, stored[i]...)
			at = ref.To
		}
	}
	return inside(string(jsonw.View(append(own, list[at:]...))))
}

// HasInput reports whether stored items can be inserted before the input. DecodeRequest rejects any
// other input.
func (s *Storing) HasInput() bool { return s.IsList || s.Before != "" }

// AddInput returns a copy of body with an empty list as its input, before all other members. The
// input in body must be missing or null.
func (s *Storing) AddInput(body []byte) []byte {
	const lead, list = `{"input":`, `[]`
	object := strings.IndexByte(string(jsonw.View(body)), '{')
	s.Input, s.IsList, s.From, s.To = list, true, len(lead), len(lead+list)
	return append(append(make([]byte, 0, len(body)+len(lead+list+",")), lead+list+","...), body[object+1:]...)
}

// Around returns the bytes of body before and after the input. Both are views of body.
func (s *Storing) Around(body []byte) (before, after []byte) { return body[:s.From], body[s.To:] }

// inside returns the elements of a list, without the brackets and surrounding space.
func inside(list string) string { return strings.Trim(list[1:len(list)-1], " \t\r\n") }

// Blank overwrites a value of at least four bytes with null and spaces.
func Blank(value []byte) {
	n := copy(value, "null")
	for i := n; i < len(value); i++ {
		value[i] = ' '
	}
}
