package vendors

import (
	"net/http"
	"testing"
)

// TestSpeeds: only some models have a fast mode, and one of them requires the beta.
func TestSpeeds(t *testing.T) {
	const good = `{"model":"claude-opus-5-5","max_tokens":9,"speed":"fast",` +
		`"messages":[{"role":"user","content":"Hi"}]}`
	rules{
		name: "fast", protocol: "anthropic", good: good,
		rows: []row{
			{"an unknown speed", set("speed", `"warp"`), `must be one of standard`},
			{"a model without the mode", set("model", `"claude-sonnet-5-5"`), `does not support the .speed`},
			{"a model with a beta", set("model", `"claude-opus-5"`), `speed: Extra inputs are not permitted`},
		},
	}.run(t)
	rules{
		name: "with a beta", protocol: "anthropic",
		header: http.Header{"Anthropic-Beta": {"fast-mode-2026-02-01"}},
		good:   encode(edited(good, set("model", `"claude-opus-5"`))),
		rows:   []row{{"Opus 4.8", set("model", `"claude-opus-4-8"`), `does not support the .speed`}},
	}.run(t)
}
