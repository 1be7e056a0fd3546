package serve_test

import (
	"encoding/base64"
	"encoding/binary"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	countTokens = "/v1/messages/count_tokens"
	inputTokens = "/v1/responses/input_tokens"
)

// count returns a count of tokens.
func (d *deployment) count(t *testing.T, path, body string) int {
	t.Helper()
	a := d.ask("POST", path, body)
	require.Equal(t, 200, a.Code, a.text())
	return int(a.get("input_tokens").Int())
}

// TestEstimate estimates tokens for an upstream without counts.
func TestEstimate(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	before := d.count(t, countTokens, messagesBody)
	count := func(more string) int { return d.count(t, countTokens, with(messagesBody, more)) }

	png := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), make([]byte, 8)...)
	binary.BigEndian.PutUint32(png[16:], 750)
	binary.BigEndian.PutUint32(png[20:], 500)
	image := encoded(object{"type": "image",
		"source": object{"type": "base64", "media_type": "image/png",
			"data": base64.StdEncoding.EncodeToString(png)}})
	assert.Greater(t, count(`{"system":"You are a weather service."}`), before+5)
	assert.Greater(t,
		count(`{"tools":[{"name":"get_weather","description":"Says how the weather is.",`+
			`"input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}]}`), before+20)
	assert.Greater(t, count(`{"messages":[{"role":"user","content":[`+image+`]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"I must look.","signature":""},{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Paris"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"Rain."}]}]}`),
		500+20)
	assert.Equal(t, before, count(`{"tools":[]}`))

	english, err := os.ReadFile("../../e2e/pairs/texts/english.txt")
	require.NoError(t, err)
	text := encoded(list{object{"role": "user", "content": string(english)}})
	of := func(model string) float64 {
		return float64(count(`{"model":"` + model + `","messages":` + text +
			`}`))
	}
	plain, older, newer := of("gpt-5.5"), of("claude-sonnet-4-5"), of("claude-opus-5-5")
	assert.Greater(t, older, plain*1.15, "a Claude model")
	assert.Greater(t, newer, older*1.25, "a newer Claude model")

	assert.JSONEq(t, `{"input_tokens":5}`, d.ask("POST", countTokens+"?beta=true", messagesBody).text())
	assert.JSONEq(t, `{"object":"response.input_tokens","input_tokens":12}`,
		d.ask("POST", inputTokens, `{"model":"m","instructions":"Be brief.","input":"hi"}`).text())
	assert.JSONEq(t, `{"object":"response.input_tokens","input_tokens":5}`,
		d.ask("POST", inputTokens+"?beta=true", `{"input":"hi"}`).text())

	for _, header := range []string{noKey, "X-Api-Key: " + clientKey + "x"} {
		assert.Equal(t, "authentication_error",
			failure(t, "anthropic", d.ask("POST", countTokens, messagesBody, noKey, header), 401)["type"])
	}
	for _, body := range []string{"{", `{"model":"m"}`} {
		assert.Equal(t, "invalid_request_error",
			failure(t, "anthropic", d.ask("POST", countTokens, body), 400)["type"])
	}
	a := d.ask("GET", countTokens, "")
	assert.Equal(t, 405, a.Code)
	assert.Equal(t, "POST", a.Header().Get("Allow"))
	assert.Empty(t, d.requests())
}

// TestCountOfMessagesUpstream has a Messages upstream count.
func TestCountOfMessagesUpstream(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "anthropic", map[string]string{"MODELS": `{"claude-*":"claude-upstream"}`})
	body := `{"model":"claude-x","messages":[{"role":"user","content":"hi"}],"unknown":1}`
	d.upstreams["up.test"] = says(200, `{"input_tokens":4321,"more":true}`)
	a := d.ask("POST", countTokens+"?beta=true", body)
	assert.Equal(t, 200, a.Code)
	assert.JSONEq(t, `{"input_tokens":4321,"more":true}`, a.text())
	asked := d.last()
	assert.Equal(t, "POST /v1/messages/count_tokens?beta=true", asked.Method+" "+asked.URL.RequestURI())
	assert.Equal(t, upstreamKey, asked.Header.Get("X-Api-Key"))
	assert.JSONEq(t, with(body, `{"model":"claude-upstream"}`), asked.body)

	for _, status := range []int{404, 405} {
		d.upstreams["up.test"] = says(status,
			`{"type":"error","error":{"type":"not_found_error","message":"no such path"}}`)
		assert.Positive(t, d.count(t, countTokens, body), "the estimate after %d", status)
	}
	d.upstreams["up.test"] = says(400,
		`{"type":"error","error":{"type":"invalid_request_error","message":"messages: bad"}}`)
	assert.Contains(t, failure(t, "anthropic", d.ask("POST", countTokens, body), 400)["message"],
		"messages: bad")

	d.restart()
	assert.Positive(t, d.count(t, inputTokens, responsesBody), "for a client of Responses")
	assert.Empty(t, d.requests())
}

// TestCountOfResponsesUpstream has a Responses upstream count.
func TestCountOfResponsesUpstream(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "responses", nil)
	d.upstreams["up.test"] = says(200, `{"object":"response.input_tokens","input_tokens":99}`)
	assert.Equal(t, 99, d.count(t, inputTokens, responsesBody))
	assert.Equal(t, "/v1/responses/input_tokens", d.last().URL.RequestURI())
	d.upstreams["up.test"] = says(404,
		`{"error":{"message":"Not found","type":"invalid_request_error","param":null,"code":null}}`)
	assert.Positive(t, d.count(t, inputTokens, responsesBody), "the estimate")
}
