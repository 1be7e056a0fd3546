package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwnDetails lets a client's own API through the translation: the details of the usage arrive, and
// what has no place in it is reported.
func TestOwnDetails(t *testing.T) {
	bodies := readBodies(t)
	for _, c := range []struct{ api, body, want, lost string }{
		{"anthropic", `{"id":"i","type":"message","role":"assistant","model":"m","content":[],"stop_reason":` +
			`"end_turn","diagnostics":{"a":1},"usage":{"input_tokens":1,"output_tokens":2,"cache_creation":` +
			`{"ephemeral_5m_input_tokens":3},"service_tier":"batch"}}`,
			`"cache_creation":{"ephemeral_5m_input_tokens":3},"service_tier":"batch"`, ""},
		{"chat", `{"id":"i","model":"m","system_fingerprint":"fp","provider":"p","choices":[{"index":0,` +
			`"message":{"role":"assistant","content":"ho"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,` +
			`"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"audio_tokens":1}}}`,
			`"prompt_tokens_details":{"audio_tokens":1}},"system_fingerprint":"fp"`, "provider"},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"ho"}]},"finishReason":"STOP","avgLogprobs":` +
			`-0.1}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2,` +
			`"trafficType":"ON_DEMAND"},"createTime":"2026-01-01T00:00:00Z"}`,
			`"createTime":"2026-01-01T00:00:00Z"`, "candidates[].avgLogprobs"},
	} {
		got := answer(c.api, bodies.asks[c.api], c.body, &Server{Protocol: c.api, Host: "h", Model: "m"})
		require.Nil(t, got.failed)
		require.Contains(t, got.body, c.want)
		require.Subset(t, got.lost, paths(c.lost))
	}
}
