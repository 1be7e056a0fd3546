package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// webSearch reads the members of a web search tool. OpenAI gets the whole tool from a client of
// this API, so members without a place in the hub are losses at other upstreams only.
func (d *requestDecoder) webSearch(r jsonr.Reader, t *ir.Tool) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "type", "name", "description", "defer_loading":
		case "search_context_size":
			t.Search.ContextSize, _ = jsonr.Text(r.Value())
		case "user_location":
			if t.Search.LocationField = ".user_location"; r.Kind() == jsonr.Object {
				t.Search.Location = location(r.Value())
			} else {
				d.loseElsewhere(t, ".user_location", jsonr.Asks(r.Value()))
			}
		case "filters":
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "allowed_domains":
					t.Search.Allowed, t.Search.AllowedField = texts(&r), ".filters.allowed_domains"
				case "blocked_domains":
					t.Search.Blocked, t.Search.BlockedField = texts(&r), ".filters.blocked_domains"
				default:
					d.loseElsewhere(t, ".filters."+ir.Shortened(r.Key()), jsonr.Asks(r.Value()))
				}
			}
		case "external_web_access": // false: search only OpenAI's stored copies of webpages
			d.loseElsewhere(t, "."+key, r.Value() == "false")
		case "search_content_types":
			v := r.Value()
			d.loseElsewhere(t, "."+key, jsonr.Asks(v) && v != `["text"]`)
		default:
			d.loseElsewhere(t, "."+ir.Shortened(key), jsonr.Asks(r.Value()))
		}
	}
}

// loseElsewhere notes a member of a tool, if it asks for something, as lost at upstreams of other
// APIs.
func (d *requestDecoder) loseElsewhere(t *ir.Tool, field string, asks bool) {
	if asks {
		d.request.Own = append(d.request.Own, ir.Member{Key: t.At.Path(field)})
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

// location returns a user_location, or "" for an empty location.
func location(v ir.Raw) ir.Raw {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() != "type" && jsonr.Asks(r.Value()) {
			return v
		}
	}
	return ""
}
