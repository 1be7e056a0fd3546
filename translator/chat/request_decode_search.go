package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// webSearch reads "web_search_options".
//
//go:noinline
func (d *requestDecoder) webSearch() {
	t := ir.Tool{Kind: ir.WebSearchTool, Name: "web_search", At: ir.Pos{Form: "web_search_options"}}
	r := jsonr.NewReader(string(d.search))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "search_context_size":
			t.Search.ContextSize, _ = jsonr.Text(r.Value())
		case "user_location":
			if location := r.Value(); jsonr.Asks(location) {
				t.Search.Location = flatLocation(location)
			}
		default:
			d.lost.AddMember("web_search_options", &r)
		}
	}
	d.request.Tools = append(d.request.Tools, t)
}

// flatLocation converts a user_location of this API,
// {"type":"approximate","approximate":{"city":...}}, to the form of ir.Search.Location:
// {"type":"approximate","city":...}.
func flatLocation(v ir.Raw) ir.Raw {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "approximate" && r.Kind() == jsonr.Object {
			inside := r.Value()
			if !jsonr.Asks(inside) {
				return ""
			}
			return `{"type":"approximate",` + inside[1:]
		}
	}
	return v
}
