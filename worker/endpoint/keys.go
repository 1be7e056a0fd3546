package endpoint

import (
	"crypto/subtle"
	"strings"

	"github.com/tidwall/gjson"
)

// Key is the stored part of a key of a personal endpoint. The key itself is not stored.
type Key struct {
	Hash    string // SHA-256, base64url
	Label   string
	Created int64 // Unix seconds
	Expires int64 // Unix seconds; 0: never
	// id of the key that has replaced this key, and under which both are counted; "": the key's own
	CountedAs string
	LimitSet         // limits of the key, beside the endpoint's
	limits    string // the limits as a JSON object; "": none
}

// LimitsJSON returns the limits of the key as a JSON object, or "" without limits.
func (k *Key) LimitsJSON() string { return k.limits }

// SetLimits replaces the limits of the key by limits that ReadKeyLimits has checked, a JSON object.
// "" removes them.
func (k *Key) SetLimits(limits string) {
	k.LimitSet, k.limits = LimitSet{}, limits
	if limits != "" {
		k.readKeyLimits("", gjson.Parse(limits))
	}
}

// Account returns the id under which requests with the key are counted.
func (k *Key) Account() string {
	if k.CountedAs != "" {
		return k.CountedAs
	}
	return KeyID(k.Hash)
}

// noKey is the key of a client without one.
var noKey Key

// key returns the key that the client has presented, or a key without limits.
func (e *Endpoint) key() *Key { return e.Key(e.Presented) }

// Key returns the key with a hash, or a key without hash and limits.
func (e *Endpoint) Key(hash string) *Key {
	for i := range e.Keys {
		if e.Keys[i].Hash == hash {
			return &e.Keys[i]
		}
	}
	return &noKey
}

// Account returns the id under which the client's requests are counted, or "" without a key.
func (e *Endpoint) Account() string { return e.key().Account() }

const (
	hashLength   = 43 // of 32 bytes in base64url, without padding
	randomLength = 43 // characters of a key after the name
	keyPrefix    = "el_"
)

// KeyID returns the id under which a key is shown. hash is the key's hash; KeyID("") is "".
func KeyID(hash string) string { return hash[:min(len(hash), 8)] }

// NewKey returns a key of the endpoint called name. random is from bridge.Host.Random. In the key,
// "_" replaces each "-" of the name, so that a double click selects the whole key: it would stop at
// a "-" (UAX 29: "_" joins words). Names never contain "_".
func NewKey(name, random string) string { return keyPrefix + replaced(name, '-', '_') + "_" + random }

// NameOf returns the name of the endpoint of a key. ok is false if the text does not have the form
// of an endpoint key.
func NameOf(key string) (name string, ok bool) {
	// Older keys have the "-" of the endpoint's name and stay valid, since both forms are read from
	// the end. Of such a key a double click marks a part only, which was copied as the key (UAX 29,
	// ExtendNumLet).
	rest, ok := strings.CutPrefix(key, keyPrefix)
	at := len(rest) - randomLength - 1
	if !ok || at < 0 || rest[at] != '_' {
		return "", false
	}
	name = replaced(rest[:at], '_', '-')
	if !IsName(name) {
		return "", false
	}
	random := rest[at+1:] // old keys may have "-" and "_" here, and the unchanged name
	for i := 0; i < len(random); i++ {
		if c := random[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			c == '-' || c == '_') {
			return "", false
		}
	}
	return name, true
}

// replaced returns a text with every character old replaced by another.
func replaced(text string, old, by byte) string {
	out := []byte(text)
	for i, c := range out {
		if c == old {
			out[i] = by
		}
	}
	return string(out)
}

// KeyState is the validity of a key at an endpoint.
type KeyState uint8

const (
	UnknownKey KeyState = iota // not a key of the endpoint
	ExpiredKey                 // an expired key of the endpoint
	GoodKey                    // a valid key of the endpoint
)

// CheckKey returns the state of the key with this hash at now, in Unix seconds. If the endpoint
// does not exist, e is nil. The duration of a comparison does not depend on the hash.
func CheckKey(e *Endpoint, hash string, now int64) (state KeyState) {
	if e == nil {
		subtle.ConstantTimeCompare([]byte(hash), make([]byte, hashLength))
		return UnknownKey
	}
	for _, k := range e.Keys {
		if subtle.ConstantTimeCompare([]byte(k.Hash), []byte(hash)) != 1 {
			continue
		}
		state = GoodKey
		if k.Expires != 0 && now >= k.Expires {
			state = ExpiredKey
		}
	}
	return state
}
