package admin

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

// Limits for the members of Wanted.
const (
	maxLabel = 100     // bytes
	maxGrace = 2592000 // seconds: 30 days
)

// tryLabel is the label of the keys that the operator's page makes for "Try it"
// (worker/page/operator/endpoint.mjs). They are valid for 15 minutes.
const tryLabel = "Try it"

// The members allowed in requests for a key, for ReadWanted.
const (
	KeyFields       = "label, expires, limits"
	RotateFields    = "grace, label, expires, limits"
	OwnRotateFields = "grace"
	LimitsFields    = "limits"
)

// Wanted has the properties of a new key, as requested.
type Wanted struct {
	Label   string
	Expires int64  // Unix seconds; 0: never
	Grace   int64  // seconds for which older keys stay valid
	Limits  string // limits as a JSON object; "": none

	limited bool // the request has the member limits
}

// ReadWanted reads a request for a key. fields are the allowed members.
func ReadWanted(body, fields string) (w Wanted, err *Error) {
	v, err := bodyOf(body)
	if err != nil {
		return w, err
	}
	err = w.read("", v, fields)
	return w, err
}

func (w *Wanted) read(path string, v gjson.Result, fields string) *Error {
	if !v.IsObject() {
		return bad(path, "must be an object.")
	}
	members, err := membersOf(v, path)
	if err != nil {
		return err
	}
	for _, m := range members {
		path := join(path, m.name)
		w.limited = w.limited || m.name == "limits"
		switch {
		case !strings.Contains(", "+fields+",", ", "+m.name+","):
			return noField(path, fields)
		case m.value.Type == gjson.Null:
		case m.name == "label":
			if m.value.Type != gjson.String || len(m.value.Str) > maxLabel {
				return bad(path, "must be a text of at most "+strconv.Itoa(maxLabel)+" bytes.")
			}
			w.Label = m.value.Str
		case m.name == "limits":
			if wrong := endpoint.ReadKeyLimits(path, m.value); wrong != nil {
				return invalid(wrong)
			}
			w.Limits = m.value.Raw
		case m.value.Type != gjson.Number || m.value.Num < 0 || m.value.Num > 1<<53 ||
			m.value.Num != float64(int64(m.value.Num)):
			return bad(path, "must be a whole number of seconds.")
		case m.name == "expires":
			w.Expires = int64(m.value.Num)
			if w.Expires == 0 {
				return bad(path, "must be a time to come, in Unix seconds; null for never.")
			}
		default:
			if m.value.Num > maxGrace {
				return bad(path, "must be at most "+strconv.Itoa(maxGrace)+", which are 30 days.")
			}
			w.Grace = int64(m.value.Num)
		}
	}
	return nil
}

// AddKey adds a key with this hash and the properties w, at now in Unix seconds. It removes expired
// keys that the page made for "Try it". If the record still has MaxKeys keys, AddKey also removes
// the first expired key. Without an expired key it returns an error.
func (r *Record) AddKey(hash string, w Wanted, now int64) *Error {
	if w.Expires != 0 && w.Expires <= now {
		return bad("expires", "must be a time to come, in Unix seconds; null for never.")
	}
	r.dropExpired(now, tryLabel)
	if len(r.Keys) >= endpoint.MaxKeys {
		r.dropExpired(now, "")
	}
	if len(r.Keys) >= endpoint.MaxKeys {
		return Refuse(http.StatusConflict, "The endpoint has "+strconv.Itoa(endpoint.MaxKeys)+
			" keys, which is the most. Revoke one first.")
	}
	k := endpoint.Key{Hash: hash, Label: w.Label, Created: now, Expires: w.Expires}
	k.SetLimits(w.Limits)
	r.Keys = append(r.Keys, k)
	return nil
}

// Limit replaces the limits of the key with an id, and of all keys counted under the same account, by
// those of a request, which must have them.
func (r *Record) Limit(id string, w Wanted) *Error {
	if !w.limited {
		return bad("limits", "is missing.")
	}
	account := accountOf(r.Keys, id)
	if account == "" {
		return noKey(id)
	}
	for i := range r.Keys {
		if k := &r.Keys[i]; k.Account() == account {
			k.SetLimits(w.Limits)
		}
	}
	return nil
}

// accountOf returns the id under which the key with an id is counted, or "" without such a key.
func accountOf(keys []endpoint.Key, id string) string {
	for i := range keys {
		if endpoint.KeyID(keys[i].Hash) == id {
			return keys[i].Account()
		}
	}
	return ""
}

// noKey is the error for an id without a key.
func noKey(id string) *Error {
	return Refuse(http.StatusNotFound, "The endpoint has no key "+id+".")
}

// dropExpired removes all keys with a label that have expired at now. If label is "", dropExpired
// removes the first expired key with any label, and no more.
func (r *Record) dropExpired(now int64, label string) {
	for i := 0; i < len(r.Keys); i++ {
		k := &r.Keys[i]
		if k.Expires == 0 || k.Expires > now || label != "" && k.Label != label {
			continue
		}
		r.Keys = append(r.Keys[:i:i], r.Keys[i+1:]...)
		if i--; label == "" {
			return
		}
	}
}

// Revoke removes the key with an id.
func (r *Record) Revoke(id string) *Error {
	for i, k := range r.Keys {
		if endpoint.KeyID(k.Hash) == id {
			r.Keys = append(r.Keys[:i:i], r.Keys[i+1:]...)
			return nil
		}
	}
	return noKey(id)
}

// Expire limits the life of the key with a hash, or of every key if hash is "": the key expires at
// a time in Unix seconds, or earlier.
func (r *Record) Expire(hash string, at int64) {
	for i := range r.Keys {
		if k := &r.Keys[i]; (hash == "" || k.Hash == hash) && (k.Expires == 0 || k.Expires > at) {
			k.Expires = at
		}
	}
}

// Key returns the key with a hash. The endpoint must have the key.
func (r *Record) Key(hash string) (key endpoint.Key) {
	for _, k := range r.Keys {
		if k.Hash == hash {
			key = k
		}
	}
	return key
}

// countAs counts a key with limits, and all keys counted under its account, under another key, which
// replaces it: otherwise a new key would renew a spent budget.
func (r *Record) countAs(old *endpoint.Key, id string) {
	account := old.Account()
	if old.LimitsJSON() == "" {
		return
	}
	for i := range r.Keys {
		if k := &r.Keys[i]; k.Account() == account {
			k.CountedAs = id
		}
	}
	r.recounted = account
}

// appendKey appends the members of a key except its hash, each after a comma.
func appendKey(dst []byte, k *endpoint.Key) []byte {
	if k.Label != "" {
		dst = jsonw.AppendString(append(dst, `,"label":`...), k.Label)
	}
	dst = strconv.AppendInt(append(dst, `,"created":`...), k.Created, 10)
	if k.Expires != 0 {
		dst = strconv.AppendInt(append(dst, `,"expires":`...), k.Expires, 10)
	}
	if limits := k.LimitsJSON(); limits != "" {
		dst = append(append(dst, `,"limits":`...), limits...)
	}
	return dst
}
