package upstream

import (
	"hash/fnv"
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// searched is the form in which Cloudflare lists its own models
// (https://developers.cloudflare.com/api/resources/ai/subresources/models/methods/list). The list
// of the AI binding is converted to the same form.
var searched = ir.Models{Path: "/models/search?task=Text%20Generation&per_page=1000", Entries: "result",
	Read: readSearched}

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

// ModelsOf returns the form of the upstream's model list.
func ModelsOf(u *endpoint.Upstream) *ir.Models {
	if u.OnCloudflare() {
		return &searched
	}
	return u.API.Models
}

// Affine adds x-session-affinity to a request to Cloudflare's own models. The header routes the
// requests of a session to the model instance that has cached the prompt
// (https://developers.cloudflare.com/workers-ai/features/prompt-caching). It is added only if the
// client identifies the session: Codex by prompt_cache_key, Claude Code by metadata.user_id. The
// value is a hash of the session's id and the endpoint's name, so Cloudflare learns no name from
// it. The hash is not secret.
func Affine(call *bridge.Call, u *endpoint.Upstream, r *ir.Request) {
	session := r.CacheKey
	if session == "" {
		session = r.UserID
	}
	if session == "" || !u.OnCloudflare() {
		return
	}
	hash := fnv.New64a()
	hash.Write([]byte(u.Endpoint.Name + "\n" + string(session)))
	call.Head = bridge.AppendHeader(call.Head, "x-session-affinity", strconv.FormatUint(hash.Sum64(), 10))
}

// urlOf returns the URL of a path at the upstream.
func urlOf(u *endpoint.Upstream, path string) string {
	if path == searched.Path {
		return strings.TrimSuffix(u.URL, "/v1") + path
	}
	return endpoint.Join(u.Base(path), withQuery(path, u.Query))
}
