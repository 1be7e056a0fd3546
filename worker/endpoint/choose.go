package endpoint

import "strings"

// Choice is an upstream that serves the client's model, with the upstream's name of the model.
type Choice struct {
	*Upstream
	Model string
}

// Choose returns the upstreams that serve model, in the order of trying. If model has the form
// NAME/MODEL and NAME is an upstream, Choose returns only the upstream NAME. An upstream without
// patterns serves every model, and so does the upstream of the deployment's variables. An upstream
// with Cloudflare's own models serves only names of such models. worker/page/lib/choose.mjs
// implements the same rule in the browser; testdata/choose.json tests both.
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

// Entitled returns the choices whose upstreams may receive the key that the endpoint sends. With
// "auth":"forward" the client's own key is sent, and only the origin of the first upstream may
// receive it. Old records may have other origins, from before OneOrigin refused them.
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

// upstream returns the upstream with a name, or nil.
func (e *Endpoint) upstream(name string) *Upstream {
	for i := range e.Upstreams {
		if u := &e.Upstreams[i]; name != "" && u.Name == name {
			return u
		}
	}
	return nil
}
