package endpoint

import "strings"

// Choice is an upstream that serves a client's model, and what that is called there.
type Choice struct {
	*Upstream
	Model string
}

// Choose returns the upstreams that serve model, in the order in which they are to be tried. A model that begins with an
// upstream's name and a slash asks for that one alone. An upstream without patterns serves every model, and so does that of the
// deployment's variables.
func (e *Endpoint) Choose(model string) (choices []Choice) {
	if name, rest, ok := strings.Cut(model, "/"); ok {
		if u := e.upstream(name); u != nil {
			return []Choice{{u, u.Models.Map(rest)}}
		}
	}
	for i := range e.Upstreams {
		u := &e.Upstreams[i]
		if name, ok := u.Models.lookup(model); ok || len(u.Models) == 0 || u.Name == "" {
			choices = append(choices, Choice{u, name})
		}
	}
	return choices
}

// upstream returns the upstream of a name; nil: there is none, or it can't be asked for by name.
func (e *Endpoint) upstream(name string) *Upstream {
	for i := range e.Upstreams {
		if u := &e.Upstreams[i]; name != "" && u.Name == name {
			return u
		}
	}
	return nil
}
