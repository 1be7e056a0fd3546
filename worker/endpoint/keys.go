package endpoint

import (
	"crypto/subtle"
	"strings"
)

// Key is what is stored of one key of a personal endpoint. The key itself is not stored.
type Key struct {
	Hash    string // SHA-256, base64url
	Label   string
	Created int64 // Unix seconds
	Expires int64 // Unix seconds; 0: never
}

const (
	hashLength   = 43 // of 32 bytes in base64url, without padding
	randomLength = 43 // of what a key has behind the name
	keyPrefix    = "el_"
)

// KeyID returns the id by which people are told of a key, from its hash; "" for none.
func KeyID(hash string) string { return hash[:min(len(hash), 8)] }

// NewKey returns a key of the endpoint called name; random is what bridge.Host.Random returns.
// Where the name has a "-" the key has a "_", since a double click marks no text beyond a "-" (UAX
// 29: "_" joins words). Names have no "_" of their own.
func NewKey(name, random string) string { return keyPrefix + replaced(name, '-', '_') + "_" + random }

// NameOf returns the name of the endpoint that a key belongs to; ok is false for a text that does
// not have the form of such a key.
func NameOf(key string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(key, keyPrefix)
	at := len(rest) - randomLength - 1
	if !ok || at < 0 || rest[at] != '_' {
		return "", false
	}
	name = replaced(rest[:at], '_', '-')
	if !IsName(name) {
		return "", false
	}
	random := rest[at+1:] // keys used to have "-" and "_" here, too, and the name as it is
	for i := 0; i < len(random); i++ {
		if c := random[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			c == '-' || c == '_') {
			return "", false
		}
	}
	return name, true
}

// replaced returns a text with one character in the place of another.
func replaced(text string, old, by byte) string {
	out := []byte(text)
	for i, c := range out {
		if c == old {
			out[i] = by
		}
	}
	return string(out)
}

// KeyState says what a key is to an endpoint.
type KeyState uint8

const (
	UnknownKey KeyState = iota // none of the endpoint's keys
	ExpiredKey                 // one of them, but not any more
	GoodKey                    // one of them
)

// CheckKey returns the state of the key with this hash at now, in Unix seconds. e is nil where
// there is no such endpoint. The time that a comparison takes does not depend on the hash.
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
