package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/models"
)

// list is the API's list of models ("List Models", "Get a Model"). A page has at most 1,000 models.
var list = ir.Models{Path: "/v1/models", All: "?limit=1000", Entries: "data", Read: readModel,
	Append: appendModel, AppendList: appendModels}

// readModel reads an entry. The API names no owners.
func readModel(r *jsonr.Reader) (ir.Model, bool) {
	m, ok := models.Read(r)
	if m.Owner == "" {
		m.Owner = Name
	}
	return m, ok
}

func appendModels(dst []byte, list []ir.Model) []byte {
	dst = append(dst, `{"data":[`...)
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendModel(dst, &list[i])
	}
	dst = append(dst, `],"has_more":false`...)
	if n := len(list); n > 0 {
		dst = append(dst, `,"first_id":`...)
		dst = jsonw.AppendEscaped(dst, list[0].ID)
		dst = append(dst, `,"last_id":`...)
		dst = jsonw.AppendEscaped(dst, list[n-1].ID)
	} else {
		dst = append(dst, `,"first_id":null,"last_id":null`...)
	}
	return append(dst, '}')
}

// appendModel appends one entry. An unknown time is in 1970, as in the API's own lists.
func appendModel(dst []byte, m *ir.Model) []byte {
	name := m.Name
	if name == "" {
		name = m.ID
	}
	dst = append(dst, `{"type":"model","id":`...)
	dst = jsonw.AppendEscaped(dst, m.ID)
	dst = append(dst, `,"display_name":`...)
	dst = jsonw.AppendEscaped(dst, name)
	dst = append(dst, `,"created_at":"`...)
	dst = models.AppendTime(dst, m.Created)
	return append(dst, `"}`...)
}
