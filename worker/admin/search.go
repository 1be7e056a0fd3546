package admin

import (
	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

// searchSecret is the key of the search provider called name.
type searchSecret struct {
	name string
	secret
}

// searchKeyPath is the path of the search provider's key in a request.
const searchKeyPath = "options." + endpoint.WebSearchKey + ".key"

// takeSearchKey moves the search provider's key out of the settings. patch has the options of the
// patch, already merged into the settings. If the patch has no key and the provider is the same as
// before, the sealed key stays. It is never sent to another provider.
func (r *Record) takeSearchKey(patch gjson.Result) *Error {
	settings := gjson.Parse(r.settings)
	options := get(settings, "options")
	now := get(options, endpoint.WebSearchKey)
	if !now.IsObject() { // endpoint.Parse, called by encode, reports any other value
		r.search = searchSecret{}
		return nil
	}
	before := r.search
	r.search = searchSecret{name: get(now, "provider").Str}
	if v := get(get(patch, endpoint.WebSearchKey), "key"); v.Exists() {
		if err := r.search.read(searchKeyPath, "the provider's key", v); err != nil {
			return err
		}
	} else if before.name == r.search.name {
		r.search = before
	}
	plain := appendWithout(nil, settings, "options")
	plain = appendSearchKey(appendName(plain[:len(plain)-1], "options"), options, "")
	r.settings = string(append(plain, '}'))
	return nil
}

// check returns an error if the provider of w needs a key and has none, or needs none and gets a
// key, or if the key k is not sealed.
func (k *searchSecret) check(w *endpoint.WebSearch) *Error {
	switch {
	case w.NeedsKey() && k.sealed == "" && k.plain == "":
		return bad(searchKeyPath, "is missing. Send your key of "+w.Name+
			": a key that is stored for one provider goes to no other.")
	case !w.NeedsKey() && k.plain != "":
		return bad(searchKeyPath, "must be left out: a SearXNG takes none.")
	case k.sealed != "" && !isSealed(k.sealed):
		return Refuse(500, "The key of the provider of web searches is not sealed, so nothing was stored.")
	}
	return nil
}

// appendSearchKey appends options with the search provider's key replaced by sealed, or removed if
// sealed is "".
func appendSearchKey(dst []byte, options gjson.Result, sealed string) []byte {
	now := get(options, endpoint.WebSearchKey)
	if !now.IsObject() {
		return append(dst, options.Raw...)
	}
	dst = append(dst, '{')
	options.ForEach(func(name, v gjson.Result) bool {
		dst = appendName(dst, name.Str)
		if name.Str != endpoint.WebSearchKey {
			dst = append(dst, v.Raw...)
			return true
		}
		dst = appendWithout(dst, v, "key")
		if sealed != "" {
			dst = append(jsonw.AppendString(appendName(dst[:len(dst)-1], "key"), sealed), '}')
		}
		return true
	})
	return append(dst, '}')
}
