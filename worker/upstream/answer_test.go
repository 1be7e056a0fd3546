package upstream

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/worker/endpoint"
)

const key = "sk-Live-0123456789_abc"

// passed returns the headers that pass from a head, as lines.
func passed(lines string) (got string) {
	u := &endpoint.Upstream{Key: key, Headers: []endpoint.Header{{Name: "x-team",
		Value: "Token credential-of-0123456789"}}}
	AnswerOf(lines, u).Each(func(name, value string) { got += name + ": " + value + "\n" })
	return got
}

func TestHeadersThatPass(t *testing.T) {
	for _, line := range []string{
		"retry-after: 5", "retry-after: 1.5", "retry-after: Fri, 31 Dec 2027 23:59:59 GMT",
		"retry-after-ms: 17", "x-should-retry: true",
		"x-ratelimit-limit: 100, 100;w=60", "x-ratelimit-reset-tokens: 6m0.5s", "x-ratelimit-over-limit: no",
		"anthropic-ratelimit-tokens-reset: 2026-11-22T10:00:00Z",
		"anthropic-ratelimit-unified-status: allowed_warning",
		"openai-processing-ms: 12", "openai-version: 2020-10-01", "openai-model: org/some-model:free@2026.1",
		"x-codex-plan-type: pro", "x-codex-turn-state: " + strings.Repeat("gAA+/=", 600),
		"x-codex-promo-message: Buy more, or wait.",
	} {
		require.Equal(t, line+"\n", passed(line+"\n"))
	}
	for _, line := range []string{
		"retry-after: ", "retry-after: soon, or later", "retry-after: " + strings.Repeat("1", 65),
		"retry-after: Fri, 31 Dec 2027 23:59:59 UTC",
		"x-should-retry: " + key, "x-ratelimit-limit: 1;" + strings.ToLower(key),
		"x-ratelimit-" + strings.ToLower(key) + ": 1",
		"x-ratelimit-" + strings.Repeat("x", 60) + ": 1", "anthropic-ratelimit-a: <b>", "openai-model: a b",
		"openai-model: " + key + "-1",
		"openai-model: x-credential-of-0123456789", "x-codex-turn-state: state " + key,
		"x-codex-turn-state: sk%2DLive-0123456789_abc",
		"x-codex-turn-state: é", "x-codex-turn-state: " + strings.Repeat("x", 4097),
		"x-codex-promo-message: " + key[:16],
		"set-cookie: a=b", "location: /", "refresh: 0", "link: </>", "content-disposition: inline",
		"access-control-allow-origin: *",
		"openai-organization: org", "anthropic-organization-id: org", "server: nginx",
		"content-type: text/html", "retry-after", "",
	} {
		require.Empty(t, passed(line+"\n"), line)
	}
	many := ""
	for i := range 500 {
		many += fmt.Sprintf("x-ratelimit-%d: 1\n", i)
	}
	require.Equal(t, 64, strings.Count(passed(many), "\n"))
}

func TestID(t *testing.T) {
	for lines, want := range map[string]string{
		"request-id: req_1\n":                         "req_1",
		"request-id: req_1\nx-request-id: req_2\n":    "req_2",
		"request-id: req_1\nx-request-id: req 2\n":    "req_1",
		"x-request-id: req_" + key + "\n":             "",
		"x-request-id: " + strings.Repeat("x", 129):   "",
		"x-request-id: " + strings.ToUpper(key) + "_": "",
		"": "",
	} {
		require.Equal(t, want, AnswerOf(lines, &endpoint.Upstream{Key: key}).ID(), lines)
	}
}

func TestContentType(t *testing.T) {
	for _, same := range []string{
		"application/json", "application/json; charset=utf-8", "application/problem+json",
		"text/event-stream", "text/event-stream; charset=utf-8", OctetStream,
	} {
		require.Equal(t, same, ContentType(same))
	}
	for value, want := range map[string]string{
		"APPLICATION/JSON;charset=UTF-8":                  "application/json; charset=utf-8",
		"application/json; x=sk-of-the-upstream":          "application/json",
		"application/json; sk-of-the-upstream=1":          "application/json",
		"application/sk-of-the-upstream+json":             "application/json",
		"text/event-stream; x=sk-of-the-upstream":         "text/event-stream",
		"application/json;":                               "application/json",
		"application/json; charset=utf-7":                 "application/json",
		"application/json; charset=utf-8; charset=utf-7":  "application/json",
		`application/json; a="b"`:                         "application/json",
		"application/json; a=b, text/html":                "application/json",
		"Application/Problem+JSON; a=text/html":           "application/problem+json",
		"application/json; a=" + strings.Repeat("a", 120): "application/json",
		"text/event-stream; charset=utf-16":               "text/event-stream",
		"text/html":                                       OctetStream,
		"text/html, application/json":                     OctetStream,
		"application/json, text/html":                     OctetStream,
		"text/html;x=json":                                OctetStream, "image/svg+xml": OctetStream,
		"image/svg+json":       OctetStream,
		"application/+json":    OctetStream,
		"application/a b+json": OctetStream, "application/<+json": OctetStream,
		"application/x-ndjson": OctetStream, "text/plain": OctetStream,
		"": OctetStream, ";": OctetStream, "*/*": OctetStream, "application/json/html": OctetStream,
	} {
		require.Equal(t, want, ContentType(value), value)
	}
}
