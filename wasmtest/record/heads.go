package record

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/wasmtest/record/mask"
)

// shownHeaders are the names of the written headers, in lower case. A name with a "*" at its end
// matches a prefix. No such header names a person or an account.
var shownHeaders = []string{
	"accept", "content-type", "content-encoding", "content-length", "user-agent", "retry-after",
	"anthropic-version", "anthropic-beta", "openai-beta", "openai-version", "openai-processing-ms",
	"x-stainless-*", "x-app", "version",
	"request-id", "x-request-id", "x-should-retry", "x-ratelimit-*", "anthropic-ratelimit-*", "server",
	"server-timing", "via", "x-edgelingua-*",
}

// knownHeaders are not written either, but their values are not secrets and need no masking in
// texts.
var knownHeaders = []string{
	"accept-*", "cache-control", "connection", "date", "host", "keep-alive", "origin", "pragma", "priority",
	"referer", "sec-*", "te", "trailer",
	"transfer-encoding", "upgrade", "upgrade-insecure-requests", "vary", "x-forwarded-*",
}

// shownParameters are the query parameters whose values are written.
var shownParameters = []string{
	"beta", "limit", "order", "after", "before", "after_id", "before_id", "starting_after", "stream",
	"include", "include[]", "api-version",
}

// headOf returns the headers to write, one per line.
func headOf(h http.Header) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if lower := strings.ToLower(name); ir.Among(shownHeaders, lower) {
			for _, v := range h[name] {
				fmt.Fprintf(&lines, "%s: %s\n", lower, strings.Map(inLine, v))
			}
		}
	}
	return lines.String()
}

// inLine replaces characters with which a line of a recording would end.
func inLine(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

// shortestHeader is the length from which a header's value counts as a secret, whatever the name of
// the header.
const shortestHeader = 16

// secretsIn returns the values of all headers that are not written. For a value such as "SCHEME
// CREDENTIAL" the credential is returned as well.
func secretsIn(h http.Header) (secrets []string) {
	for name, values := range h {
		lower := strings.ToLower(name)
		if ir.Among(shownHeaders, lower) || ir.Among(knownHeaders, lower) {
			continue
		}
		shortest := shortestHeader
		if namesKey(lower) {
			shortest = mask.Shortest
		}
		for _, v := range values {
			parts := []string{v}
			if lower == "cookie" {
				for pair := range strings.SplitSeq(v, ";") {
					_, token, _ := strings.Cut(pair, "=")
					parts = append(parts, token)
				}
			} else if _, credential, ok := strings.Cut(v, " "); ok {
				parts = append(parts, strings.TrimSpace(credential))
			}
			for _, part := range parts {
				if len(part) >= shortest {
					secrets = append(secrets, part)
				}
			}
		}
	}
	return secrets
}

// namesKey reports whether the name of a header or parameter, in lower case, suggests a key.
func namesKey(name string) bool {
	return slices.ContainsFunc([]string{"key", "token", "secret", "auth", "authorization", "cookie",
		"password", "credential", "jwt"},
		func(end string) bool { return strings.HasSuffix(name, end) })
}

// queryOf returns a query with "[key]" instead of the values of parameters that are not in
// shownParameters, and instead of parts without "=" that are not in the list. secrets are the
// replaced texts.
func queryOf(query string) (shown string, secrets []string) {
	if query == "" {
		return "", nil
	}
	var parts []string
	for part := range strings.SplitSeq(query, "&") {
		name, value, found := strings.Cut(part, "=")
		if part != "" && !slices.Contains(shownParameters, name) {
			hidden := "[key]"
			if found {
				hidden = name + "=[key]"
			} else {
				value = name
			}
			if plain, err := url.QueryUnescape(value); err == nil && len(plain) >= mask.Shortest {
				secrets = append(secrets, plain)
			}
			part = hidden
		}
		parts = append(parts, part)
	}
	return "?" + strings.Join(parts, "&"), secrets
}
