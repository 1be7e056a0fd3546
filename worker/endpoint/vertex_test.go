package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

const (
	vertexURL = "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5"
	accountOf = `{"type":"service_account","client_email":"e@p.iam.gserviceaccount.com","private_key":"-"}`
)

func TestVertex(t *testing.T) {
	e, err := Load(settings("UPSTREAM_PROTOCOL", "anthropic", "UPSTREAM_URL", vertexURL, "UPSTREAM_KEY",
		accountOf))
	require.Nil(t, err)
	u := e.Upstreams[0]
	require.True(t, u.ByServiceAccount())
	name, before := u.KeyHeader()
	require.Equal(t, "authorization: Bearer ", name+": "+before)
	c := &Choice{&u, "claude-opus-4-5@20251101"}
	require.Equal(t, "/publishers/anthropic/models/claude-opus-4-5@20251101:rawPredict", c.Path(false))
	require.Equal(t, "/publishers/anthropic/models/claude-opus-4-5@20251101:streamRawPredict", c.Path(true))
	c.Model = "../../x?y"
	require.Equal(t, "/publishers/anthropic/models/..%2F..%2Fx%3Fy:rawPredict", c.Path(false))

	for _, row := range []struct{ protocol, url, key, want string }{
		{"anthropic", vertexURL, "sk-key", "UPSTREAM_KEY must be the JSON of a service account's key"},
		{"anthropic", vertexURL, "", "UPSTREAM_KEY must be the JSON of a service account's key"},
		{"anthropic", vertexURL, `{"type":"authorized_user","refresh_token":"r"}`,
			"UPSTREAM_KEY is a credential of the type authorized_user, which is not taken"},
		{"anthropic", vertexURL, `{"type":"<b>","client_email":"e","private_key":"-"}`,
			"UPSTREAM_KEY must be the JSON of a service account's key"},
		{"anthropic", vertexURL, `{"type":"service_account"}`, "with type, client_email and private_key"},
		{"responses", vertexURL, accountOf, "UPSTREAM_URL is Vertex AI, which doesn't speak this protocol"},
		{"chat", "https://aiplatform.googleapis.com/v1", accountOf,
			"UPSTREAM_URL must name the project and the location"},
		{"chat", "http://aiplatform.googleapis.com/v1/projects/p/locations/global", accountOf,
			"UPSTREAM_URL must begin with https://"},
		{"chat", "https://api.openai.com/v1", accountOf + "\n",
			"UPSTREAM_KEY holds what no header can carry"},
	} {
		_, err := Load(settings("UPSTREAM_PROTOCOL", row.protocol, "UPSTREAM_URL", row.url, "UPSTREAM_KEY",
			row.key))
		require.NotNil(t, err, row)
		require.Contains(t, ir.AsError(err).Message, row.want)
	}
	e, err = Load(settings("AUTH", "forward", "UPSTREAM_PROTOCOL", "chat", "UPSTREAM_URL", vertexURL))
	require.Nil(t, err)
	e.Present("ya29.own", true)
	require.False(t, e.Upstreams[0].ByServiceAccount(), "a client's own token goes as it is")
	for _, url := range []string{"https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu",
		"https://aiplatform.googleapis.com/v1", "https://EU-aiplatform.googleapis.com:443/v1"} {
		require.True(t, (&Upstream{URL: url}).IsVertex(), url)
	}
	for _, url := range []string{"https://evil-aiplatform.googleapis.com.example/v1",
		"https://aiplatform.googleapis.com@evil.example/", "https://xaiplatform.googleapis.com/",
		"https://aiplatform.eu.rep.googleapis.com.evil.example/",
		"https://aiplatform.evil.example/x.rep.googleapis.com"} {
		require.False(t, (&Upstream{URL: url}).IsVertex(), url)
	}
}
