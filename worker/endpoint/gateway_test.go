package endpoint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

const account = "0123456789abcdef0123456789abcdef"

func viaGateway(protocol, url, gateway, more string) (*Upstream, *Error) {
	e, err := Parse("anna", `{"version":1,"upstreams":[{"name":"a","protocol":"`+protocol+`","url":"`+url+
		`","gateway":`+gateway+more+`}]}`)
	if err != nil {
		return nil, err
	}
	return &e.Upstreams[0], nil
}

// TestGatewayAddress has the addresses of developers.cloudflare.com/ai-gateway/usage/providers.
func TestGatewayAddress(t *testing.T) {
	const gateway = `{"account":"` + account + `","id":"my-gateway"}`
	for url, want := range map[string]string{
		"https://api.openai.com/v1":                                                "openai",
		"https://api.anthropic.com":                                                "anthropic",
		"https://api.deepseek.com":                                                 "deepseek",
		"https://api.deepseek.com/anthropic":                                       "deepseek/anthropic",
		"https://generativelanguage.googleapis.com/v1beta/openai":                  "google-ai-studio/v1beta/openai",
		"https://api.groq.com/openai/v1":                                           "groq",
		"https://api.x.ai/v1":                                                      "grok/v1",
		"https://api.mistral.ai/v1":                                                "mistral/v1",
		"https://openrouter.ai/api/v1":                                             "openrouter/v1",
		"https://api.cerebras.ai/v1":                                               "cerebras",
		"https://api.perplexity.ai":                                                "perplexity-ai",
		"https://r.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21": "azure-openai/r/gpt",
		"https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1":                "aws-bedrock/bedrock-runtime/us-east-1/openai/v1",
		"https://bedrock-mantle.eu-west-1.api.aws/anthropic":                       "aws-bedrock/bedrock-mantle/eu-west-1/anthropic",
	} {
		u, err := viaGateway("chat", url, gateway, "")
		require.Nil(t, err, url)
		require.Equal(t, "https://gateway.ai.cloudflare.com/v1/"+account+"/my-gateway/"+want,
			u.Base("/chat/completions"), url)
	}
	u, err := viaGateway("chat", "https://llm.example/v1",
		`{"account":"`+account+`","id":"g","provider":"custom-mine"}`, "")
	require.Nil(t, err)
	require.Equal(t, "https://gateway.ai.cloudflare.com/v1/"+account+"/g/custom-mine/v1", u.Base("/models"))
	require.Equal(t, "endpoint/anna/a/llm.example/"+account+"/g", u.SealContext())
	require.Equal(t, "endpoint/anna/a//"+account+"/g", u.TokenContext())
}

func TestGatewayRefused(t *testing.T) {
	const good, id = `{"account":"` + account + `","id":"g"}`, `"account":"` + account + `","id":"g"`
	const openai = "https://api.openai.com/v1"
	for _, c := range []struct{ url, gateway, more, setting, problem string }{
		{"https://llm.example/v1", good, "", "gateway",
			"has no name for llm.example. Make a custom provider with the base URL https://llm.example in " +
				"AI Gateway, and set provider to custom- and its slug."},
		{"https://api.openai.com:8443/v1", good, "", "gateway", "has no name for api.openai.com:8443."},
		{"https://api.openai.com.evil.example/v1", good, "", "gateway", "has no name for"},
		{"https://a.b.openai.azure.com/openai/deployments/x", good, "", "gateway", "has no name for"},
		{"https://s3.us-east-1.amazonaws.com/openai/v1", good, "", "gateway", "has no name for"},
		{"https://bedrock-runtime.us-east-1.api.aws/openai/v1", good, "", "gateway", "has no name for"},
		{"https://r.openai.azure.com/openai/v1", good, "", "gateway",
			"serves of r.openai.azure.com only what is at https://r.openai.azure.com/openai/deployments."},
		{"https://api.openai.com/v1x", good, "", "gateway", "only what is at https://api.openai.com/v1."},
		{"https://api.openai.com", good, "", "gateway", "only what is at"},
		{"http://api.openai.com/v1", good, "", "url", "must begin with https://"},
		{"https://api.openai.com/v1/../../../other/g/openai", good, "", "url",
			"must have a path without dots and without %"},
		{"https://api.openai.com/v1/%2e%2e/%2e%2e", good, "", "url",
			"must have a path without dots and without %"},
		{openai, `{"id":"g"}`, "", "gateway", "must have account"},
		{openai, `{"account":"` + account + `"}`, "", "gateway", "must have account"},
		{openai, `{"account":"` + strings.ToUpper(account) + `","id":"g"}`, "", "gateway.account",
			"32 hexadecimal digits"},
		{openai, `{"account":"../../x","id":"g"}`, "", "gateway.account", "32 hexadecimal digits"},
		{openai, `{"account":"` + account + `","id":"a/b"}`, "", "gateway.id", "must be a gateway's name"},
		{openai, `{"account":"` + account + `","id":".."}`, "", "gateway.id", "must be a gateway's name"},
		{openai, `{` + id + `,"provider":"openai"}`, "", "gateway.provider", "must be custom- and the slug"},
		{openai, `{` + id + `,"provider":"custom-a/b"}`, "", "gateway.provider",
			"must be custom- and the slug"},
		{openai, `{` + id + `,"cache_ttl":59}`, "", "gateway.cache_ttl", "from 60 to 2592000"},
		{openai, `{` + id + `,"skip_cache":"yes"}`, "", "gateway.skip_cache", "must be true or false"},
		{openai, `{` + id + `,"headers":{}}`, "", "gateway.headers", "is no field"},
		{openai, `"g"`, "", "gateway", "must be an object"},
		{openai, good, `,"headers":{"CF-AIG-Metadata":"{}"}`, "gateway",
			"sets the header cf-aig-metadata itself"},
	} {
		_, err := viaGateway("chat", c.url, c.gateway, c.more)
		require.NotNil(t, err, c.url+c.gateway)
		require.Equal(t, "upstreams[0]."+c.setting, err.Setting, c.url+c.gateway)
		require.Contains(t, err.Problem, c.problem)
	}
	_, err := Parse("anna",
		`{"version":1,"auth":"forward","upstreams":[{"name":"a","protocol":"chat","url":"`+openai+
			`","gateway":`+good+`}]}`)
	require.Contains(t, err.Error(), `upstreams[0].gateway can't stand beside "auth":"forward"`)
}

func TestGatewayHeaders(t *testing.T) {
	u, err := viaGateway("anthropic", "https://bedrock-mantle.eu-west-1.api.aws/anthropic",
		`{"account":"`+account+`","id":"g","token":"t","cache_ttl":3600,"skip_cache":true}`, "")
	require.Nil(t, err)
	require.Equal(t, []Header{{"cf-aig-authorization", "Bearer t"}, {"cf-aig-cache-ttl", "3600"},
		{"cf-aig-skip-cache", "true"}}, u.Gateway.Headers())
	require.Equal(t, Header{"cf-aig-metadata", `{"request":"req_1","endpoint":"anna"}`}, Metadata("anna",
		"req_1"))
	require.Equal(t, Header{"cf-aig-metadata", `{"request":"req_1"}`}, Metadata("", "req_1"))
	name, before := u.KeyHeader()
	require.Equal(t, "authorization Bearer ", name+" "+before)
	require.Contains(t, u.Secrets(), "t")
	u, err = viaGateway("anthropic", "https://api.anthropic.com", `{"account":"`+account+`","id":"g"}`, "")
	require.Nil(t, err)
	require.Empty(t, u.Gateway.Headers())
}

func TestGatewayOfTheDeployment(t *testing.T) {
	load := func(with ...string) (*Endpoint, string) {
		vars := map[string]string{"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": "https://api.openai.com/v1",
			"UPSTREAM_KEY": "sk-1"}
		for i := 0; i < len(with); i += 2 {
			vars[with[i]] = with[i+1]
		}
		e, err := Load(func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
		if err != nil {
			return nil, ir.AsError(err).Message
		}
		return e, ""
	}
	const gateway = `{"account":"` + account + `","id":"g"}`
	e, wrong := load("UPSTREAM_GATEWAY", gateway, "UPSTREAM_GATEWAY_TOKEN", "secret")
	require.Empty(t, wrong)
	require.Equal(t, "secret", e.Upstreams[0].Gateway.Token)
	require.Equal(t, "https://gateway.ai.cloudflare.com/v1/"+account+"/g/openai", e.Upstreams[0].Base(""))
	for _, c := range []struct {
		with []string
		want string
	}{
		{[]string{"UPSTREAM_GATEWAY_TOKEN", "secret"},
			"UPSTREAM_GATEWAY_TOKEN is set, but UPSTREAM_GATEWAY is not."},
		{[]string{"UPSTREAM_GATEWAY", `{"account":"` + account + `","id":"g","token":"secret"}`},
			"UPSTREAM_GATEWAY.token is a secret. Set UPSTREAM_GATEWAY_TOKEN in its place."},
		{[]string{"UPSTREAM_GATEWAY", gateway, "UPSTREAM_GATEWAY_TOKEN", "secret\n"},
			"UPSTREAM_GATEWAY_TOKEN holds what no header can carry"},
		{[]string{"UPSTREAM_GATEWAY", gateway, "UPSTREAM_URL", "https://llm.example/v1"},
			"UPSTREAM_GATEWAY has no name for llm.example."},
		{[]string{"UPSTREAM_GATEWAY", gateway, "UPSTREAM_URL", "http://api.openai.com/v1"},
			"UPSTREAM_URL must begin with https://"},
		{[]string{"UPSTREAM_GATEWAY", gateway, "AUTH", "forward"},
			`UPSTREAM_GATEWAY can't stand beside "auth":"forward"`},
		{[]string{"UPSTREAM_GATEWAY", `[]`}, "UPSTREAM_GATEWAY must be a JSON object"},
	} {
		_, wrong := load(c.with...)
		require.Contains(t, wrong, c.want)
		require.NotContains(t, wrong, "secret\"")
	}
}
