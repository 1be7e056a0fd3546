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
			if r.Kind() == jsonr.Object {
				d.location(r.Value(), &t.Search)
				continue
			}
			fallthrough
		default:
			d.lost.AddMember("web_search_options", &r)
		}
	}
	d.request.Tools = append(d.request.Tools, t)
}

// location reads user_location, {"type":"approximate","approximate":{"city":...}}. Without the inner
// object it has the form of the other APIs.
func (d *requestDecoder) location(v ir.Raw, s *ir.Search) {
	s.Location, s.LocationField = v, ".user_location"
	inside, _, _ := jsonr.LastMember(string(v), "approximate")
	if jsonr.KindOf(inside) == jsonr.Object {
		s.Location, s.LocationField = inside, ".user_location.approximate"
		r := jsonr.NewReader(string(v))
		for r.OpenObject(); r.Member(); {
			if key, v := r.Key(), r.Value(); key != "approximate" && v != `"approximate"` {
				if end := d.lost.Member(key, v); end != "" {
					d.lost.Add("web_search_options.user_location" + end)
				}
			}
		}
	}
	if !jsonr.Asks(s.Location) {
		s.Location = ""
	}
}
