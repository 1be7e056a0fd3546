// Package models reads the lists of models that upstreams offer, and single entries of them, and
// writes the times in them. How an API writes a list is in its ir.Models.
package models

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// DecodeList reads the list of models of an upstream whose API has this form. It also takes the
// bare array that Together sends, and the null that an Ollama without models has in place of the
// list. ok is false for a body that is no list. The models view body.
func DecodeList(form *ir.Models, body string) (list []ir.Model, ok bool) {
	if jsonr.Check(body) != nil {
		return nil, false
	}
	r := jsonr.NewReader(body)
	if r.Kind() == jsonr.Array {
		return readList(form, &r), true
	}
	for r.OpenObject(); r.Member(); {
		if r.Key() == form.Entries {
			ok = r.Kind() == jsonr.Array || r.Kind() == jsonr.Null
			list = readList(form, &r)
		}
	}
	return list, ok
}

func readList(form *ir.Models, r *jsonr.Reader) []ir.Model {
	list := make([]ir.Model, 0, r.Len())
	for r.OpenArray(); r.Element(); {
		if m, ok := form.Read(r); ok {
			list = append(list, m)
		}
	}
	return list
}

// Decode reads one entry of such a list, which is how APIs answer for one model. ok is false for a
// body that is no entry.
func Decode(form *ir.Models, body string) (m ir.Model, ok bool) {
	if jsonr.Check(body) != nil {
		return m, false
	}
	r := jsonr.NewReader(body)
	return form.Read(&r)
}

// Read reads an entry of Anthropic's or OpenAI's form. ok is false where it has no id; its other
// members may be missing. It is an ir.Models.Read.
func Read(r *jsonr.Reader) (m ir.Model, ok bool) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "id":
			m.ID, ok = jsonr.Text(r.Value())
		case "display_name", "name": // "name" is OpenRouter's
			m.Name, _ = jsonr.Text(r.Value())
		case "created":
			m.Created, _ = jsonr.Int(r.Value())
		case "created_at":
			text, _ := jsonr.Text(r.Value())
			m.Created = seconds(string(text))
		case "owned_by":
			m.Owner, _ = jsonr.Text(r.Value())
		}
	}
	return m, ok && m.ID != ""
}
