package serve_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"edgelingua/wasmtest/vendors"
)

// TestFastMode: a request for fast answers reaches each vendor by the vendor's name for the mode, the
// strict double of the vendor accepts the request, and the answer's tier reaches the client.
func TestFastMode(t *testing.T) {
	t.Parallel()
	const anthropicHost, openAIHost, googleHost = "api.anthropic.com", "api.openai.com",
		"generativelanguage.googleapis.com"
	bodies := map[string][2]string{
		"anthropic": {"/v1/messages",
			`"max_tokens":99,"messages":[{"role":"user","content":"Hi"}],"speed":"fast"}`},
		"chat": {"/v1/chat/completions",
			`"messages":[{"role":"user","content":"Hi"}],"service_tier":"fast"}`},
		"responses": {"/v1/responses", `"store":false,"input":"Hi","service_tier":"priority"}`},
	}
	answered := map[string]list{"anthropic": {"usage.speed", "fast"}, "chat": {"service_tier", "priority"},
		"responses": {"service_tier", "priority"}}
	for _, test := range []struct {
		client, upstream, host, model string
		member                        string // of the upstream's body; its value is the next field
		value, beta, lost             string
	}{
		{"chat", "anthropic", anthropicHost, "claude-opus-5-5", "speed", "fast", "fast-mode-2026-02-01", ""},
		{"responses", "anthropic", anthropicHost, "claude-opus-5", "speed", "fast", "fast-mode-2026-02-01", ""},
		{"chat", "anthropic", anthropicHost, "claude-sonnet-5-5", "speed", "", "", "service_tier"},
		{"responses", "anthropic", "up.test", "claude-opus-5-5", "speed", "", "", "service_tier"},
		{"anthropic", "responses", openAIHost, "gpt-5.6-sol", "service_tier", "priority", "", ""},
		{"anthropic", "chat", openAIHost, "gpt-4.1", "service_tier", "priority", "", ""},
		{"anthropic", "gemini", googleHost, "gemini-3.5-flash", "serviceTier", "priority", "", ""},
		{"chat", "gemini", googleHost, "gemini-3.5-flash", "serviceTier", "priority", "", ""},
		{"anthropic", "chat", "up.test", "llama", "service_tier", "", "", "speed"},
	} {
		url := "https://" + test.host
		if test.upstream == "chat" || test.upstream == "responses" {
			url += "/v1"
		}
		d := deployTo(t, test.upstream, map[string]string{"UPSTREAM_URL": url})
		v := vendors.New(test.upstream, vendors.Options{OpenAI: test.host == openAIHost},
			func() *vendors.Turn { return turn("Hi.") })
		d.upstreams[test.host] = func(r *sent) *reply {
			return replyOf(v.Answer(&vendors.Request{Path: r.URL.Path, Header: r.Header,
				Body: []byte(r.body)}))
		}
		a := d.ask("POST", bodies[test.client][0], `{"model":"`+test.model+`",`+bodies[test.client][1])
		asked := d.last()
		assert.Equal(t, 200, a.Code, "%v: %s", test, a.text())
		assert.Equal(t, test.value, asked.member(test.member).Str, "%v", test)
		assert.Equal(t, test.beta, asked.Header.Get("Anthropic-Beta"), "%v", test)
		assert.Equal(t, test.lost, a.Header().Get("x-edgelingua-lost"), "%v", test)
		if test.value != "" {
			want := answered[test.client]
			assert.Equal(t, want[1], a.get(want[0].(string)).Value(), "%v: %s", test, a.text())
		}
	}
}

// TestPriceOfFastMode: an answer in fast mode costs twice the standard price, translated or passed.
func TestPriceOfFastMode(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	e := d.endpoint(`"usage":true,"prices":{"m":{"input":1000,"output":2000},` +
		`"gpt-5.5":{"input":1000,"output":2000}},` + oneUpstream("responses"))
	answers := func(tier string) upstream {
		return says(200, `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m",`+
			`"service_tier":"`+tier+`","output":[{"type":"message","id":"msg_1","role":"assistant",`+
			`"status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]}],`+
			`"usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}`)
	}
	for _, client := range []string{"responses", "chat", "anthropic"} {
		for tier, cost := range map[string]float64{"default": 0.02, "flex": 0.02, "priority": 0.04} {
			d.upstreams["up.test"] = answers(tier)
			assert.Equal(t, 200, e.ask(client, asking{}).Code)
			assert.InDelta(t, cost, d.report("cost").Num, 1e-9, "%s %s", client, tier)
		}
	}
	d.upstreams["up.test"] = answers("priority")
	assert.Equal(t, 200, e.ask("chat", asking{model: "gpt-5.5"}).Code)
	assert.InDelta(t, 0.05, d.report("cost").Num, 1e-9)
}
