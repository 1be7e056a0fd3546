package demo

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ask(method, path, key, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	New("key").ServeHTTP(w, r)
	return w
}

// parse returns the data of a stream's events, and the names of the events that have one.
func parse(t *testing.T, body string) (names []string, data []object) {
	t.Helper()
	require.True(t, strings.HasSuffix(body, "\n\n"))
	for _, event := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		name := ""
		for line := range strings.SplitSeq(event, "\n") {
			if field, v, _ := strings.Cut(line, ": "); field == "event" {
				name = v
			} else if v != "[DONE]" {
				var o object
				require.NoError(t, json.Unmarshal([]byte(v), &o))
				data = append(data, o)
			}
		}
		names = append(names, name)
	}
	return names, data
}

// at follows keys and indices into a JSON value. It returns nil if a step is missing.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			o, _ := v.(object)
			v = o[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

func decoded(t *testing.T, w *httptest.ResponseRecorder) object {
	t.Helper()
	var o object
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &o), w.Body.String())
	return o
}

const (
	schema    = `{"type":"object","properties":{"city":{"type":"string"}}}`
	chatTools = `"tools":[{"type":"function","function":{"name":"other"}},{"type":"function",` +
		`"function":{"name":"get_weather","parameters":` + schema + `}}],`
	messagesTools = `"tools":[{"type":"web_search_20250305","name":"web_search"},{"name":"get_weather",` +
		`"input_schema":` + schema + `}],`
	responseTools = `"tools":[{"type":"web_search"},{"type":"function","name":"get_weather","parameters":` +
		schema + `}],`
	wanted = `{"city":"Paris"}`
)

func TestPlainCall(t *testing.T) {
	chat := decoded(t, ask("POST", "/v1/chat/completions", "key",
		`{"model":"m",`+chatTools+`"messages":[{"role":"user","content":"Weather in Paris?"}]}`))
	call := at(chat, "choices", 0, "message", "tool_calls", 0)
	assert.Equal(t, "tool_calls", at(chat, "choices", 0, "finish_reason"))
	assert.Equal(t, "get_weather", at(call, "function", "name"), "the tool that fits the words")
	assert.Equal(t, wanted, at(call, "function", "arguments"))
	assert.Regexp(t, "^call_demo[0-9a-f]{16}$", at(call, "id"))

	messages := decoded(t, ask("POST", "/v1/messages", "key", `{"model":"m","max_tokens":9,`+messagesTools+
		`"messages":[{"role":"user","content":[{"type":"text","text":"Weather in Paris?"}]}]}`))
	assert.Equal(t, "tool_use", at(messages, "stop_reason"))
	assert.Equal(t, "get_weather", at(messages, "content", 0, "name"))
	assert.Equal(t, object{"city": "Paris"}, at(messages, "content", 0, "input"))

	for _, input := range []string{`"Weather in Paris?"`,
		`[{"role":"user","content":[{"type":"input_text","text":"Weather in Paris?"}]}]`} {
		response := decoded(t, ask("POST", "/v1/responses", "key",
			`{"model":"m",`+responseTools+`"input":`+input+`}`))
		assert.Equal(t, "completed", at(response, "status"))
		assert.Equal(t, "function_call", at(response, "output", 0, "type"))
		assert.Equal(t, wanted, at(response, "output", 0, "arguments"))
	}
}

func TestStreamedCall(t *testing.T) {
	w := ask("POST", "/v1/chat/completions", "key",
		`{"model":"m","stream":true,"stream_options":{"include_usage":true},`+chatTools+
			`"messages":[{"role":"user","content":"Weather in Paris?"}]}`)
	assert.True(t, strings.HasSuffix(w.Body.String(), "data: [DONE]\n\n"))
	_, chunks := parse(t, w.Body.String())
	assert.Equal(t, "assistant", at(chunks[0], "choices", 0, "delta", "role"))
	arguments, fragments := "", 0
	for _, chunk := range chunks {
		if piece, ok := at(chunk, "choices", 0, "delta", "tool_calls", 0, "function",
			"arguments").(string); ok {
			arguments += piece
			fragments++
		}
	}
	assert.Equal(t, wanted, arguments)
	assert.Greater(t, fragments, 2)
	assert.Equal(t, "tool_calls", at(chunks[len(chunks)-2], "choices", 0, "finish_reason"))
	assert.NotNil(t, at(chunks[len(chunks)-1], "usage", "total_tokens"))

	w = ask("POST", "/v1/messages", "key", `{"model":"m","max_tokens":9,"stream":true,`+messagesTools+
		`"messages":[{"role":"user","content":"Weather in Paris?"}]}`)
	names, events := parse(t, w.Body.String())
	arguments = ""
	for i, event := range events {
		assert.Equal(t, names[i], event["type"])
		piece, _ := at(event, "delta", "partial_json").(string)
		arguments += piece
	}
	assert.Equal(t, wanted, arguments)
	assert.Equal(t, []string{"message_start", "content_block_start"}, names[:2])
	assert.Equal(t, []string{"content_block_stop", "message_delta", "message_stop"}, names[len(names)-3:])

	w = ask("POST", "/v1/responses", "key", `{"model":"m","stream":true,`+responseTools+
		`"input":"Weather in Paris?"}`)
	names, events = parse(t, w.Body.String())
	arguments = ""
	for i, event := range events {
		assert.Equal(t, names[i], event["type"])
		assert.EqualValues(t, i, event["sequence_number"])
		piece, _ := event["delta"].(string)
		arguments += piece
	}
	assert.Equal(t, wanted, arguments)
	assert.Equal(t, "response.completed", names[len(names)-1])
	assert.Equal(t, wanted, at(events[len(events)-1], "response", "output", 0, "arguments"))
}

func TestToolResultIsRepeated(t *testing.T) {
	want := "The tool says: 20 degrees"
	chat := decoded(t, ask("POST", "/chat/completions", "key",
		`{"model":"m",`+chatTools+`"messages":[{"role":"user","content":"Weather?"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c",
			"content":"20 degrees"}]}`))
	assert.Equal(t, want, at(chat, "choices", 0, "message", "content"))
	messages := decoded(t, ask("POST", "/messages", "key", `{"model":"m","max_tokens":9,`+messagesTools+
		`"messages":[{"role":"user","content":"Weather?"},
		{"role":"assistant","content":[{"type":"tool_use","id":"c"}]},{"role":"user",
			"content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text",
				"text":"20 degrees"}]}]}]}`))
	assert.Equal(t, want, at(messages, "content", 0, "text"))
	assert.Equal(t, "end_turn", at(messages, "stop_reason"))
	response := decoded(t, ask("POST", "/responses", "key",
		`{"model":"m",`+responseTools+`"input":[{"role":"user","content":"Weather?"},
		{"type":"function_call","call_id":"c","name":"get_weather","arguments":"{}"},
		{"type":"function_call_output","call_id":"c","output":"20 degrees"}]}`))
	assert.Equal(t, want, at(response, "output", 0, "content", 0, "text"))
}

// TestForcedCall sends a tool's result last. The model repeats the result, unless tool_choice
// demands another call.
func TestForcedCall(t *testing.T) {
	chat := func(choice string) object {
		return decoded(t, ask("POST", "/chat/completions", "key",
			`{"model":"m",`+choice+chatTools+`"messages":[{"role":"user","content":"Hello"},
			{"role":"assistant","tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c",
				"content":"20 degrees"},{"role":"developer","content":"Be brief."}]}`))
	}
	messages := func(choice string) object {
		return decoded(t, ask("POST", "/messages", "key", `{"model":"m","max_tokens":9,`+choice+messagesTools+
			`"messages":[{"role":"user","content":"Hello"},
			{"role":"assistant","content":[{"type":"tool_use","id":"c"}]},{"role":"user",
				"content":[{"type":"tool_result","tool_use_id":"c","content":"20 degrees"}]},{"role":"system",
					"content":"Be brief."}]}`))
	}
	response := func(choice string) object {
		return decoded(t, ask("POST", "/responses", "key", `{"model":"m",`+choice+responseTools+
			`"input":[{"role":"user","content":"Hello"},
			{"type":"function_call","call_id":"c"},{"type":"function_call_output","call_id":"c",
				"output":"20 degrees"},{"role":"developer","content":"Be brief."}]}`))
	}
	for _, choice := range []string{"", `"tool_choice":"auto",`} {
		assert.Equal(t, "The tool says: 20 degrees", at(chat(choice), "choices", 0, "message", "content"))
		assert.Equal(t, "The tool says: 20 degrees", at(response(choice), "output", 0, "content", 0, "text"))
	}
	assert.Equal(t, "The tool says: 20 degrees", at(messages(`"tool_choice":{"type":"auto"},`), "content", 0,
		"text"))
	assert.Equal(t, "other", at(chat(`"tool_choice":"required",`), "choices", 0, "message", "tool_calls", 0,
		"function", "name"))
	assert.Equal(t, "get_weather",
		at(chat(`"tool_choice":{"type":"function","function":{"name":"get_weather"}},`), "choices", 0,
			"message", "tool_calls", 0, "function", "name"))
	assert.Equal(t, "get_weather", at(messages(`"tool_choice":{"type":"any"},`), "content", 0, "name"))
	assert.Equal(t, "get_weather", at(messages(`"tool_choice":{"type":"tool","name":"get_weather"},`),
		"content", 0, "name"))
	assert.Equal(t, "get_weather", at(response(`"tool_choice":"required",`), "output", 0, "name"))
	assert.Equal(t, "get_weather", at(response(`"tool_choice":{"type":"function","name":"get_weather"},`),
		"output", 0, "name"))
}

// TestDeferredTool: a tool with defer_loading is not called, since the model can't see such a tool
// yet.
func TestDeferredTool(t *testing.T) {
	answer := decoded(t, ask("POST", "/messages", "key",
		`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hello"}],"tools":[
		{"name":"hidden","input_schema":{"type":"object"},"defer_loading":true},{"name":"shown",
			"input_schema":{"type":"object"}}]}`))
	assert.Equal(t, "shown", at(answer, "content", 0, "name"))
}

func TestText(t *testing.T) {
	for path, body := range map[string]string{
		"/chat/completions": `{"model":"m","stream":true,"tool_choice":"none",` + chatTools +
			`"messages":[{"role":"user","content":"é 漢 hello"}]}`,
		"/messages": `{"model":"m","max_tokens":9,"stream":true,"tool_choice":{"type":"none"},` +
			messagesTools + `"messages":[{"role":"user","content":"é 漢 hello"}]}`,
		"/responses": `{"model":"m","stream":true,"tool_choice":"none",` + responseTools +
			`"input":"é 漢 hello"}`,
	} {
		w := ask("POST", path, "key", body)
		_, events := parse(t, w.Body.String())
		said := ""
		for _, event := range events {
			for _, piece := range []any{at(event, "choices", 0, "delta", "content"), at(event, "delta",
				"text"), event["delta"]} {
				if text, ok := piece.(string); ok {
					said += text
				}
			}
		}
		assert.Equal(t, "This is the demo upstream. You said: é 漢 hello", said)
		assert.Equal(t, w.Body.String(), ask("POST", path, "key", body).Body.String(),
			"the same request has the same answer")
	}
}

func TestModels(t *testing.T) {
	for _, prefix := range []string{"", "/v1"} {
		list := decoded(t, ask("GET", prefix+"/models", "key", ""))
		assert.Equal(t, []any{"list", "demo", "model", 1.75e9}, []any{at(list, "object"), at(list, "data", 0,
			"id"), at(list, "data", 0, "object"), at(list, "data", 0, "created")})
		assert.Equal(t, "demo", at(decoded(t, ask("GET", prefix+"/models/demo", "key", "")), "id"))
	}
	r := httptest.NewRequest("GET", "/v1/models", nil)
	r.Header.Set("X-Api-Key", "key")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	w := httptest.NewRecorder()
	New("key").ServeHTTP(w, r)
	list := decoded(t, w)
	assert.Equal(t, []any{"model", "Demo", false, "demo"}, []any{at(list, "data", 0, "type"),
		at(list, "data", 0, "display_name"), at(list, "has_more"), at(list, "last_id")})
}

func TestRefusals(t *testing.T) {
	good := `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}],"input":"a"}`
	for _, test := range []struct {
		method, path, key, body string
		status                  int
		kind                    string
	}{
		{"POST", "/v1/messages", "wrong", good, 401, "authentication_error"},
		{"POST", "/v1/messages", "", good, 401, "authentication_error"},
		{"POST", "/v1/responses", "wrong", good, 401, "invalid_request_error"},
		{"GET", "/v1/messages", "key", good, 405, "invalid_request_error"},
		{"POST", "/v1/embeddings", "key", good, 404, "invalid_request_error"},
		{"POST", "/v1/models", "key", good, 405, "invalid_request_error"},
		{"GET", "/v1/models", "wrong", "", 401, "invalid_request_error"},
		{"GET", "/v1/models/other", "key", "", 404, "invalid_request_error"},
		{"POST", "/v1/messages", "key", `{`, 400, "invalid_request_error"},
		{"POST", "/v1/messages", "key", `{"model":"m","messages":[{"role":"user","content":"a"}]}`, 400,
			"invalid_request_error"},
		{"POST", "/v1/messages", "key",
			`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":5}]}`, 400,
			"invalid_request_error"},
		{"POST", "/v1/chat/completions", "key", `{"model":"m","messages":[]}`, 400, "invalid_request_error"},
		{"POST", "/v1/chat/completions", "key", `{"model":5,"messages":[]}`, 400, "invalid_request_error"},
		{"POST", "/v1/responses", "key", `{"model":"m","input":[]}`, 400, "invalid_request_error"},
	} {
		w := ask(test.method, test.path, test.key, test.body)
		answer := decoded(t, w)
		assert.Equal(t, test.status, w.Code, "%+v", test)
		assert.Equal(t, test.kind, at(answer, "error", "type"))
		assert.Contains(t, at(answer, "error", "message"), "demo upstream: ")
		assert.Equal(t, strings.Contains(test.path, "messages"), answer["type"] == "error")
	}
	r := httptest.NewRequest("POST", "/v1/messages", strings.NewReader(good))
	r.Header.Set("X-Api-Key", "key")
	w := httptest.NewRecorder()
	New("key").ServeHTTP(w, r)
	assert.Equal(t, http.StatusOK, w.Code)
}

func TestSample(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{"type":"string"}`, `"Oslo"`},
		{`{"enum":["b","a"]}`, `"b"`},
		{`{"const":3}`, `3`},
		{`{"type":"string","default":"d"}`, `"d"`},
		{`{"type":["null","integer"],"minimum":7}`, `7`},
		{`{"type":"number"}`, `1`},
		{`{"type":"boolean"}`, `true`},
		{`{"type":"null"}`, `null`},
		{`{"type":"array"}`, `[]`},
		{`{"type":"array","items":{"type":"boolean"}}`, `[true]`},
		{`{"anyOf":[{"type":"null"},{"type":"integer"}]}`, `1`},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}`,
			`{"b":"Oslo"}`},
		{`{"properties":{"a":{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}}}`,
			`{"a":{"b":1}}`},
		{`{"$defs":{"x":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/x"}}}`, `{"a":1}`},
		{`{"type":"object"}`, `{}`},
		{`true`, `"Oslo"`},
	} {
		var s any
		require.NoError(t, json.Unmarshal([]byte(test.schema), &s))
		sampler := sampler{words: "What about Oslo, then?", root: s}
		assert.JSONEq(t, test.want, string(encode(sampler.sample(s, 0))), test.schema)
	}
	var endless any
	require.NoError(t, json.Unmarshal([]byte(`{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#/x/y"}}}`),
		&endless))
	s := sampler{root: endless}
	s.sample(endless, 0)
}

func TestPlace(t *testing.T) {
	for words, want := range map[string]string{
		"Weather in Paris?": "Paris", "weather in Baden-Baden today": "Baden-Baden", "Hello there": "",
		"": "", "in Århus": "Århus",
		"What is the weather in Paris? Use the tool.": "Paris",
		"Hi! In Oslo I freeze.\nUse Celsius":          "Celsius",
		"What now? Use the tool.":                     "", "In Oslo, should I wear a coat?": "Oslo",
	} {
		assert.Equal(t, want, place(words), words)
	}
}
