package endpoint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const accountID = "0123456789abcdef0123456789abcdef"

func TestCloudflareInSettings(t *testing.T) {
	for name, c := range map[string]struct {
		vars  map[string]string
		wrong string
	}{
		"by the binding": {},
		"for gpt-oss":    {vars: map[string]string{"UPSTREAM_PROTOCOL": "responses"}},
		"by the account": {vars: map[string]string{"CLOUDFLARE_ACCOUNT_ID": accountID,
			"CLOUDFLARE_API_TOKEN": "token"}},
		"a protocol with a header": {vars: map[string]string{"UPSTREAM_PROTOCOL": "anthropic"},
			wrong: "UPSTREAM_URL is Cloudflare's own models, which don't speak this protocol"},
		"for anybody": {vars: map[string]string{"AUTH": "forward"},
			wrong: "UPSTREAM_URL is Cloudflare's own models, for which nobody's key is checked"},
		"an account without token": {vars: map[string]string{"CLOUDFLARE_ACCOUNT_ID": accountID},
			wrong: "CLOUDFLARE_API_TOKEN is not set"},
		"a token without account": {vars: map[string]string{"CLOUDFLARE_API_TOKEN": "token"},
			wrong: "CLOUDFLARE_ACCOUNT_ID is not set"},
		"an account that is a path": {vars: map[string]string{"CLOUDFLARE_ACCOUNT_ID": "../x",
			"CLOUDFLARE_API_TOKEN": "token"}, wrong: "CLOUDFLARE_ACCOUNT_ID must be the id of an account"},
		"a token of two lines": {vars: map[string]string{"CLOUDFLARE_ACCOUNT_ID": accountID,
			"CLOUDFLARE_API_TOKEN": "a\nb"},
			wrong: "CLOUDFLARE_API_TOKEN holds what no header can carry"},
	} {
		vars := map[string]string{"CLIENT_KEY": "key", "UPSTREAM_PROTOCOL": "chat",
			"UPSTREAM_URL": CloudflareAI}
		for name, v := range c.vars {
			vars[name] = v
		}
		e, err := load(func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
		if c.wrong != "" {
			require.NotNil(t, err, name)
			assert.Contains(t, err.Error(), c.wrong, name)
			assert.NotContains(t, err.Error(), "token-", name)
			continue
		}
		require.Nil(t, err, name)
		u := &e.Upstreams[0]
		assert.True(t, u.OnCloudflare())
		assert.False(t, u.Passes(u.API), "the model answers in another form than the protocol's")
		assert.Equal(t, "https://api.cloudflare.com/client/v4/accounts/any/ai/v1", u.PricesURL())
		if vars["UPSTREAM_PROTOCOL"] == "chat" {
			assert.True(t, u.API.Upstream.Target(hostOf(u.URL), "@cf/x/y").FlatAnswers)
		}
	}
}

// TestByAccount: only the REST API gets the deployment's token.
func TestByAccount(t *testing.T) {
	vars := map[string]string{"CLOUDFLARE_ACCOUNT_ID": accountID,
		"CLOUDFLARE_API_TOKEN": "the-token-of-the-owner"}
	get := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	e, err := Parse("anna",
		`{"version":1,"limits":{"tokens_per_day":1},"upstreams":[{"name":"cf","protocol":"chat",`+
			`"url":"cloudflare:ai"}]}`)
	require.Nil(t, err)
	u := &e.Upstreams[0]
	require.Nil(t, u.ByAccount(get))
	assert.Equal(t, "https://api.cloudflare.com/client/v4/accounts/"+accountID+"/ai/v1", u.URL)
	assert.True(t, u.OnCloudflare() && !u.IsCloudflareAI() && u.Bearer)
	assert.Contains(t, u.Secrets(), "the-token-of-the-owner")
	vars["CLOUDFLARE_API_TOKEN"] = ""
	assert.NotNil(t, (&Upstream{URL: CloudflareAI}).ByAccount(get))
}

// TestCloudflareInRecords: the owner of the deployment pays, so clients need keys and limits.
func TestCloudflareInRecords(t *testing.T) {
	const upstream = `"upstreams":[{"name":"cf","protocol":"chat","url":"cloudflare:ai"}]`
	for record, wrong := range map[string]string{
		`{"version":1,"limits":{"tokens_per_day":1},` + upstream +
			`}`: "",
		`{"version":1,"limits":{"requests_per_minute":1},` + upstream +
			`}`: "",
		`{"version":1,` + upstream +
			`}`: "set limits.tokens_per_day or limits.requests_per_minute",
		`{"version":1,"limits":{"usd_per_day":1},` + upstream +
			`}`: "set limits.tokens_per_day",
		`{"version":1,"limits":{"tokens_per_day":1},"auth":"forward",` + upstream +
			`}`: "nobody's key is checked",
		`{"version":1,"limits":{"tokens_per_day":1},` + strings.Replace(upstream, `"url"`, `"key":"k","url"`,
			1) + `}`: "which take no key",
		`{"version":1,"limits":{"tokens_per_day":1},` + strings.Replace(upstream, ":ai", ":AI", 1) +
			`}`: "must be an http or https URL",
		`{"version":1,"limits":{"tokens_per_day":1},` + strings.Replace(upstream, ":ai", ":ai/x", 1) +
			`}`: "must be an http or https URL",
	} {
		e, err := Parse("anna", record)
		if wrong == "" {
			require.Nil(t, err, record)
			assert.Nil(t, e.Public(), "no server is reached that a record could choose")
			continue
		}
		require.NotNil(t, err, record)
		assert.Contains(t, err.Error(), wrong)
		assert.Contains(t, err.Error(), "upstreams[0].url")
	}
}

// TestCloudflareModels: a name that Cloudflare could resolve as a path must not leave the catalog.
func TestCloudflareModels(t *testing.T) {
	u := &Upstream{URL: CloudflareAI}
	for _, model := range []string{"@cf/moonshotai/kimi-k2.6", "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
		"@hf/TheBloke/neural-chat_7b-v3.1", "@cf/vendor/..model"} {
		assert.True(t, u.serves(model), model)
	}
	for _, model := range []string{"", "gpt-5", "@cf", "@cf/", "@cf/../", "@cf/../openai/gpt-5", "@cf/a/../b",
		"@cf/a/..", "@cf/./a", "@cf//a", "@cf/a/", "@cf/%2e%2e/a", "@cf/a\\..\\b", "@cf/a?b", "@cf/a#b",
		"@cf/a b", "@cf/a\x00", "@cf/a\x11", "@cf/a\r", "@cf/a\u2025", "@hf/../a", " @cf/a/b", "@CF/a/b"} {
		assert.False(t, u.serves(model), model)
	}
}
