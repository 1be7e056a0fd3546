package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// search reads the settings of the web search ("Web search tool"), of the web fetch ("Web fetch
// tool") or of the advisor ("Advisor tool"). It refuses a tool without a name. The model of an advisor
// counts only at Anthropic: elsewhere the endpoint's settings name the model.
func (d *requestDecoder) search(t *ir.Tool, path string) (err *ir.Error) {
	r := jsonr.NewReader(string(t.Raw))
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "allowed_domains":
			t.Search.AllowedField = ".allowed_domains"
			t.Search.Allowed, err = d.texts(&r, path+t.Search.AllowedField)
		case "blocked_domains":
			t.Search.BlockedField = ".blocked_domains"
			t.Search.Blocked, err = d.texts(&r, path+t.Search.BlockedField)
		case "max_uses":
			t.Search.MaxUses, err = positive(&r, path+".max_uses")
		case "max_content_tokens", "max_tokens":
			t.Search.MaxTokens, err = positive(&r, path+"."+r.Key())
		case "citations":
			enabled, _, _ := jsonr.LastMember(string(r.Value()), "enabled")
			if t.Search.Cites = enabled == "true"; t.Search.Cites {
				noteOther(t, &r)
			}
		case "url_sources":
			t.Search.OwnSources = true
			noteOther(t, &r)
		case "user_location":
			if r.Kind() != jsonr.Object {
				return wrongKind(path+".user_location", "dictionary", r.Kind())
			}
			t.Search.Location, t.Search.LocationField = r.Value(), ".user_location"
		case "use_cache": // true is the default
			if r.Value() == "false" {
				t.Search.Others = append(t.Search.Others, ".use_cache")
			}
		case "type", "name", "cache_control", "defer_loading", "allowed_callers":
		case "model", "strict":
			if t.Kind != ir.AdvisorTool {
				noteOther(t, &r)
			}
		default:
			noteOther(t, &r)
		}
	}
	if err == nil && t.Name == "" {
		err = invalid(path+".name", "Field required")
	}
	return err
}

// noteOther notes the member that r is at, if the member asks for something.
func noteOther(t *ir.Tool, r *jsonr.Reader) {
	if jsonr.Asks(r.Value()) {
		t.Search.Others = append(t.Search.Others, "."+ir.Shortened(r.Key()))
	}
}
