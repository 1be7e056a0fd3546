package endpoint

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Models maps a client's model names to the upstream's. The first matching pattern wins.
type Models []rule

// rule is a pattern with the upstream's name of matching models; "": the same name.
type rule struct{ pattern, model string }

// Map returns the upstream's name of model. If no pattern matches, Map returns model.
func (m Models) Map(model string) string {
	name, _ := m.lookup(model)
	return name
}

// lookup is Map, with ok false if no pattern matches.
func (m Models) lookup(model string) (name string, ok bool) {
	for _, r := range m {
		if match(r.pattern, model) {
			if r.model == "" {
				return model, true
			}
			return r.model, true
		}
	}
	return model, false
}

// Names returns the models to list for clients, each once: the allowed patterns without * in the
// upstreams' maps.
func (e *Endpoint) Names() (names []string) {
	for i := range e.Upstreams {
		for _, r := range e.Upstreams[i].Models {
			if !strings.Contains(r.pattern, "*") && e.Allows(r.pattern) && !slices.Contains(names,
				r.pattern) {
				names = append(names, r.pattern)
			}
		}
	}
	return names
}

// match reports whether the whole of s matches pattern, in which * matches any characters. After a
// mismatch match goes back only to the last *, so it takes at most len(pattern) * len(s) steps.
func match(pattern, s string) bool {
	p, i, star, from := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && pattern[p] == s[i]:
			p++
			i++
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// readModels reads an object of patterns and the upstream's names.
func (u *Upstream) readModels(path string, v gjson.Result) (err *Error) {
	v.ForEach(func(key, value gjson.Result) bool {
		if value.Type != gjson.String || value.Str == "" {
			err = &Error{path + "." + key.Str, "must be the upstream's model name, a string."}
			return false
		}
		u.Models = append(u.Models, rule{key.Str, value.Str})
		return true
	})
	return err
}
