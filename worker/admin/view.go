package admin

import (
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

// AppendView appends the operator's view of the endpoint. key is a new key to show, or "".
func (r *Record) AppendView(dst []byte, key string) []byte {
	dst = r.appendHead(dst, key)
	if r.hook.key != "" {
		dst = jsonw.AppendString(append(dst, `,"alert_secret":`...), r.hook.key)
	}
	dst = strconv.AppendInt(append(dst, `,"rev":`...), r.Rev, 10)
	gjson.Parse(r.settings).ForEach(func(name, v gjson.Result) bool {
		dst = append(appendName(dst, name.Str), v.Raw...)
		return true
	})
	dst = append(dst, `,"sealed_keys":[`...)
	for i := range r.upstreams {
		if u := &r.upstreams[i]; u.sealed() {
			dst = append(jsonw.AppendString(dst, u.name), ',')
		}
	}
	if r.search.sealed != "" {
		dst = jsonw.AppendString(dst, endpoint.WebSearchKey)
	}
	dst = appendUnpriced(r.appendPools(r.appendTokens(append(trimComma(dst), ']'))), r.unpriced)
	dst = append(dst, `,"keys":[`...)
	for i := range r.Keys {
		k := &r.Keys[i]
		dst = jsonw.AppendString(append(dst, `{"id":`...), endpoint.KeyID(k.Hash))
		if k.CountedAs != "" {
			dst = jsonw.AppendString(append(dst, `,"counted_as":`...), k.CountedAs)
		}
		dst = append(appendKey(dst, k), "},"...)
	}
	return append(trimComma(dst), "]}\n"...)
}

// appendUnpriced appends the names from endpoint.Endpoint.Unpriced, if any.
func appendUnpriced(dst []byte, names []string) []byte {
	if len(names) == 0 {
		return dst
	}
	dst = append(dst, `,"unpriced_models":[`...)
	for _, name := range names {
		dst = append(jsonw.AppendString(dst, name), ',')
	}
	return append(trimComma(dst), ']')
}

// appendTokens appends the names of the upstreams whose gateway has a token, if any.
func (r *Record) appendTokens(dst []byte) []byte {
	from := len(dst)
	for i := range r.upstreams {
		if u := &r.upstreams[i]; u.token.sealed != "" {
			if len(dst) == from {
				dst = append(dst, `,"sealed_tokens":[`...)
			}
			dst = append(jsonw.AppendString(dst, u.name), ',')
		}
	}
	if len(dst) == from {
		return dst
	}
	return append(trimComma(dst), ']')
}

// appendPools appends the number of keys of each upstream with a pool, if any.
func (r *Record) appendPools(dst []byte) []byte {
	from := len(dst)
	for i := range r.upstreams {
		if u := &r.upstreams[i]; u.pool && u.sealed() {
			if len(dst) == from {
				dst = append(dst, `,"pools":{`...)
			}
			dst = strconv.AppendInt(appendName(dst, u.name), int64(len(u.keys)), 10)
		}
	}
	if len(dst) == from {
		return dst
	}
	return append(dst, '}')
}

// AppendOwn appends the endpoint as seen by the owner of the key with this hash. key is a new key
// to show, or "".
func (r *Record) AppendOwn(dst []byte, hash, key string) []byte {
	dst = r.appendHead(dst, key)
	gjson.Parse(r.settings).ForEach(func(name, v gjson.Result) bool {
		if name.Str == "alerts" { // the operator's
			return true
		}
		dst = appendName(dst, name.Str)
		if name.Str != "upstreams" {
			dst = append(dst, v.Raw...)
			return true
		}
		dst = append(dst, '[')
		v.ForEach(func(_, u gjson.Result) bool {
			dst = append(appendOwnUpstream(dst, u), ',')
			return true
		})
		dst = append(trimComma(dst), ']')
		return true
	})
	own := r.Key(hash)
	dst = jsonw.AppendString(append(dst, `,"own_key":{"id":`...), own.Account())
	return append(appendKey(dst, &own), "}}\n"...)
}

// appendOwnUpstream appends an upstream without confidential values: only the names of headers, and
// no gateway, because a gateway names an account.
func appendOwnUpstream(dst []byte, u gjson.Result) []byte {
	dst = append(dst, '{')
	u.ForEach(func(name, v gjson.Result) bool {
		if name.Str == "gateway" {
			return true
		}
		dst = appendName(dst, name.Str)
		switch {
		case name.Str == "headers":
			dst = appendNames(dst, v)
		case name.Str == "options" && get(v, "headers").Exists():
			dst = appendWithout(dst, v, "headers")
			dst = append(appendNames(appendName(dst[:len(dst)-1], "headers"), get(v, "headers")), '}')
		default:
			dst = append(dst, v.Raw...)
		}
		return true
	})
	return append(dst, '}')
}

// appendNames appends the names of an object's members.
func appendNames(dst []byte, object gjson.Result) []byte {
	dst = append(dst, '[')
	object.ForEach(func(name, _ gjson.Result) bool {
		dst = append(jsonw.AppendString(dst, name.Str), ',')
		return true
	})
	return append(trimComma(dst), ']')
}

// appendHead appends the first members, common to both views. key is a new key to show, or "". usage
// is shown even if the record lacks the member: writing the view back changes nothing.
func (r *Record) appendHead(dst []byte, key string) []byte {
	dst = append(dst, '{')
	if key != "" {
		dst = jsonw.AppendString(appendName(dst, "key"), key)
	}
	dst = jsonw.AppendString(appendName(dst, "name"), r.Name)
	dst = strconv.AppendInt(append(dst, `,"created":`...), r.Created, 10)
	dst = strconv.AppendInt(append(dst, `,"updated":`...), r.Updated, 10)
	if !get(gjson.Parse(r.settings), "usage").Exists() {
		dst = append(dst, `,"usage":false`...)
	}
	return dst
}

// trimComma removes a trailing comma.
func trimComma(dst []byte) []byte {
	if n := len(dst) - 1; dst[n] == ',' {
		return dst[:n]
	}
	return dst
}

// appendMetadata appends the metadata of an endpoint's record, which lists show. KV accepts up to
// 1,024 bytes; 16 upstreams with the longest names need less.
func appendMetadata(dst []byte, e *endpoint.Endpoint) []byte {
	auth := "key"
	if e.Forward {
		auth = "forward"
	}
	dst = jsonw.AppendString(append(dst, `{"auth":`...), auth)
	dst = strconv.AppendBool(append(dst, `,"disabled":`...), e.Disabled)
	dst = strconv.AppendInt(append(dst, `,"keys":`...), int64(len(e.Keys)), 10)
	dst = strconv.AppendInt(append(dst, `,"created":`...), e.Created, 10)
	dst = strconv.AppendInt(append(dst, `,"updated":`...), e.Updated, 10)
	dst = append(dst, `,"upstreams":{`...)
	for i := range e.Upstreams {
		u := &e.Upstreams[i]
		dst = jsonw.AppendString(appendName(dst, u.Name), u.API.Name)
	}
	return append(dst, "}}"...)
}

// AppendList appends a page of the list of endpoints. page is the result of bridge.Host.KVList.
// prefix is the prefix of the names in the page's keys.
func AppendList(dst []byte, page, prefix string) []byte {
	list := gjson.Parse(page)
	dst = append(dst, `{"endpoints":[`...)
	get(list, "keys").ForEach(func(_, k gjson.Result) bool {
		dst = jsonw.AppendString(append(dst, `{"name":`...), get(k, "name").Str[len(prefix):])
		get(k, "metadata").ForEach(func(name, v gjson.Result) bool {
			dst = append(appendName(dst, name.Str), v.Raw...)
			return true
		})
		dst = append(dst, "},"...)
		return true
	})
	dst = append(trimComma(dst), `],"cursor":`...)
	return append(jsonw.AppendString(dst, get(list, "cursor").Str), "}\n"...)
}
