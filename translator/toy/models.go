package toy

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// names is the API's form of a list of models: {"names":[NAME...]}. A single model is its name.
var names = ir.Models{Path: "/toy", Entries: "names", Read: readName, Append: appendName,
	AppendList: appendNames}

func readName(r *jsonr.Reader) (m ir.Model, ok bool) {
	m.ID, ok = jsonr.Text(r.Value())
	return m, ok
}

func appendName(dst []byte, m *ir.Model) []byte { return jsonw.AppendEscaped(dst, m.ID) }

func appendNames(dst []byte, list []ir.Model) []byte {
	dst = append(dst, `{"names":[`...)
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendName(dst, &list[i])
	}
	return append(dst, "]}"...)
}
