package endpoint

import (
	"slices"
	"strings"

	"edgelingua/translator/jsonw"
)

// Secrets returns the texts to redact in an upstream's errors, the longest first: its key, the
// other keys of the pool, the token of its gateway and the values of its headers, both plain and
// with JSON escapes. For a header with "SCHEME CREDENTIAL" the list has the credential too.
func (u *Upstream) Secrets() (secrets []string) {
	secrets = appendSecret(secrets, u.Key)
	for _, key := range u.Keys {
		secrets = appendSecret(secrets, key)
	}
	if u.Gateway != nil {
		secrets = appendSecret(secrets, u.Gateway.Token)
	}
	for _, h := range u.Headers {
		secrets = appendSecret(secrets, h.Value)
		if _, credential, ok := strings.Cut(h.Value, " "); ok && !strings.Contains(credential, " ") {
			secrets = appendSecret(secrets, credential)
		}
	}
	return secrets
}

func appendSecret(secrets []string, secret string) []string {
	secrets = insertSecret(secrets, secret)
	if escaped := string(jsonw.Escape(secret)); escaped != secret {
		secrets = insertSecret(secrets, escaped)
	}
	return secrets
}

// insertSecret inserts a secret by length, the longest first: if a part of a secret were redacted
// before the whole, the rest would stay visible.
func insertSecret(secrets []string, secret string) []string {
	at := 0
	for at < len(secrets) && len(secrets[at]) >= len(secret) {
		at++
	}
	return slices.Insert(secrets, at, secret)
}
