package endpoint

import (
	"slices"
	"strings"

	"edgelingua/translator/jsonw"
)

// Secrets returns what the upstream is told in confidence, the longest first: its key and the values of its headers, as they are,
// as JSON has them, and without the scheme of a credential.
func (u *Upstream) Secrets() (secrets []string) {
	secrets = appendSecret(secrets, u.Key)
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

// insertSecret keeps the longest first: else what is left of a secret that holds another one would stay.
func insertSecret(secrets []string, secret string) []string {
	at := 0
	for at < len(secrets) && len(secrets[at]) >= len(secret) {
		at++
	}
	return slices.Insert(secrets, at, secret)
}
