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

// shownHeaders are the headers that are written, in lower case; "*" ends a prefix. None of them
// names a person or an account.
var shownHeaders = []string{
	"accept", "content-type", "content-encoding", "content-length", "user-agent", "retry-after",
	"anthropic-version", "anthropic-beta", "openai-beta", "openai-version", "openai-processing-ms",
	"x-stainless-*", "x-app", "version",
	"request-id", "x-request-id", "x-should-retry", "x-ratelimit-*", "anthropic-ratelimit-*", "server",
	"server-timing", "via", "x-edgelingua-*",
}

// knownHeaders are headers that are not written, and whose values are no secrets: they may be in a
// text.
var knownHeaders = []string{
	"accept-*", "cache-control", "connection", "date", "host", "keep-alive", "origin", "pragma", "priority",
	"referer", "sec-*", "te", "trailer",
	"transfer-encoding", "upgrade", "upgrade-insecure-requests", "vary", "x-forwarded-*",
}

// shownParameters are the parameters of a query whose values are written.
var shownParameters = []string{
	"beta", "limit", "order", "after", "before", "after_id", "before_id", "starting_after", "stream",
	"include", "include[]", "api-version",
}

// headOf returns the headers that are written, a line each.
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

// inLine replaces what would end a line of a recording.
func inLine(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

// shortestHeader is how long the value of a header is that is taken for a secret, whatever the
// header's name is.
const shortestHeader = 16

// secretsIn returns the values of headers that are not written, and of "SCHEME CREDENTIAL" the
// credential as well.
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

// namesKey reports whether a header or parameter is called by its name what is a key.
func namesKey(name string) bool {
	return slices.ContainsFunc([]string{"key", "token", "secret", "auth", "authorization", "cookie",
		"password", "credential", "jwt"},
		func(end string) bool { return strings.HasSuffix(name, end) })
}

// queryOf returns a query with "[key]" instead of the values of parameters that are not in
// shownParameters, and instead of a part without "=" that is not in the list either. secrets are
// what is replaced.
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
