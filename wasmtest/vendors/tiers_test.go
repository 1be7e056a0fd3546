package vendors

import "net/http"

// speedRules: only Opus 5 and 5.5, Fable 5.2 and Mythos 5.2 have a fast mode. Opus 5 requires the
// beta.
func speedRules() []rules {
	const good = `{"model":"claude-opus-5-5","max_tokens":9,"speed":"fast",` +
		`"messages":[{"role":"user","content":"Hi"}]}`
	return []rules{{
		name: "fast", protocol: "anthropic", good: good,
		rows: []row{
			{"speed", "an unknown speed", set("speed", `"warp"`), `must be one of standard`},
			{"speed-models", "a model without the mode", set("model", `"claude-sonnet-5-5"`), `does not support the .speed`},
			{"speed-beta", "a model with a beta", set("model", `"claude-opus-5"`), `speed: Extra inputs are not permitted`},
		},
	}, {
		name: "with a beta", protocol: "anthropic",
		header: http.Header{"Anthropic-Beta": {"fast-mode-2026-02-01"}},
		good:   encode(edited(good, set("model", `"claude-opus-5"`))),
		rows:   []row{{"speed-models", "Opus 4.8", set("model", `"claude-opus-4-8"`), `does not support the .speed`}},
	}}
}
