package admin

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/tenant"
)

// Record is a stored endpoint, split into the parts that requests can change.
type Record struct {
	Name    string
	ID      string       // see endpoint.Endpoint
	Truth   tenant.Truth // truth about the record when it was loaded
	Rev     int64        // number of writes and deletions; 0: never written
	Created int64        // Unix seconds
	Updated int64        // Unix seconds
	Keys    []endpoint.Key
	// a JSON object with the members of settingNames, without the upstreams' secrets
	settings  string
	original  string            // the settings as loaded; "" for a new record
	upstreams []upstreamSecrets // in the order of the upstreams in settings
	search    searchSecret      // secret of the search provider
	hook      webhook           // webhook for alerts
	loaded    *endpoint.Endpoint
	finished  *endpoint.Endpoint
	recounted string   // account of a key that is counted under the newest key from now on, or ""
	unpriced  []string // endpoint.Endpoint.Unpriced, for AppendView
}

// settingNames are the members of a record that clients of the API may set.
const settingNames = "auth, upstreams, options, head_wait, batch, max_output_bytes, usage, limits, " +
	"prices, request_log, alerts and disabled"

func isSetting(name string) bool {
	switch name {
	case "auth", "upstreams", "options", "head_wait", "batch", "max_output_bytes", "usage", "limits",
		"prices", "request_log", "alerts", "disabled":
		return true
	}
	return false
}

// New returns the record of a new endpoint.
func New(name string) *Record { return &Record{Name: name, settings: "{}"} }

// Load reads a stored record.
func Load(name, record string) (*Record, *Error) {
	e, failed := endpoint.Parse(name, record)
	if failed != nil {
		return nil, Refuse(http.StatusInternalServerError,
			"The record of "+name+" can't be read: "+failed.Error()+" Delete it, and create it again.")
	}
	r := &Record{Name: name, ID: e.ID, Rev: e.Rev, Created: e.Created, Updated: e.Updated, Keys: e.Keys,
		loaded: e}
	for i := range e.Upstreams {
		u := &e.Upstreams[i]
		r.upstreams = append(r.upstreams, secretsOf(u))
	}
	r.search = searchSecret{e.WebSearch.Name, secret{sealed: e.WebSearch.Key}}
	r.hook.sealed = e.Alerts.Sealed
	settings := []byte{'{'}
	gjson.Parse(record).ForEach(func(name, v gjson.Result) bool {
		switch {
		case name.Str == "upstreams":
			settings = append(appendName(settings, name.Str), '[')
			v.ForEach(func(_, u gjson.Result) bool {
				settings = append(appendBare(settings, u), ',')
				return true
			})
			settings = append(trimComma(settings), ']')
		case name.Str == "options":
			settings = appendSearchKey(appendName(settings, name.Str), v, "")
		case name.Str == "alerts":
			settings = appendWithout(appendName(settings, name.Str), v, "sealed")
		case isSetting(name.Str):
			settings = append(appendName(settings, name.Str), v.Raw...)
		}
		return true
	})
	r.settings = string(append(settings, '}'))
	r.original = r.settings
	return r, nil
}

// Endpoint returns the endpoint as loaded, or nil if the record is new or r is nil.
func (r *Record) Endpoint() *endpoint.Endpoint {
	if r == nil {
		return nil
	}
	return r.loaded
}

// Counts reports whether the endpoint records usage: before, in the loaded record, and after, in
// the record from Finish.
func (r *Record) Counts() (before, after bool) { return r.loaded.Counts(), r.finished.Counts() }

// appendWithout appends an object without the named member.
func appendWithout(dst []byte, object gjson.Result, without string) []byte {
	dst = append(dst, '{')
	object.ForEach(func(name, v gjson.Result) bool {
		if name.Str != without {
			dst = append(appendName(dst, name.Str), v.Raw...)
		}
		return true
	})
	return append(dst, '}')
}

// Match returns an error if the header if-match requires another revision. The error has a view of
// the endpoint.
func (r *Record) Match(header string) *Error {
	rev := strconv.FormatInt(r.Rev, 10)
	if header == "" || header == "*" || strings.Trim(header, `"`) == rev {
		return nil
	}
	err := Refuse(http.StatusPreconditionFailed,
		"The endpoint is at revision "+rev+", not at that of if-match.")
	err.Current = r.AppendView(nil, "")
	return err
}

// Sealer seals and opens secrets for a context, like bridge.Host.Seal and bridge.Host.Open.
type Sealer struct {
	Seal func(context, secret string) (sealed string, err error)
	Open func(context, sealed string) (secret string, ok, stale bool, err error)
}

// Finish seals the secrets, and returns the record in the stored form. It increments the revision.
// now is the time of the change in Unix seconds. local: upstreams need not be on the public
// internet. by encrypts the secrets.
func (r *Record) Finish(now int64, local bool, by Sealer) (record string, err *Error) {
	_, e, err := r.encode(local)
	if err != nil {
		return "", err
	}
	for i := range r.upstreams {
		if failed := r.upstreams[i].seal(&e.Upstreams[i], by); failed != nil {
			return "", Refuse(http.StatusInternalServerError, failed.Error())
		}
	}
	if failed := r.search.seal(e.WebSearch.SealContext(r.Name), by); failed != nil {
		return "", Refuse(http.StatusInternalServerError, failed.Error())
	}
	if failed := r.hook.seal(endpoint.AlertContext(r.Name), by); failed != nil {
		return "", Refuse(http.StatusInternalServerError, failed.Error())
	}
	r.Rev++
	r.Updated = now
	// after the creation of a deleted endpoint of the same name, even within the same second
	if r.Created == 0 {
		r.Created = max(now, r.Truth.Made+1)
	}
	record, r.finished, err = r.encode(local)
	return record, err
}

// encode returns the JSON of the record, and the endpoint parsed from the JSON, with the same
// checks as for a stored record.
func (r *Record) encode(local bool) (string, *endpoint.Endpoint, *Error) {
	dst := strconv.AppendInt([]byte(`{"version":`), endpoint.Version, 10)
	if r.ID != "" {
		dst = jsonw.AppendString(append(dst, `,"id":`...), r.ID)
	}
	dst = strconv.AppendInt(append(dst, `,"rev":`...), r.Rev, 10)
	dst = strconv.AppendInt(append(dst, `,"created":`...), r.Created, 10)
	dst = strconv.AppendInt(append(dst, `,"updated":`...), r.Updated, 10)
	gjson.Parse(r.settings).ForEach(func(name, v gjson.Result) bool {
		dst = appendName(dst, name.Str)
		switch name.Str {
		case "upstreams":
			dst = r.appendUpstreams(dst, v)
		case "options":
			dst = appendSearchKey(dst, v, r.search.sealed)
		case "alerts":
			dst = r.hook.appendTo(dst, v)
		default:
			dst = append(dst, v.Raw...)
		}
		return true
	})
	dst = append(dst, `,"keys":[`...)
	for i := range r.Keys {
		dst = jsonw.AppendString(append(dst, `{"hash":`...), r.Keys[i].Hash)
		if as := r.Keys[i].CountedAs; as != "" {
			dst = jsonw.AppendString(append(dst, `,"counted_as":`...), as)
		}
		dst = append(appendKey(dst, &r.Keys[i]), "},"...)
	}
	record := string(append(trimComma(dst), "]}"...))
	e, failed := endpoint.Parse(r.Name, record)
	if failed == nil && !local {
		failed = e.Public()
	}
	if failed == nil {
		failed = e.OneOrigin()
	}
	if failed == nil {
		failed = e.OwnSearches("options")
	}
	if failed != nil {
		return "", nil, invalid(failed)
	}
	if err := r.search.check(&e.WebSearch); err != nil {
		return "", nil, err
	}
	if err := r.hook.check(get(gjson.Parse(r.settings), "alerts")); err != nil {
		return "", nil, err
	}
	for i := range e.Upstreams {
		u := &e.Upstreams[i]
		if err := checkSealed(u); err != nil {
			return "", nil, err
		}
		for _, h := range u.Headers {
			if isCredential(h.Name) {
				return "", nil, bad(r.headersPath(i, h.Name),
					"must be free of "+h.Name+": headers are stored as they are, and only key is sealed.")
			}
		}
	}
	return record, e, nil
}

// headersPath returns the path of the object with a header of the upstream at index i: headers or
// options.headers.
func (r *Record) headersPath(i int, name string) string {
	path := "upstreams[" + strconv.Itoa(i) + "].options.headers"
	get(get(gjson.Parse(r.settings), "upstreams").Array()[i],
		"headers").ForEach(func(key, _ gjson.Result) bool {
		if strings.EqualFold(key.Str, name) {
			path = "upstreams[" + strconv.Itoa(i) + "].headers"
		}
		return true
	})
	return path
}

// appendUpstreams appends the upstreams with their sealed secrets. A value that is not a list is
// appended unchanged, and refused later by endpoint.Parse.
func (r *Record) appendUpstreams(dst []byte, list gjson.Result) []byte {
	if !list.IsArray() {
		return append(dst, list.Raw...)
	}
	dst = append(dst, '[')
	i := 0
	list.ForEach(func(_, v gjson.Result) bool {
		dst = append(r.upstreams[i].appendTo(dst, v), ',')
		i++
		return true
	})
	return append(trimComma(dst), ']')
}

// isSealed reports whether a text has the form of a text from bridge.Host.Seal: version, key id,
// nonce, and a ciphertext with its tag.
func isSealed(text string) bool {
	parts := strings.Split(text, ".")
	return len(parts) == 4 && parts[0] == "v1" && len(parts[1]) == 8 && len(parts[2]) == 16 &&
		len(parts[3]) > 22
}

// isCredential reports whether the value of a header is a credential, judging by the name.
func isCredential(name string) bool {
	// Headers are stored and shown as they are, and a dump of KV must give nobody access: only keys
	// are sealed.
	for _, end := range [...]string{"key", "token", "secret", "auth", "authorization", "cookie", "password",
		"credential", "credentials", "jwt"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
