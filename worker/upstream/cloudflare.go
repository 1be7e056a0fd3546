//go:build js && wasm

package upstream

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/worker/endpoint"
)

// searched is the form in which Cloudflare lists its own models
// (https://developers.cloudflare.com/api/resources/ai/subresources/models/methods/list). The binding's list is put into the same form.
var searched = ir.Models{Path: "/models/search?task=Text%20Generation&per_page=1000", Entries: "result", Read: readSearched}

func readSearched(r *jsonr.Reader) (m ir.Model, ok bool) {
	for r.OpenObject(); r.Member(); {
		if r.Key() == "name" {
			m.ID, ok = jsonr.Text(r.Value())
		} else {
			r.Value()
		}
	}
	return m, ok && m.ID != ""
}

// ModelsOf returns the form in which the upstream lists its models.
func ModelsOf(u *endpoint.Upstream) *ir.Models {
	if u.OnCloudflare() {
		return &searched
	}
	return u.API.Models
}

// urlOf returns the URL of a path at the upstream.
func urlOf(u *endpoint.Upstream, path string) string {
	if path == searched.Path {
		return strings.TrimSuffix(u.URL, "/v1") + path
	}
	return u.Base(path) + withQuery(path, u.Query)
}
