package google

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// List is Google's list of models (Gemini API, "models.list", "models.get"). A page has at most
// 1,000 models.
var List = ir.Models{Path: "/v1beta/models", All: "?pageSize=1000", Entries: "models", Read: readModel,
	Append: appendModel, AppendList: appendModels}

// owner is the owner of all models: the list names no owners and no times.
const owner = "google"

// ModelLead is the prefix of a model's name in lists. Paths and requests to the upstream leave it
// out.
const ModelLead = "models/"

// readModel reads an entry.
func readModel(r *jsonr.Reader) (m ir.Model, ok bool) {
	m.Owner = owner
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "name":
			name, _ := jsonr.Text(r.Value())
			m.ID = ir.Escaped(strings.TrimPrefix(string(name), ModelLead))
		case "displayName":
			m.Name, _ = jsonr.Text(r.Value())
		case "inputTokenLimit":
			m.Input, _ = jsonr.Int(r.Value())
		case "outputTokenLimit":
			m.Output, _ = jsonr.Int(r.Value())
		}
	}
	return m, m.ID != ""
}

func appendModels(dst []byte, list []ir.Model) []byte {
	dst = append(dst, `{"models":[`...)
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendModel(dst, &list[i])
	}
	return append(dst, "]}"...)
}

// appendModel appends one entry.
func appendModel(dst []byte, m *ir.Model) []byte {
	name := m.Name
	if name == "" {
		name = m.ID
	}
	dst = jsonw.AppendTextMember(dst, `{"name":`, ModelLead+m.ID)
	dst = jsonw.AppendTextMember(dst, `,"displayName":`, name)
	if m.Input > 0 {
		dst = strconv.AppendInt(append(dst, `,"inputTokenLimit":`...), m.Input, 10)
	}
	if m.Output > 0 {
		dst = strconv.AppendInt(append(dst, `,"outputTokenLimit":`...), m.Output, 10)
	}
	if t := m.Target; t != nil && (t.Thinks || t.Thinking != ir.NoThinking || len(t.Efforts) > 0) {
		dst = append(dst, `,"thinking":true`...)
	}
	return append(dst, `,"supportedGenerationMethods":["generateContent","countTokens"]}`...)
}
