package endpoint

import (
	"crypto/subtle"
	"strings"
)

// Key is one key of a personal endpoint: what is known of it, which is not the key itself.
type Key struct {
	Hash    string // SHA-256, base64url
	Label   string
	Created int64 // Unix seconds
	Expires int64 // the same; 0: never
}

const (
	hashLength = 43 // of 32 bytes in base64url, without padding
	keyPrefix  = "el_"
)

// NewKey returns a key of the endpoint called name, made of 32 random bytes in base64url.
func NewKey(name, random string) string { return keyPrefix + name + "_" + random }

// NameOf returns the name of the endpoint that a key belongs to, and whether it has the form of a key at all.
func NameOf(key string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(key, keyPrefix)
	name, random, _ := strings.Cut(rest, "_")
	if !ok || !IsName(name) || len(random) != hashLength {
		return "", false
	}
	for i := 0; i < len(random); i++ {
		if c := random[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return "", false
		}
	}
	return name, true
}

// Admits reports whether one of the endpoint's keys has this hash and is good at now, in Unix seconds. It takes the same time
// whichever of them it is. It may be asked of no endpoint, nil, which admits nobody.
func (e *Endpoint) Admits(hash string, now int64) bool {
	if e == nil {
		subtle.ConstantTimeCompare([]byte(hash), make([]byte, hashLength))
		return false
	}
	admitted := false
	for _, k := range e.Keys {
		same := subtle.ConstantTimeCompare([]byte(k.Hash), []byte(hash)) == 1
		if same && (k.Expires == 0 || now < k.Expires) {
			admitted = true
		}
	}
	return admitted && !e.Disabled
}
