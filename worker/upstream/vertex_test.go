package upstream

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/worker/endpoint"
)

func TestBodyForVertex(t *testing.T) {
	const url = "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5"
	claude := &endpoint.Upstream{URL: url, API: translator.API("anthropic")}
	at, counts := claude.API.Vertex.Path("m", true), claude.API.Vertex.CountPath("")
	for body, want := range map[string]string{
		`{"model":"m","a":1}`: `{"anthropic_version":"vertex-2023-10-16","a":1}`,
		`{"a":"\"model\":1", "model" : "m:\"}" }`: `{"a":"\"model\":1", ` +
			`"anthropic_version":"vertex-2023-10-16" }`,
		`{"mod\u0065l":"m"}`: `{"anthropic_version":"vertex-2023-10-16"}`,
		`{"a":1}`:            `{"anthropic_version":"vertex-2023-10-16","a":1}`,
		`{"m":{"model":"inner"},"model":{"a":":"}}`: `{"m":{"model":"inner"},` +
			`"anthropic_version":"vertex-2023-10-16"}`,
	} {
		require.Equal(t, want, string(bodyFor(claude, at, []byte(body))))
	}
	require.Equal(t, `{"anthropic_version":"vertex-2023-10-16","model":"m"}`, string(bodyFor(claude, counts,
		[]byte(`{"model":"m"}`))))
	// broken bodies, for Google to refuse
	for _, body := range []string{"", "[", `{"model"`, `{"model":`, `model":"x`, `"model"`, "{"} {
		bodyFor(claude, at, []byte(body))
	}
	require.Nil(t, bodyFor(claude, at, nil))
	gemini := &endpoint.Upstream{URL: url, API: translator.API("chat")}
	require.Equal(t, `{"model":"m"}`, string(bodyFor(gemini, gemini.API.Vertex.Path("m", true),
		[]byte(`{"model":"m"}`))))
	elsewhere := &endpoint.Upstream{URL: "https://api.anthropic.com", API: translator.API("anthropic")}
	require.Equal(t, `{"model":"m"}`, string(bodyFor(elsewhere, "/v1/messages", []byte(`{"model":"m"}`))))
}
