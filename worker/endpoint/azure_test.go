package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func upstreamAt(t *testing.T, url string) *Upstream {
	e, err := Parse("anna", `{"version":1,"upstreams":[{"name":"a","protocol":"chat","url":"`+url+`"}]}`)
	require.Nil(t, err, url)
	return &e.Upstreams[0]
}

func TestVersionQuery(t *testing.T) {
	for url, want := range map[string][2]string{
		"https://r.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21":  {"https://r.openai.azure.com/openai/deployments/gpt", "?api-version=2024-10-21"},
		"https://r.openai.azure.com/openai/deployments/gpt/?api-version=2024-10-21": {"https://r.openai.azure.com/openai/deployments/gpt", "?api-version=2024-10-21"},
		"https://r.openai.azure.com/openai/v1?api-version=preview":                  {"https://r.openai.azure.com/openai/v1", "?api-version=preview"},
		"https://r.openai.azure.com/openai/v1":                                      {"https://r.openai.azure.com/openai/v1", ""},
	} {
		u := upstreamAt(t, url)
		require.Equal(t, want, [2]string{u.URL, u.Query}, url)
		require.Equal(t, "endpoint/anna/a/r.openai.azure.com", u.SealContext())
	}
	for _, wrong := range []string{
		"https://r.example/v1?key=1", "https://r.example/v1?api-version=",
		"https://r.example/v1?api-version=1&key=2", "https://r.example/v1?api-version=1#a",
		"https://r.example/v1?API-VERSION=1", "https://r.example/v1?api-version=a%20b",
		"https://r.example/v1?api-version=1?api-version=1", "https://r.example/v1?x=1&api-version=1",
	} {
		_, err := Parse("anna", `{"version":1,"upstreams":[{"name":"a","protocol":"chat","url":"`+wrong+
			`"}]}`)
		require.NotNil(t, err, wrong)
		require.Equal(t, "upstreams[0].url", err.Setting, wrong)
	}
	require.True(t, SameOrigin("https://r.example?api-version=1", "https://r.example/v1"))
}

func TestBaseOfDeployment(t *testing.T) {
	u := upstreamAt(t, "https://r.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21")
	require.Equal(t, u.URL, u.Base("/chat/completions"))
	require.Equal(t, u.URL, u.Base("/modelsx"))
	require.Equal(t, "https://r.openai.azure.com/openai", u.Base("/models"))
	require.Equal(t, "https://r.openai.azure.com/openai", u.Base("/models/gpt"))
	u = upstreamAt(t, "https://r.openai.azure.com/openai/v1")
	require.Equal(t, u.URL, u.Base("/models"))
}
