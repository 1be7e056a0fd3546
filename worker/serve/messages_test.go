package serve_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/answers"
)

// direct is the caller of a call: the model.
var direct = object{"type": "direct"}

// odd is a text that JSON may escape in several ways, with characters of two, three and four bytes.
const odd = "quotes \" \\ / \b\f\n\r\t \u0001 \u2028 é 漢 😀 </script> data: x"

// message asks for a message, streamed or plain, checks the answer strictly, and returns the
// message.
func (d *deployment) message(t *testing.T, body string, stream bool, headers ...string) object {
	t.Helper()
	a := d.ask("POST", "/v1/messages", with(body, `{"stream":`+strconv.FormatBool(stream)+`}`), headers...)
	require.Equal(t, 200, a.Code, a.text())
	return messageOf(t, a)
}

// messageOf checks an answer of Messages strictly, and returns its message.
func messageOf(t *testing.T, a *answer) object {
	t.Helper()
	if gjson.Valid(a.text()) {
		require.Regexp(t, `^application/json\b`, a.Header().Get("Content-Type"))
		answers.CheckBody(t, "anthropic", false, a.Body.Bytes())
		return answers.ReadMessage(t, a.Body.Bytes())
	}
	require.Regexp(t, `^text/event-stream\b`, a.Header().Get("Content-Type"))
	answers.CheckStream(t, "anthropic", false, a.Body.Bytes())
	message, failed, _ := answers.ReadMessages(t, a.Body.Bytes())
	require.Nil(t, failed)
	return message
}

// The parts of a Chat Completions answer, which chat returns.
type chatParts struct {
	text   string
	calls  []object // id, name, arguments
	finish string   // "": stop, or tool_calls
	usage  object   // nil: eleven tokens in, seven out
	bare   bool     // a stream has no usage and no end
}

// chat is a Chat Completions upstream. Text and arguments come in pieces of three UTF-16 units.
func chat(p chatParts) upstream {
	if p.finish == "" {
		p.finish = map[bool]string{true: "tool_calls", false: "stop"}[len(p.calls) > 0]
	}
	if p.usage == nil {
		p.usage = object{"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
	}
	return func(r *sent) *reply {
		if !gjson.Get(r.body, "stream").Bool() {
			message := object{"role": "assistant", "content": nil, "refusal": nil}
			if p.text != "" {
				message["content"] = p.text
			}
			if len(p.calls) > 0 {
				var calls list
				for _, c := range p.calls {
					calls = append(calls, object{"id": c["id"], "type": "function",
						"function": object{"name": c["name"], "arguments": c["arguments"]}})
				}
				message["tool_calls"] = calls
			}
			return says(200, encoded(object{"id": "c1", "object": "chat.completion", "created": 1,
				"model": "upstream-model",
				"choices": list{object{"index": 0, "message": message, "logprobs": nil,
					"finish_reason": p.finish}}, "usage": p.usage}))(r)
		}
		all := []string{}
		chunk := func(choices list, usage any) {
			all = append(all, "data: "+encoded(object{"id": "c1", "object": "chat.completion.chunk",
				"created": 1, "model": "upstream-model", "choices": choices, "usage": usage})+"\n\n")
		}
		delta := func(value object, finish any) {
			chunk(list{object{"index": 0, "delta": value, "finish_reason": finish}}, nil)
		}
		delta(object{"role": "assistant", "content": ""}, nil)
		for _, piece := range pieces(p.text) {
			delta(object{"content": piece}, nil)
		}
		for i, c := range p.calls {
			delta(object{"tool_calls": list{object{"index": i, "id": c["id"], "type": "function",
				"function": object{"name": c["name"], "arguments": ""}}}}, nil)
			for _, piece := range pieces(c["arguments"].(string)) {
				delta(object{"tool_calls": list{object{"index": i, "function": object{"arguments": piece}}}},
					nil)
			}
		}
		delta(object{}, p.finish)
		if !p.bare {
			chunk(list{}, p.usage)
			all = append(all, chatDone)
		}
		return streams(all...)(r)
	}
}

// piece is a text for JSON. It may begin or end inside a surrogate pair.
type piece []uint16

// MarshalJSON escapes each half of a surrogate pair.
func (p piece) MarshalJSON() ([]byte, error) {
	text := []byte{'"'}
	for _, unit := range p {
		if utf16.IsSurrogate(rune(unit)) {
			text = fmt.Appendf(text, `\u%04x`, unit)
		} else {
			inside := encoded(string(rune(unit)))
			text = append(text, inside[1:len(inside)-1]...)
		}
	}
	return append(text, '"'), nil
}

// pieces cuts a text into pieces of up to three UTF-16 units.
func pieces(text string) []piece {
	return slices.Collect(slices.Chunk(piece(utf16.Encode([]rune(text))), 3))
}

// tool returns a tool for clients of Messages.
func tool(name string) object {
	return object{"name": name, "description": "does " + name,
		"input_schema": object{"type": "object", "properties": object{"path": object{"type": "string"}},
			"required": list{"path"}}}
}

// body returns a request of Messages with more members.
func body(more object) string { return with(messagesBody, encoded(more)) }

// eachWay runs a test for a stream and for a plain answer, in bubbles with a fake clock.
func eachWay(t *testing.T, run func(t *testing.T, stream bool)) {
	for name, stream := range map[string]bool{"streamed": true, "plain": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { run(t, stream) })
		})
	}
}

// TestMessagesText checks the request at the upstream, and the message for a text.
func TestMessagesText(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, stream bool) {
		d := deployTo(t, "chat", nil)
		d.upstreams["up.test"] = chat(chatParts{text: "Hello " + odd})
		request := body(object{"system": "Be brief.", "temperature": 0.5, "top_p": 0.9,
			"stop_sequences": list{"END"}})
		message := d.message(t, request, stream, noKey, "X-Api-Key: "+clientKey, anthropic,
			"X-Stainless-Lang: js")
		x := d.last()
		assert.Equal(t, "POST /v1/chat/completions", x.Method+" "+x.URL.RequestURI())
		assert.Equal(t, "Bearer "+upstreamKey, x.Header.Get("Authorization"))
		assert.Regexp(t, `^application/json\b`, x.Header.Get("Content-Type"))
		assert.NotContains(t, encoded(x.Header), clientKey)
		for name := range x.Header {
			assert.NotRegexp(t, `(?i)^(x-api-key|anthropic-|x-stainless-)`, name)
		}
		asked := decoded(t, x.body)
		if stream {
			assert.Equal(t, true, asked["stream"])
			assert.Equal(t, object{"include_usage": true}, asked["stream_options"])
		} else {
			assert.NotEqual(t, true, asked["stream"])
			assert.NotContains(t, asked, "stream_options")
		}
		limit := asked["max_tokens"]
		if limit == nil {
			limit = asked["max_completion_tokens"]
		}
		assert.Equal(t, 10.0, limit)
		assert.Equal(t, list{"m", 0.5, 0.9, list{"END"}},
			list{asked["model"], asked["temperature"], asked["top_p"], asked["stop"]})
		assert.Equal(t, list{object{"role": "system", "content": "Be brief."},
			object{"role": "user", "content": "hi"}}, asked["messages"])
		assert.Equal(t, list{object{"type": "text", "text": "Hello " + odd, "citations": list{}}}, message["content"])
		assert.Equal(t, list{"end_turn", "m"}, list{message["stop_reason"], message["model"]})
		usage := message["usage"].(object)
		assert.Equal(t, list{11.0, 7.0}, list{usage["input_tokens"], usage["output_tokens"]})
	})
}

// TestMessagesKeys sends the key in either header, and a query after the path.
func TestMessagesKeys(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat", nil)
	d.upstreams["up.test"] = chat(chatParts{text: "ok"})
	for _, header := range []string{bearer(clientKey), "X-Api-Key: " + clientKey} {
		a := d.ask("POST", "/v1/messages?beta=true", messagesBody, noKey, header)
		require.Equal(t, 200, a.Code, a.text())
		assert.Equal(t, "ok", a.get("content.0.text").Str)
	}
}

// TestMessagesCalls has two parallel calls, and their results in the next turn.
func TestMessagesCalls(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, stream bool) {
		d := deployTo(t, "chat", nil)
		inputs := []object{{"path": `a "quoted" \ name`}, {"path": "ab😀c"}}
		d.upstreams["up.test"] = d.each(
			chat(chatParts{text: "Let me look.", calls: []object{
				{"id": "call_Ab-1", "name": "read", "arguments": encoded(inputs[0])},
				{"id": "call_2_xyz", "name": "list", "arguments": encoded(inputs[1])}}}),
			chat(chatParts{text: "Done."}))
		tools := list{tool("read"), tool("list")}
		question := object{"role": "user", "content": "What is here?"}
		message := d.message(t, body(object{"tools": tools, "messages": list{question}}), stream)
		var offered list
		for _, one := range tools {
			one := one.(object)
			offered = append(offered, object{"type": "function",
				"function": object{"name": one["name"], "description": one["description"],
					"parameters": one["input_schema"]}})
		}
		assert.JSONEq(t, encoded(offered), gjson.Get(d.last().body, "tools").Raw)
		assert.Equal(t, "tool_use", message["stop_reason"])
		assert.Equal(t, list{object{"type": "text", "text": "Let me look.", "citations": list{}},
			object{"type": "tool_use", "id": "call_Ab-1", "name": "read", "input": inputs[0], "caller": direct},
			object{"type": "tool_use", "id": "call_2_xyz", "name": "list", "input": inputs[1], "caller": direct}},
			message["content"])

		results := object{"role": "user", "content": list{
			object{"type": "tool_result", "tool_use_id": "call_Ab-1", "content": odd},
			object{"type": "tool_result", "tool_use_id": "call_2_xyz",
				"content": list{object{"type": "text", "text": "no such folder"}}, "is_error": true},
			object{"type": "text", "text": "Go on."}}}
		second := d.message(t, body(object{"tools": tools,
			"messages": list{question, object{"role": "assistant", "content": message["content"]},
				results}}), stream)
		assert.Equal(t, list{object{"type": "text", "text": "Done.", "citations": list{}}}, second["content"])
		sent := gjson.Get(d.last().body, "messages").Array()
		require.Len(t, sent, 5)
		assert.JSONEq(t, encoded(question), sent[0].Raw)
		assert.Equal(t, "assistant", sent[1].Get("role").Str)
		assert.Equal(t, "Let me look.", sent[1].Get("content").Str)
		for i, call := range sent[1].Get("tool_calls").Array() {
			assert.Equal(t, []string{[]string{"call_Ab-1", "call_2_xyz"}[i], "function",
				[]string{"read", "list"}[i]},
				[]string{call.Get("id").Str, call.Get("type").Str, call.Get("function.name").Str})
			assert.JSONEq(t, encoded(inputs[i]), call.Get("function.arguments").Str)
		}
		assert.Len(t, sent[1].Get("tool_calls").Array(), 2)
		assert.JSONEq(t, encoded(object{"role": "tool", "tool_call_id": "call_Ab-1", "content": odd}),
			sent[2].Raw)
		assert.Equal(t, "tool call_2_xyz", sent[3].Get("role").Str+" "+sent[3].Get("tool_call_id").Str)
		assert.Regexp(t, `(?i)^error\b.*no such folder`, sent[3].Get("content").Str)
		assert.JSONEq(t, `{"role":"user","content":"Go on."}`, sent[4].Raw)
	})
}

// TestMessagesOfStreams has incomplete streams.
func TestMessagesOfStreams(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat", nil)
	tools := body(object{"tools": list{tool("list")}})
	d.upstreams["up.test"] = chat(chatParts{calls: []object{{"id": "call_1", "name": "list",
		"arguments": ""}}})
	called := d.message(t, tools, true)["content"].(list)[0].(object)
	assert.Equal(t, object{}, called["input"], "a call without arguments")

	d.upstreams["up.test"] = streams(
		`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,`+
			`"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1",`+
			`"type":"function","function":{"name":"list","arguments":"{}"}}]},"finish_reason":null}]}`+"\n\n",
		chatStop, chatDone)
	blocks := d.message(t, tools, true)["content"].(list)
	require.Len(t, blocks, 1, "a call without a text before it")
	assert.Equal(t, "tool_use", blocks[0].(object)["type"])

	d.upstreams["up.test"] = chat(chatParts{text: "ok", bare: true})
	message := d.message(t, messagesBody, true)
	assert.Equal(t, list{object{"type": "text", "text": "ok", "citations": list{}}}, message["content"],
		"without usage and without [DONE]")
	assert.Equal(t, "end_turn", message["stop_reason"])
}

// TestMessagesToolChoice has a tool_choice of each type.
func TestMessagesToolChoice(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat", nil)
	d.upstreams["up.test"] = chat(chatParts{text: "ok"})
	for choice, want := range map[string]string{
		`{"type":"auto"}`: `"auto"`, `{"type":"any"}`: `"required"`, `{"type":"none"}`: `"none"`,
		`{"type":"tool","name":"read"}`: `{"type":"function","function":{"name":"read"}}`,
	} {
		d.message(t, with(body(object{"tools": list{tool("read")}}), `{"tool_choice":`+choice+`}`), false)
		assert.JSONEq(t, want, gjson.Get(d.last().body, "tool_choice").Raw, choice)
		assert.False(t, gjson.Get(d.last().body, "parallel_tool_calls").Exists(), choice)
	}
}

// unknownBlock is a request with a type of block unknown to the API.
const unknownBlock = `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":[{"type":"text",` +
	`"text":"a"},{"type":"nonsense"}]}]}`

// TestMessagesLost reports losses, and leaves out the billing header of Claude Code.
func TestMessagesLost(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat", nil)
	d.upstreams["up.test"] = chat(chatParts{text: "ok"})
	for _, stream := range []string{`{"stream":false}`, `{"stream":true}`} {
		a := d.ask("POST", "/v1/messages", with(unknownBlock, stream))
		assert.Equal(t, 200, a.Code)
		assert.Contains(t, a.Header().Get("X-Edgelingua-Lost"), "messages[0].content[1]")
		assert.NotContains(t, d.ask("POST", "/v1/messages", with(messagesBody, stream)).Header(),
			"X-Edgelingua-Lost")
	}
	d.message(t, with(messagesBody,
		`{"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.329.54e; cc_entrypoint=sdk-cli;"},
		{"type":"text","text":"First.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Second."}]}`), true)
	sent := gjson.Get(d.last().body, "messages").Array()
	require.Len(t, sent, 2)
	assert.Equal(t, "system", sent[0].Get("role").Str)
	assert.Regexp(t, `^First\.\s*Second\.$`, sent[0].Get("content").Str)
	assert.JSONEq(t, `{"role":"user","content":"hi"}`, sent[1].Raw)
}

// TestMessagesEnds has each finish_reason, and the cached tokens of a usage.
func TestMessagesEnds(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, stream bool) {
		d := deployTo(t, "chat", nil)
		for finish, want := range map[string]string{"stop": "end_turn", "length": "max_tokens",
			"content_filter": "refusal"} {
			d.upstreams["up.test"] = chat(chatParts{text: "some", finish: finish})
			assert.Equal(t, want, d.message(t, messagesBody, stream)["stop_reason"], finish)
		}
		d.upstreams["up.test"] = chat(chatParts{calls: []object{{"id": "call_1", "name": "list",
			"arguments": "{}"}}, finish: "stop"})
		assert.Equal(t, "tool_use", d.message(t, body(object{"tools": list{tool("list")}}),
			stream)["stop_reason"], "stop after a call")

		d.upstreams["up.test"] = chat(chatParts{text: "ok",
			usage: object{"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107,
				"prompt_tokens_details": object{"cached_tokens": 40}}})
		usage := d.message(t, messagesBody, stream)["usage"].(object)
		assert.Equal(t, list{60.0, 40.0, 7.0},
			list{usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"]})
	})
}

// TestMessagesAliases maps the names of models.
func TestMessagesAliases(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat",
		map[string]string{"MODELS": `{"claude-haiku-*":"small","claude-*":"large","exact":"other"}`})
	d.upstreams["up.test"] = chat(chatParts{text: "ok"})
	for model, want := range map[string]string{"claude-haiku-4-5": "small", "claude-opus-5-5": "large",
		"exact": "other", "unknown": "unknown"} {
		message := d.message(t, body(object{"model": model}), true)
		assert.Equal(t, want, gjson.Get(d.last().body, "model").Str)
		assert.Equal(t, model, message["model"])
	}
}

// TestMessagesOptions sets options that change a request, and an option that refuses losses.
func TestMessagesOptions(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat", map[string]string{"OPTIONS": `{"lossy":"refuse"}`,
		"UPSTREAM_OPTIONS": `{"parallel_flag":"send","token_param":"max_completion_tokens",` +
			`"max_output_tokens":5,"stream_usage":"omit","headers":{"x-title":"a title, with a comma"}}`})
	d.upstreams["up.test"] = chat(chatParts{text: "ok"})
	d.message(t, body(object{"tools": list{tool("read")},
		"tool_choice": object{"type": "auto", "disable_parallel_tool_use": true}}), true)
	asked := decoded(t, d.last().body)
	assert.Equal(t, list{false, 5.0}, list{asked["parallel_tool_calls"], asked["max_completion_tokens"]})
	assert.NotContains(t, asked, "max_tokens")
	assert.NotContains(t, asked, "stream_options")
	assert.Equal(t, "a title, with a comma", d.last().Header.Get("X-Title"))
	d.restart()
	e := failure(t, "anthropic", d.ask("POST", "/v1/messages", unknownBlock), 400)
	assert.Equal(t, "invalid_request_error", e["type"])
	assert.Regexp(t, `messages[.\[]0\]?\.content[.\[]1`, e["message"])
	assert.Empty(t, d.requests())
}
