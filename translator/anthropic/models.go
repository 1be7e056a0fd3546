package anthropic

import (
	"strconv"
	"strings"

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
	dst = appendLimit(append(dst, `","max_input_tokens":`...), m.Input)
	dst = appendLimit(append(dst, `,"max_tokens":`...), m.Output)
	dst = append(dst, `,"capabilities":`...)
	if m.Target == nil {
		return append(dst, "null}"...)
	}
	return append(appendCapabilities(dst, m.Target), '}')
}

// appendLimit appends a number of tokens, or null for an unknown number.
func appendLimit(dst []byte, n int64) []byte {
	if n == 0 {
		return append(dst, "null"...)
	}
	return strconv.AppendInt(dst, n, 10)
}

// capabilities is ModelCapabilities of Anthropic's SDK 1.11, with a capital letter for each fact in
// appendCapabilities. An object has the letter as a value, {"supported":true}. After "supported"
// the letter is a plain value.
const capabilities = `{"batch":N,"citations":N,"code_execution":N,"context_management":{` +
	`"clear_thinking_20251015":null,"clear_tool_uses_20250919":null,"compact_20260112":null,"supported":N},` +
	`"effort":{"high":H,"low":L,"max":M,"medium":D,"supported":E,"xhigh":X},"image_input":I,"pdf_input":P,` +
	`"server_tools":{"code_execution":N,"supported":W,"web_search":W},"structured_outputs":S,` +
	`"thinking":{"supported":T,"types":{"adaptive":T,"between_tools":N,"disabled":O,"enabled":T}}}`

// appendCapabilities appends what edgelingua carries from a Messages client to a model.
func appendCapabilities(dst []byte, t *ir.Target) []byte {
	thinks := t.Thinks || t.ThinksOnRequest || t.Thinking != ir.NoThinking || len(t.Efforts) > 0
	for i := range capabilities {
		c := capabilities[i]
		if c < 'A' || c > 'Z' {
			dst = append(dst, c)
			continue
		}
		has := false
		switch c {
		case 'E':
			has = len(t.Efforts) > 0
		case 'I':
			has = !t.TextOnly
		case 'P':
			has = t.Files
		case 'W':
			has = t.WebSearch
		case 'S':
			has = !t.NoFormat
		case 'T':
			has = thinks
		case 'O':
			has = t.Thinking != ir.AlwaysThinking
		case 'N':
		default:
			for _, effort := range t.Efforts {
				has = has || effort == efforts[strings.IndexByte("LDHXM", c)]
			}
		}
		plain := strings.HasSuffix(string(dst[max(0, len(dst)-12):]), `"supported":`)
		if !plain {
			dst = append(dst, `{"supported":`...)
		}
		if dst = strconv.AppendBool(dst, has); !plain {
			dst = append(dst, '}')
		}
	}
	return dst
}

var efforts = [...]string{"low", "medium", "high", "xhigh", "max"}
