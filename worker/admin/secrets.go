package admin

import (
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

// upstreamSecrets has the secrets of an upstream in a record.
type upstreamSecrets struct {
	name, url string
	route     string   // result of endpoint.Upstream.Route
	keys      []secret // the upstream's key, or the keys of its pool
	pool      bool     // keys is a pool
	token     secret   // token of the gateway
}

// secret is a sealed secret, or a new secret to be sealed. The zero value is no secret.
type secret struct {
	sealed string
	plain  string // a new secret, still to be sealed
}

// secretsOf returns the secrets of a stored upstream.
func secretsOf(u *endpoint.Upstream) upstreamSecrets {
	s := upstreamSecrets{name: u.Name, url: u.URL, route: u.Route(), pool: len(u.Keys) > 0}
	if u.Key != "" {
		s.keys = []secret{{sealed: u.Key}}
	}
	for _, key := range u.Keys {
		s.keys = append(s.keys, secret{sealed: key})
	}
	if u.Gateway != nil {
		s.token.sealed = u.Gateway.Token
	}
	return s
}

// sealed reports whether there are keys, all of them sealed.
func (s *upstreamSecrets) sealed() bool { return len(s.keys) > 0 && s.keys[0].sealed != "" }

// seal seals new secrets, and seals old ones again if they were sealed with the previous master
// key.
func (s *upstreamSecrets) seal(u *endpoint.Upstream, by Sealer) error {
	for i := range s.keys {
		if err := s.keys[i].seal(u.SealContext(), by); err != nil {
			return err
		}
	}
	return s.token.seal(u.TokenContext(), by)
}

// seal seals a new secret. A secret sealed with the previous master key is sealed again with the
// current one. A sealed secret that can't be opened stays unchanged.
func (s *secret) seal(context string, by Sealer) (err error) {
	if s.plain == "" && s.sealed != "" {
		plain, ok, stale, err := by.Open(context, s.sealed)
		if err != nil {
			return err
		}
		if ok && stale {
			s.plain = plain
		}
	}
	if s.plain == "" {
		return nil
	}
	s.sealed, err = by.Seal(context, s.plain)
	s.plain = ""
	return err
}

// appendBare appends the upstream u, an object, without its secrets.
func appendBare(dst []byte, u gjson.Result) []byte {
	dst = append(dst, '{')
	u.ForEach(func(name, v gjson.Result) bool {
		switch {
		case name.Str == "key" || name.Str == "keys":
		case name.Str == "gateway" && v.IsObject():
			dst = appendWithout(appendName(dst, name.Str), v, "token")
		default:
			dst = append(appendName(dst, name.Str), v.Raw...)
		}
		return true
	})
	return append(dst, '}')
}

// appendTo appends an upstream from appendBare together with its sealed secrets.
func (s *upstreamSecrets) appendTo(dst []byte, u gjson.Result) []byte {
	dst = append(dst, '{')
	u.ForEach(func(name, v gjson.Result) bool {
		dst = append(appendName(dst, name.Str), v.Raw...)
		if name.Str == "gateway" && v.IsObject() && s.token.sealed != "" {
			dst = append(jsonw.AppendString(appendName(dst[:len(dst)-1], "token"), s.token.sealed), '}')
		}
		return true
	})
	switch {
	case !s.sealed():
	case !s.pool:
		dst = jsonw.AppendString(appendName(dst, "key"), s.keys[0].sealed)
	default:
		dst = append(appendName(dst, "keys"), '[')
		for i := range s.keys {
			dst = append(jsonw.AppendString(dst, s.keys[i].sealed), ',')
		}
		dst = append(trimComma(dst), ']')
	}
	return append(dst, '}')
}

// readSecrets reads the secrets of an upstream in a request. A secret is new, or null for no
// secret. If the secret is missing, the sealed secret of the old upstream with the same name stays,
// unless the host or the gateway has changed: then readSecrets returns an error.
func (r *Record) readSecrets(s *upstreamSecrets, path string, v gjson.Result) *Error {
	gateway := get(v, "gateway")
	s.name, s.url = get(v, "name").Str, get(v, "url").Str
	if gateway.IsObject() {
		s.route = endpoint.Route(get(gateway, "account").Str, get(gateway, "id").Str)
	}
	old := new(upstreamSecrets)
	for i := range r.upstreams {
		if r.upstreams[i].name == s.name {
			old = &r.upstreams[i]
		}
	}
	if err := s.readKeys(path, get(v, "key"), get(v, "keys"), old); err != nil || !gateway.IsObject() {
		return err
	}
	token := get(gateway, "token")
	path += ".gateway.token"
	switch {
	case token.Exists():
		return s.token.read(path, "the gateway's token", token)
	case old.token.sealed == "":
	case old.route != s.route:
		return bad(path, "must be sent again, since the gateway is another one; null for none.")
	default:
		s.token = old.token
	}
	return nil
}

// readKeys reads the members key and keys of an upstream in a request. old has the secrets of the
// old upstream with the same name.
func (s *upstreamSecrets) readKeys(path string, key, keys gjson.Result, old *upstreamSecrets) *Error {
	switch {
	case key.Exists() && keys.Exists():
		return bad(path+".keys", "can't stand beside key. Send one of both.")
	case key.Exists() && key.Type != gjson.Null:
		s.keys = make([]secret, 1)
		return s.keys[0].readKey(path+".key", s.url, key)
	case keys.Exists():
		s.pool = true
		return s.readPool(path+".keys", keys)
	case key.Exists() || len(old.keys) == 0:
	case !endpoint.SameOrigin(old.url, s.url):
		return old.unsent(path, "the url leads to another host")
	case old.route != s.route:
		return old.unsent(path, "it goes through another gateway")
	default:
		s.keys, s.pool = old.keys, old.pool
	}
	return nil
}

// unsent returns the error for keys that must be sent again.
func (s *upstreamSecrets) unsent(path, why string) *Error {
	field := ".key"
	if s.pool {
		field = ".keys"
	}
	return bad(path+field, "must be sent again, since "+why+"; null for none.")
}

// readPool reads the keys of a pool.
func (s *upstreamSecrets) readPool(path string, v gjson.Result) (err *Error) {
	if v.Type == gjson.Null {
		return nil
	}
	if list := v.Array(); !v.IsArray() || len(list) == 0 || len(list) > endpoint.MaxPool {
		return bad(path, "must be a list of the upstream's keys, 1 to "+strconv.Itoa(endpoint.MaxPool)+
			"; null for none.")
	}
	v.ForEach(func(_, v gjson.Result) bool {
		at := path + "[" + strconv.Itoa(len(s.keys)) + "]"
		var one secret
		if err = one.readKey(at, s.url, v); err == nil && one.plain == "" {
			err = bad(at, "must be a key.")
		}
		for _, other := range s.keys {
			if err == nil && other == one {
				err = bad(at, "is there twice.")
			}
		}
		s.keys = append(s.keys, one)
		return err == nil
	})
	return err
}

// readKey reads v, the key of an upstream at a URL, like read. For Vertex AI the key is a service
// account's key: JSON, as a text or as an object.
func (s *secret) readKey(path, url string, v gjson.Result) *Error {
	vertex := (&endpoint.Upstream{URL: url}).IsVertex()
	if !vertex || v.Type == gjson.Null {
		return s.read(path, "the upstream's key", v)
	}
	key := v.Str
	if v.IsObject() {
		key = v.Raw
	}
	if len(key) > maxAccount {
		return bad(path, "is longer than any service account's key.")
	}
	if problem := endpoint.WrongAccount(key); problem != "" {
		return bad(path, problem)
	}
	s.plain = key
	return nil
}

// read reads v, a secret in a request: a new secret, or null for no secret.
func (s *secret) read(path, what string, v gjson.Result) *Error {
	switch {
	case v.Type == gjson.Null:
	case v.Type == gjson.String && isSecret(v.Str):
		s.plain = v.Str
	default:
		return bad(path, "must be "+what+", 1 to 2048 visible characters of ASCII; null for none.")
	}
	return nil
}

// isSecret reports whether a key is valid in a header, and in JSON without escapes.
func isSecret(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return s != "" && len(s) <= maxSecret
}

// checkSealed returns an error if any secret of an upstream is not sealed.
func checkSealed(u *endpoint.Upstream) *Error {
	secrets := append([]string{u.Key}, u.Keys...)
	if u.Gateway != nil {
		secrets = append(secrets, u.Gateway.Token)
	}
	for _, s := range secrets {
		if s != "" && !isSealed(s) {
			return Refuse(http.StatusInternalServerError,
				"The key of the upstream "+u.Name+" is not sealed, so nothing was stored.")
		}
	}
	return nil
}
