package endpoint

import "strings"

// Choice is an upstream that serves the model a client asks for, and its name of that model.
type Choice struct {
	*Upstream
	Model string
}

// Choose returns the upstreams that serve model, in the order in which they are to be tried. A
// model of the form NAME/MODEL, NAME being an upstream's, asks for that upstream alone. An upstream
// without patterns serves every model, and so does that of the deployment's variables, but
// Cloudflare's own models are no others. worker/page/choose.mjs does the same in the browser;
// testdata/choose.json holds both to it.
func (e *Endpoint) Choose(model string) (choices []Choice) {
	if name, rest, ok := strings.Cut(model, "/"); ok {
		if u := e.upstream(name); u != nil {
			if name := u.Models.Map(rest); u.serves(name) {
				choices = []Choice{{u, name}}
			}
			return choices
		}
	}
	for i := range e.Upstreams {
		u := &e.Upstreams[i]
		if name, ok := u.Models.lookup(model); (ok || len(u.Models) == 0 || u.Name == "") && u.serves(name) {
			choices = append(choices, Choice{u, name})
		}
	}
	return choices
}

// Entitled returns those of choices whose upstreams may get the key that the endpoint sends them.
// With "auth":"forward" that is the client's own, which goes to the origin of the first upstream
// alone: a record that was stored before Parse's callers refused others (OneOrigin) may have more.
func (e *Endpoint) Entitled(choices []Choice) (entitled []Choice) {
	if e.OneOrigin() == nil {
		return choices
	}
	for _, c := range choices {
		if e.entitles(c.Upstream) {
			entitled = append(entitled, c)
		}
	}
	return entitled
}

// upstream returns the upstream with a name, nil where there is none.
func (e *Endpoint) upstream(name string) *Upstream {
	for i := range e.Upstreams {
		if u := &e.Upstreams[i]; name != "" && u.Name == name {
			return u
		}
	}
	return nil
}
