package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// webSearch reads the members of a web search tool.
func (d *requestDecoder) webSearch(r jsonr.Reader, t *ir.Tool) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "type", "name", "description", "defer_loading":
		case "search_context_size":
			t.Search.ContextSize, _ = jsonr.Text(r.Value())
		case "user_location":
			t.Search.Location = location(r.Value())
		case "filters":
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "allowed_domains":
					t.Search.Allowed = texts(&r)
				case "blocked_domains":
					t.Search.Blocked = texts(&r)
				default:
					d.lost.AddMember(t.At.Path(".filters"), &r)
				}
			}
		case "external_web_access": // false: search only OpenAI's stored copies of webpages
			if r.Value() == "false" {
				d.lost.Add(t.At.Path("." + key))
			}
		case "search_content_types":
			if v := r.Value(); jsonr.Asks(v) && v != `["text"]` {
				d.lost.Add(t.At.Path("." + key))
			}
		default:
			d.lost.AddMember(t.At.String(), &r)
		}
	}
}

// texts returns the non-empty strings in the list at r.
func texts(r *jsonr.Reader) []ir.Escaped {
	list := make([]ir.Escaped, 0, r.Len())
	for r.OpenArray(); r.Element(); {
		if e, ok := jsonr.Text(r.Value()); ok && e != "" {
			list = append(list, e)
		}
	}
	return list
}

// location returns a user_location, with a type added if the client left it out, or "" for an empty
// location.
func location(v ir.Raw) ir.Raw {
	typed, says := false, false
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "type" {
			typed = true
		} else if jsonr.Asks(r.Value()) {
			says = true
		}
	}
	switch {
	case !says:
		return ""
	case typed:
		return v
	}
	return `{"type":"approximate",` + v[1:]
}
