package upstream

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
)

func TestMissing(t *testing.T) {
	of := func(api, base, name string) *endpoint.Upstream {
		return &endpoint.Upstream{API: translator.API(api), URL: base, Key: "sk-0123456789abcdef",
			Endpoint: &endpoint.Endpoint{Name: name}}
	}
	forward := func(u *endpoint.Upstream) *endpoint.Upstream {
		u.Endpoint.Forward = true
		return u
	}
	for name, c := range map[string]struct {
		u         *endpoint.Upstream
		url, body string
		want      string
	}{
		"no /v1": {of("chat", "https://api.example.com", ""), "https://api.example.com/chat/completions",
			`{"detail":"Not Found"}`,
			"The upstream has nothing at https://api.example.com/chat/completions: 404. The base URL has " +
				"no path, and most such servers want it to end in /v1. Set UPSTREAM_URL. Its own " +
				"words: Not Found"},
		"/v1 twice": {of("anthropic", "https://api.example.com/v1", ""),
			"https://api.example.com/v1/v1/messages?beta=true",
			`{"type":"error","error":{"type":"not_found_error","message":"Not Found"}}`,
			"The upstream has nothing at https://api.example.com/v1/v1/messages: 404. The base URL ends " +
				"in /v1, which the path has as well: leave it out. Set UPSTREAM_URL. Its own " +
				"words: Not Found"},
		"a page": {of("responses", "https://api.example.com/openai", ""),
			"https://api.example.com/openai/responses", "<html><title>404</title></html>",
			"The upstream has nothing at https://api.example.com/openai/responses: 404. The base URL does " +
				"not end in /v1, as that of most such servers does. Set UPSTREAM_URL."},
		"a text": {of("chat", "https://api.example.com/v1", ""),
			"https://api.example.com/v1/chat/completions", "404 page not found\n",
			"The upstream has nothing at https://api.example.com/v1/chat/completions: 404. The base URL " +
				"is most often the reason. Set UPSTREAM_URL. Its own words: 404 page not found"},
		"nothing": {of("chat", "https://api.example.com/v1", ""),
			"https://api.example.com/v1/chat/completions", "",
			"The upstream has nothing at https://api.example.com/v1/chat/completions: 404. The base URL " +
				"is most often the reason. Set UPSTREAM_URL."},
		"OpenAI's words": {of("chat", "https://api.openai.com", ""),
			"https://api.openai.com/chat/completions",
			`{"error":{"message":"Invalid URL (POST /chat/completions)","type":"invalid_request_error",` +
				`"param":null,"code":null}}`,
			"The upstream has nothing at https://api.openai.com/chat/completions: 404. The base URL has " +
				"no path, and most such servers want it to end in /v1. Set UPSTREAM_URL. Its own words: " +
				"Invalid URL (POST /chat/completions)"},
		"a key in the URL": {of("chat", "https://h.example.com/sk-0123456789abcdef/v1", ""),
			"https://h.example.com/sk-0123456789abcdef/v1/chat/completions", "",
			"The upstream has nothing at https://h.example.com/[key]/v1/chat/completions: 404. The base " +
				"URL is most often the reason. Set UPSTREAM_URL."},
		"of a personal endpoint": {of("chat", "https://secret.example.com", "anna"),
			"https://secret.example.com/chat/completions", "",
			"The upstream has nothing at its path: 404. The base URL has no path, and most such servers " +
				"want it to end in /v1. The operator sets its base URL."},
		"of whoever brings a key": {forward(of("chat", "https://secret.example.com", "")),
			"https://secret.example.com/chat/completions", "",
			"The upstream has nothing at its path: 404. The base URL has no path, and most such servers " +
				"want it to end in /v1. Set UPSTREAM_URL."},
		"words to whoever brings a key": {forward(of("chat", "https://secret.example.com/v1", "")),
			"https://secret.example.com/v1/chat/completions",
			"no such page at secret.example.com",
			"The upstream has nothing at its path: 404. The base URL is most often the reason. Set " +
				"UPSTREAM_URL."},
		"/v1 twice in the base URL": {of("chat", "https://api.example.com/v1/v1", ""),
			"https://api.example.com/v1/v1/chat/completions", "",
			"The upstream has nothing at https://api.example.com/v1/v1/chat/completions: 404. The base " +
				"URL has /v1 twice: leave one out. Set UPSTREAM_URL."},
		"a folder without /v1": {of("responses", "https://api.example.com/api", ""),
			"https://api.example.com/api/responses", "",
			"The upstream has nothing at https://api.example.com/api/responses: 404. The base URL does " +
				"not end in /v1, as that of most such servers does. Set UPSTREAM_URL."},
		"words of a personal endpoint's upstream": {of("chat", "https://gw.example.com/v1", "anna"),
			"https://gw.example.com/v1/chat/completions", `{"detail":"Not Found"}`,
			"The upstream has nothing at its path: 404. The base URL is most often the reason. The " +
				"operator sets its base URL. Its own words: Not Found"},
		"words with a personal endpoint's path": {of("chat", "https://gw.example.com/t0ken/v1", "anna"),
			"https://gw.example.com/t0ken/v1/chat/completions",
			"Cannot POST /t0ken/v1/chat/completions",
			"The upstream has nothing at its path: 404. The base URL is most often the reason. The " +
				"operator sets its base URL."},
		"words with a personal endpoint's host": {of("chat", "https://gw.example.com", "anna"),
			"https://gw.example.com/chat/completions",
			"no such page at gw.example.com",
			"The upstream has nothing at its path: 404. The base URL has no path, and most such servers " +
				"want it to end in /v1. The operator sets its base URL."},
		"a model": {of("chat", "https://api.example.com/v1", ""),
			"https://api.example.com/v1/chat/completions",
			`{"error":{"message":"The model gpt-9 does not exist","code":"model_not_found"}}`,
			"The model gpt-9 does not exist"},
		"another model": {of("anthropic", "https://api.example.com", ""),
			"https://api.example.com/v1/messages",
			`{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`,
			"model: claude-9"},
	} {
		t.Run(name, func(t *testing.T) {
			err := translator.Pair{Client: translator.APIs[0], Upstream: c.u.API}.UpstreamError(404,
				[]byte(c.body), nil)
			told := Missing(c.u, c.url, err, c.body)
			assert.Equal(t, c.want, told.Message)
			assert.Equal(t, err.Kind, told.Kind)
			assert.Equal(t, 404, told.HTTPStatus())
		})
	}
	other := &ir.Error{Kind: ir.RateLimit, Status: 429, Message: "Not Found"}
	assert.Same(t, other, Missing(of("chat", "https://a", ""), "https://a", other, ""))
	assert.Nil(t, Missing(of("chat", "https://a", ""), "https://a", nil, ""))
}
