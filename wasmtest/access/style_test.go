package access

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	"edgelingua/wasmtest/host"
)

func TestStyles(t *testing.T) {
	first := Millis(1.5)
	input, output := int64(7), int64(2)
	e := &Entry{
		Time: "2026-01-02T03:04:05.678Z", ID: "req_1", Method: "POST", Path: "/v1/messages",
		Pair:  "anthropic/chat",
		Model: "m\x1b[2J", UpstreamModel: "n", Status: 200, Tokens: &Tokens{Input: &input, Output: &output},
		FirstByte: &first, Total: 20,
		Lost: []string{"top_k", "stop"}, UnknownModel: true, Loop: "look", Cut: 12, Error: "timeout",
	}
	plain := string(Plain.append(nil, e))
	assert.Regexp(t,
		`^\d\d:\d\d:05 200 POST /v1/messages  anthropic/chat  m\?\[2J as n  tokens 7 in, 2 out  20 ms, `+
			`first byte 1.5  lost top_k stop  unknown model  loop of look  cut 12 bytes of tools  timeout  `+
			`req_1\n$`, plain)
	assert.Equal(t, strings.Replace(plain, " 200 ", "\x1b[31m 200 \x1b[0m", 1), string(Colour.append(nil, e)))
	assert.Equal(t,
		`{"time":"2026-01-02T03:04:05.678Z","id":"req_1","method":"POST","path":"/v1/messages",`+
			`"endpoint":"","pair":"anthropic/chat",`+
			`"model":"m\u001b[2J","upstream_model":"n","status":200,"tokens":{"input":7,"output":2},`+
			`"first_byte_ms":1.5,"total_ms":20,`+
			`"bytes_in":0,"bytes_out":0,"lost":["top_k","stop"],"unknown_model":true,"loop":"look",`+
			`"tool_descriptions_cut":12,"error":"timeout"}`+"\n", string(JSON.append(nil, e)))
	const unseen = "\x00\x7f\u0085\u00ad\u200b\u200e\u2028\u2029\u202e\u2066\ufeff\U000e0041\xff"
	cost := 0.00125
	paid := &Entry{Time: e.Time, Endpoint: "anna", Upstream: "fast", Pair: "chat/chat", Status: 200,
		Cost: &cost}
	assert.Contains(t, string(Plain.append(nil, paid)), "  chat/chat  at fast  0.00125 USD  0 ms")
	assert.Contains(t, string(JSON.append(nil, paid)),
		`"endpoint":"anna","upstream":"fast","pair":"chat/chat","status":200,"cost_usd":0.00125,"total_ms":0`)
	hostile := &Entry{Time: e.Time, Model: "é 中 " + unseen, Loop: unseen, Lost: []string{unseen},
		Error: unseen, Path: unseen, ID: unseen}
	for _, style := range []Style{JSON, Plain} {
		line := string(style.append(nil, hostile))
		assert.Contains(t, line, "é 中 ")
		assert.NotContains(t, strings.TrimSuffix(line, "\n"), "\n")
		for _, r := range strings.TrimSuffix(line, "\n") {
			assert.True(t, unicode.IsGraphic(r), "%q", r)
		}
	}
	var read Entry
	assert.NoError(t, json.Unmarshal(JSON.append(nil, hostile), &read))
	assert.Equal(t, strings.ToValidUTF8(hostile.Model, "\ufffd"), read.Model, "nothing is lost of it")
	assert.Contains(t, string(JSON.append(nil, hostile)), `\u202e\u2066\ufeff\udb40\udc41`)
	var terminal strings.Builder
	n, err := io.WriteString(Shown(&terminal), "one\n\ttwo \u202e\x1b[2J\n")
	assert.NoError(t, err)
	assert.Equal(t, 17, n)
	assert.Equal(t, "one\n\ttwo ??[2J\n", terminal.String())
	for _, test := range []struct {
		entry  Entry
		colour string
	}{
		{Entry{Status: 200}, "\x1b[32m"},
		{Entry{Status: 200, Aborted: true}, "\x1b[33m"},
		{Entry{Status: 404, Error: "not_found"}, "\x1b[33m"},
		{Entry{Status: 502, Error: "unavailable"}, "\x1b[31m"},
	} {
		assert.Equal(t, test.colour, test.entry.colour())
	}
}

func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		outcome host.Outcome
		status  int
		want    Entry
	}{
		{host.Outcome{Died: true}, 200, Entry{Status: 200, Error: "internal"}},
		{host.Outcome{}, 503, Entry{Status: 503, Error: "overloaded"}},
		{host.Outcome{Aborted: true, Report: []byte(`{"client":"chat","error":"unavailable"}`)}, 499,
			Entry{Status: 499, Aborted: true}},
		{host.Outcome{Report: []byte(`{"client":"chat","upstream":"responses","lost":"a,+2"}`)}, 200,
			Entry{Status: 200, Pair: "chat/responses", Lost: []string{"a", "+2"}}},
		{host.Outcome{Report: []byte(`{"client":"chat","upstream":"chat","endpoint":"anna","to":"fast",` +
			`"cost":0}`)}, 200,
			Entry{Status: 200, Endpoint: "anna", Upstream: "fast", Pair: "chat/chat", Cost: new(float64)}},
	} {
		e := Entry{Status: test.status}
		assert.NoError(t, e.take(test.outcome))
		e.setError()
		assert.Equal(t, test.want, e)
	}
	assert.Error(t, (&Entry{}).take(host.Outcome{Report: []byte("x")}))
}
