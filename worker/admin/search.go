package admin

import (
	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

// searchSecret is the key of the provider of web searches that has this name.
type searchSecret struct {
	name string
	secret
}

// searchKeyPath is where a request has the key of the provider of web searches.
const searchKeyPath = "options." + endpoint.WebSearchKey + ".key"

// takeSearchKey takes the key of the provider of web searches out of the settings, into which
// options of a patch were merged. A provider whose key the patch does not name keeps the sealed one
// that it had so far; that key goes to no other provider.
func (r *Record) takeSearchKey(patch gjson.Result) *Error {
	settings := gjson.Parse(r.settings)
	options := get(settings, "options")
	now := get(options, endpoint.WebSearchKey)
	if !now.IsObject() { // endpoint.Parse, which encode calls, says what is wrong with another value
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

// check returns an error where the provider lacks a key that it needs, or the key is not sealed; k
// is that of a record's option w.
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

// appendSearchKey appends options with this sealed key of the provider of web searches, "" for
// none, in place of the one that is there.
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
