// Package models translates the lists of models that the APIs offer, and single entries of them: Anthropic's ("List Models", "Get
// a Model") and the one of OpenAI's two APIs ("List models", "Retrieve model").
package models

import (
	"strconv"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Model is one entry.
type Model struct {
	ID      jsonw.Escaped
	Name    jsonw.Escaped // for people; "" where the list has none
	Created int64         // in seconds since 1970; 0 where unknown, which both APIs have as a value
	Owner   jsonw.Escaped
}

// DecodeList reads a list of either kind, or the bare array that Together sends. An Ollama without models has null in its place. ok
// is false for a body that is none.
func DecodeList(body string) (list []Model, ok bool) {
	if jsonr.Check(body) != nil {
		return nil, false
	}
	r := jsonr.NewReader(body)
	if r.Kind() == jsonr.Array {
		return readList(&r), true
	}
	for r.OpenObject(); r.Member(); {
		if r.Key() == "data" {
			ok = r.Kind() == jsonr.Array || r.Kind() == jsonr.Null
			list = readList(&r)
		}
	}
	return list, ok
}

func readList(r *jsonr.Reader) []Model {
	list := make([]Model, 0, r.Len())
	for r.OpenArray(); r.Element(); {
		if m, ok := read(r); ok {
			list = append(list, m)
		}
	}
	return list
}

// Decode reads one entry of either kind. ok is false for a body that is none.
func Decode(body string) (m Model, ok bool) {
	if jsonr.Check(body) != nil {
		return m, false
	}
	r := jsonr.NewReader(body)
	return read(&r)
}

// read reads the entry that r stands before. Some servers name models without saying more.
func read(r *jsonr.Reader) (m Model, ok bool) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "id":
			m.ID, ok = jsonr.Text(r.Value())
		case "display_name", "name": // OpenRouter's
			m.Name, _ = jsonr.Text(r.Value())
		case "created":
			m.Created, _ = jsonr.Int(r.Value())
		case "created_at":
			text, _ := jsonr.Text(r.Value())
			m.Created = seconds(string(text))
		case "type": // Anthropic's, which says nothing of owners
			if r.Value() == `"model"` {
				m.Owner = "anthropic"
			}
		case "owned_by":
			m.Owner, _ = jsonr.Text(r.Value())
		}
	}
	return m, ok && m.ID != ""
}

// AppendList appends a list, all on one page: Anthropic's if anthropic, else OpenAI's.
func AppendList(dst []byte, anthropic bool, list []Model) []byte {
	dst = append(dst, '{')
	if !anthropic {
		dst = append(dst, `"object":"list",`...)
	}
	dst = append(dst, `"data":[`...)
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = Append(dst, anthropic, &list[i])
	}
	dst = append(dst, ']')
	if anthropic {
		dst = append(dst, `,"has_more":false`...)
		if n := len(list); n > 0 {
			dst = append(dst, `,"first_id":`...)
			dst = jsonw.AppendEscaped(dst, list[0].ID)
			dst = append(dst, `,"last_id":`...)
			dst = jsonw.AppendEscaped(dst, list[n-1].ID)
		} else {
			dst = append(dst, `,"first_id":null,"last_id":null`...)
		}
	}
	return append(dst, '}')
}

// Append appends one entry: Anthropic's if anthropic, else OpenAI's.
func Append(dst []byte, anthropic bool, m *Model) []byte {
	if !anthropic {
		dst = append(dst, `{"id":`...)
		dst = jsonw.AppendEscaped(dst, m.ID)
		dst = append(dst, `,"object":"model","created":`...)
		dst = strconv.AppendInt(dst, m.Created, 10)
		dst = append(dst, `,"owned_by":`...)
		dst = jsonw.AppendEscaped(dst, m.Owner)
		return append(dst, '}')
	}
	name := m.Name
	if name == "" {
		name = m.ID
	}
	dst = append(dst, `{"type":"model","id":`...)
	dst = jsonw.AppendEscaped(dst, m.ID)
	dst = append(dst, `,"display_name":`...)
	dst = jsonw.AppendEscaped(dst, name)
	dst = append(dst, `,"created_at":"`...)
	dst = appendTime(dst, m.Created)
	return append(dst, `"}`...)
}
