package admin

import (
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/worker/endpoint"
)

// MaxBody bounds the body of a request, in bytes.
const MaxBody = 256 << 10

// maxSecret bounds the key of an upstream, in bytes.
const maxSecret = 2 << 10

// maxAccount bounds a service account's key, in bytes. A key of Google has 2,400.
const maxAccount = 16 << 10

// bodyOf parses a body as a JSON object. An empty body counts as {}.
func bodyOf(body string) (gjson.Result, *Error) {
	if body == "" {
		body = "{}"
	}
	if err := jsonr.Check(body); err != nil {
		return gjson.Result{}, Refuse(http.StatusBadRequest, "The body is not JSON: "+err.Error()+".")
	}
	v := gjson.Parse(body)
	if !v.IsObject() {
		return v, Refuse(http.StatusBadRequest, "The body must be a JSON object.")
	}
	return v, nil
}

// Create reads a request for a new endpoint, and the wanted properties of its first key. forward:
// the endpoint gets no key, because with "auth":"forward" clients bring their upstream keys. A new
// endpoint counts usage unless the request says otherwise; without the member, a record counts none,
// like the records of earlier versions.
func Create(body string) (r *Record, first Wanted, forward bool, err *Error) {
	r, first, forward, err = create(body)
	switch {
	case err != nil:
	case r.Name == "":
		err = bad("name", "is missing.")
	case !get(gjson.Parse(r.settings), "usage").Exists():
		err = r.Patch(`{"usage":true}`)
	}
	return r, first, forward, err
}

// Draft reads the same request for an endpoint that will not be stored. The name is optional.
func Draft(body string) (*Record, *Error) {
	r, _, _, err := create(body)
	if err == nil && r.Name == "" {
		// without a name, the endpoint would count as the single-user worker, whose upstream may be
		// local
		r.Name = "draft"
	}
	return r, err
}

func create(body string) (r *Record, first Wanted, forward bool, err *Error) {
	v, err := bodyOf(body)
	if err != nil {
		return nil, first, false, err
	}
	members, err := membersOf(v, "")
	if err != nil {
		return nil, first, false, err
	}
	r = New("")
	settings, wanted := []byte{'{'}, false
	for _, m := range members {
		switch {
		case m.name == "name":
			if m.value.Type != gjson.String || !endpoint.IsName(m.value.Str) {
				return nil, first, false, bad("name", "must be a name: 1 to 40 of a-z, 0-9 and -.")
			}
			r.Name = m.value.Str
		case m.name == "key":
			wanted = true
			if err = first.read("key", m.value, KeyFields); err != nil {
				return nil, first, false, err
			}
		case isSetting(m.name):
			settings = append(appendName(settings, m.name), m.value.Raw...)
			forward = forward || m.name == "auth" && m.value.Str == "forward"
		default:
			return nil, first, false, noField(m.name, "name, key, "+settingNames)
		}
	}
	if wanted && forward {
		return nil, first, false,
			bad("key", "must be left out: with \"auth\":\"forward\" clients bring their own.")
	}
	return r, first, forward, r.Patch(string(append(settings, '}')))
}

// Patch applies a merge patch (RFC 7396) to the record.
func (r *Record) Patch(body string) *Error {
	v, err := bodyOf(body)
	if err != nil {
		return err
	}
	replaced := false
	v.ForEach(func(name, _ gjson.Result) bool {
		replaced = replaced || name.Str == "upstreams"
		if !isSetting(name.Str) {
			err = bad(name.Str, "is no field that can be changed. Those are "+settingNames+"."+
				ir.DidYouMean(name.Str, settingNames))
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	settings, err := appendMerged(nil, gjson.Parse(r.settings), v, "", 0)
	if err != nil {
		return err
	}
	r.settings = string(settings)
	if err := r.takeSearchKey(get(v, "options")); err != nil {
		return err
	}
	if err := r.takeWebhook(get(v, "alerts")); err != nil {
		return err
	}
	if replaced {
		return r.replaceUpstreams()
	}
	return nil
}

// replaceUpstreams moves the secrets out of the settings, after a patch has replaced the upstreams.
func (r *Record) replaceUpstreams() (err *Error) {
	settings := gjson.Parse(r.settings)
	list := get(settings, "upstreams")
	if !list.IsArray() {
		return nil // endpoint.Parse, called by encode, reports the error
	}
	var upstreams []upstreamSecrets
	plain := []byte{'['}
	list.ForEach(func(_, v gjson.Result) bool {
		path := "upstreams[" + strconv.Itoa(len(upstreams)) + "]"
		if !v.IsObject() {
			err = bad(path, "must be an object.")
			return false
		}
		if err = checkMembers(v, path, 0); err != nil {
			return false
		}
		upstreams = append(upstreams, upstreamSecrets{})
		err = r.readSecrets(&upstreams[len(upstreams)-1], path, v)
		plain = append(appendBare(plain, v), ',')
		return err == nil
	})
	if err != nil {
		return err
	}
	r.upstreams = upstreams
	rest := appendWithout(nil, settings, "upstreams")
	rest = append(appendName(rest[:len(rest)-1], "upstreams"), trimComma(plain)...)
	r.settings = string(append(rest, "]}"...))
	return nil
}

// get returns the value of an object's member. If the member is missing, the Result does not exist.
// gjson's own Get would add its path syntax to the module.
func get(object gjson.Result, name string) (value gjson.Result) {
	object.ForEach(func(key, v gjson.Result) bool {
		if key.Str != name {
			return true
		}
		value = v
		return false
	})
	return value
}
