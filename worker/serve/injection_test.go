package serve_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// surrogate stands for half of a surrogate pair, which Go strings can't contain: withSurrogates
// writes the half into JSON.
const surrogate = "\ue000"

func withSurrogates(text string) string { return strings.ReplaceAll(text, surrogate, `\ud800`) }

// evils are texts that would begin a new header, log line, event, document or statement if they
// were not escaped.
var evils = []string{
	"\r\nx-evil: 1\r\n\r\n",
	"\nset-cookie: evil=1",
	"\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil",
	"\n{\"id\":\"evil\",\"status\":200}\n",
	"\n\nevent: evil\ndata: {\"evil\":1}\n\n",
	"\r\rdata: [DONE]\r\r",
	`"},"evil":1,"x":{"y":"`,
	`\"}\u000a\`,
	"\u2028\u2029\u0085data: evil\u2028\u2028",
	"</script><script>evil()</script><img src=x onerror=evil()>",
	"\x00\x01\x1b[2J\x1b]0;evil\x07\u009b31m\x7f",
	"\u202eevil\u2066\u200b\ufeff" + surrogate,
	"'; DROP TABLE responses; -- \" OR 1=1",
	"${evil} {{evil}} %0d%0ax-evil:%201 %s%n $(evil) `evil`",
	"__proto__",
}

var (
	knownHeaders = regexp.MustCompile(`(?i)^(content-(type|length|security-policy)|(x-)?request-id|x-upstream-request-id|server-timing|cache-control|allow|x-(should-retry|content-type-options)|retry-after|cross-origin-resource-policy|x-edgelingua-\w+|www-authenticate|vary)$`)
	oneLine      = regexp.MustCompile(`^[\t\x20-\x7e\x80-\xff]*$`)
	eventLine    = regexp.MustCompile(`^(event: [\w.]+|data: (\{.*\}|\[DONE\])|:.*)$`)
	eventNames   = regexp.MustCompile(`(?m)^event: \S+|^data: \[DONE\]`)
	lineEnd      = regexp.MustCompile(`\r\n|\r|\n`)
)

// harmless requires that an answer has only known headers, each in one line, and is JSON or JSON
// events. It returns the shape: the names of the events or members.
func harmless(t *testing.T, a *answer, what string) (shape string) {
	t.Helper()
	for name, all := range a.Header() {
		require.Regexp(t, knownHeaders, name, what)
		for _, value := range all {
			require.Regexp(t, oneLine, value, "%s: %s", what, name)
		}
	}
	if strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream") {
		for event := range strings.SplitSeq(a.text(), "\n\n") {
			if event == "" {
				continue
			}
			for _, line := range lineEnd.Split(event, -1) {
				require.Regexp(t, eventLine, line, what)
				if data, ok := strings.CutPrefix(line, "data: {"); ok {
					require.True(t, json.Valid([]byte("{"+data)), what)
					require.False(t, gjson.Get("{"+data, "evil").Exists(), what)
				}
			}
		}
		return strings.Join(eventNames.FindAllString(a.text(), -1), ",")
	}
	require.Regexp(t, "^application/json", a.Header().Get("Content-Type"), what)
	require.True(t, json.Valid(a.Body.Bytes()), "%s: %s", what, a.text())
	require.False(t, a.get("evil").Exists() || a.get("error.evil").Exists(), what)
	var names []string
	gjson.Parse(a.text()).ForEach(func(name, _ gjson.Result) bool {
		names = append(names, name.Str)
		return true
	})
	slices.Sort(names)
	return strings.Join(names, ",")
}

// evilAnswer returns an upstream whose answer has the evil text in each text field.
func evilAnswer(protocol, evil string) upstream {
	id, name, input := "call_"+evil, "look"+evil, object{evil: evil}
	var plain object
	var events []string
	event := func(o object) {
		events = append(events, "event: "+o["type"].(string)+"\ndata: "+encoded(o)+
			"\n\n")
	}
	switch protocol {
	case "anthropic":
		usage := object{"input_tokens": 1, "output_tokens": 1}
		plain = object{"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
			"stop_reason": "tool_use", "stop_sequence": nil, "usage": usage,
			"content": list{object{"type": "thinking", "thinking": evil, "signature": "c2ln"},
				object{"type": "text", "text": evil},
				object{"type": "tool_use", "id": id, "name": name, "input": input}}}
		event(object{"type": "message_start", "message": object{"id": "msg_1", "type": "message",
			"role": "assistant", "model": "m", "content": list{}, "stop_reason": nil, "usage": usage}})
		for i, block := range []struct {
			begin  object
			deltas []object
		}{
			{object{"type": "thinking", "thinking": "", "signature": ""}, []object{{"type": "thinking_delta",
				"thinking": evil}, {"type": "signature_delta", "signature": "c2ln"}}},
			{object{"type": "text", "text": ""}, []object{{"type": "text_delta", "text": evil}}},
			{object{"type": "tool_use", "id": id, "name": name, "input": object{}},
				[]object{{"type": "input_json_delta", "partial_json": encoded(input)}}},
		} {
			event(object{"type": "content_block_start", "index": i, "content_block": block.begin})
			for _, delta := range block.deltas {
				event(object{"type": "content_block_delta", "index": i, "delta": delta})
			}
			event(object{"type": "content_block_stop", "index": i})
		}
		event(object{"type": "message_delta", "delta": object{"stop_reason": "tool_use"},
			"usage": object{"output_tokens": 1}})
		event(object{"type": "message_stop"})
	case "chat":
		usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
		tenantCall := object{"index": 0, "id": id, "type": "function", "function": object{"name": name,
			"arguments": encoded(input)}}
		head := object{"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
		with := func(choices list, more object) object {
			o := object{"choices": choices}
			for _, members := range []object{head, more} {
				for member, value := range members {
					o[member] = value
				}
			}
			return o
		}
		plain = with(list{object{"index": 0, "finish_reason": "tool_calls",
			"message": object{"role": "assistant", "content": evil, "reasoning_content": evil,
				"tool_calls": list{tenantCall}}}}, object{"usage": usage})
		for _, delta := range []object{{"role": "assistant", "reasoning_content": evil}, {"content": evil},
			{"tool_calls": list{tenantCall}}} {
			events = append(events, "data: "+encoded(with(list{object{"index": 0, "delta": delta,
				"finish_reason": nil}}, object{"object": "chat.completion.chunk"}))+"\n\n")
		}
		events = append(events, "data: "+encoded(with(list{object{"index": 0, "delta": object{},
			"finish_reason": "tool_calls"}}, object{"usage": usage}))+"\n\n", "data: [DONE]\n\n")
	case "responses":
		items := list{
			object{"id": "rs_1", "type": "reasoning", "summary": list{object{"type": "summary_text",
				"text": evil}}},
			object{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
				"content": list{object{"type": "output_text", "text": evil, "annotations": list{}}}},
			object{"id": "fc_1", "type": "function_call", "status": "completed", "call_id": id, "name": name,
				"arguments": encoded(input)},
		}
		response := func(status string, output list) object {
			return object{"id": "resp_1", "object": "response", "created_at": 1, "status": status,
				"model": "m", "output": output,
				"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
		}
		plain = response("completed", items)
		event(object{"type": "response.created", "response": response("in_progress", list{})})
		event(object{"type": "response.output_item.added", "output_index": 0, "item": object{"id": "rs_1",
			"type": "reasoning", "summary": list{}}})
		event(object{"type": "response.reasoning_summary_part.added", "item_id": "rs_1", "output_index": 0,
			"summary_index": 0, "part": object{"type": "summary_text", "text": ""}})
		event(object{"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "output_index": 0,
			"summary_index": 0, "delta": evil})
		event(object{"type": "response.output_item.done", "output_index": 0, "item": items[0]})
		event(object{"type": "response.output_item.added", "output_index": 1, "item": object{"id": "msg_1",
			"type": "message", "role": "assistant", "status": "in_progress", "content": list{}}})
		event(object{"type": "response.content_part.added", "item_id": "msg_1", "output_index": 1,
			"content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": list{}}})
		event(object{"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 1,
			"content_index": 0, "delta": evil})
		event(object{"type": "response.output_item.done", "output_index": 1, "item": items[1]})
		event(object{"type": "response.output_item.added", "output_index": 2, "item": object{"id": "fc_1",
			"type": "function_call", "status": "in_progress", "call_id": id, "name": name, "arguments": ""}})
		event(object{"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 2,
			"delta": encoded(input)})
		event(object{"type": "response.output_item.done", "output_index": 2, "item": items[2]})
		event(object{"type": "response.completed", "response": response("completed", items)})
	}
	return func(r *sent) *reply {
		if !asksToStream(protocol, r) {
			return says(200, withSurrogates(encoded(plain)))(r)
		}
		reply := streams(events...)(r)
		for i, chunk := range reply.chunks {
			reply.chunks[i] = withSurrogates(chunk)
		}
		return reply
	}
}

// evilRequest returns a client's request with the evil text in each text field.
func evilRequest(client, evil string, stream bool) string {
	schema := object{"type": "object", "properties": object{evil: object{"type": "string"}}}
	more := object{"model": evil, "stream": stream, evil: evil}
	switch client {
	case "anthropic":
		more["system"], more["metadata"], more["stop_sequences"] = evil, object{"user_id": evil}, list{evil}
		more["tools"] = list{object{"name": evil, "description": evil, "input_schema": schema}}
		more["messages"] = list{object{"role": "user", "content": evil}}
	case "chat":
		more["user"], more["stop"] = evil, list{evil}
		more["tools"] = list{object{"type": "function", "function": object{"name": evil, "description": evil,
			"parameters": schema}}}
		more["messages"] = list{object{"role": "user", "name": evil, "content": evil}}
	case "responses":
		more["instructions"], more["user"], more["input"] = evil, evil, evil
		more["metadata"] = object{evil: evil}
		more["tools"] = list{object{"type": "function", "name": evil, "parameters": schema, "strict": false}}
	}
	return withSurrogates(smallestOf(client, more))
}

// injected returns a deployment with the endpoint anna, with store, usage and reports.
func injected(t *testing.T, protocol string) (d *deployment, key string) {
	d = deploy(t, nil)
	key = d.tenant("anna", object{"options": object{"store": "on", "lossy": "report"}, "usage": true,
		"upstreams": list{upstreamObject(protocol, "up.test",
			object{"key": "sk-of-the-upstream"})}}).get("key").Str
	return d, key
}

// reportsAreLines requires that each report is one JSON object in one line, without members of a
// client or an upstream.
func (d *deployment) reportsAreLines() {
	d.t.Helper()
	lines := strings.Split(strings.TrimSuffix(d.reports(), "\n"), "\n")
	require.Len(d.t, lines, len(d.outcomes))
	for _, line := range lines {
		require.True(d.t, json.Valid([]byte(line)) && line[0] == '{', line)
		require.False(d.t, gjson.Get(line, "evil").Exists() || gjson.Get(line, "id").Str == "evil", line)
	}
}

// TestEvilTexts has evil texts in requests of clients, and in answers and errors of upstreams.
func TestEvilTexts(t *testing.T) {
	t.Parallel()
	for _, protocol := range clientProtocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // the bubble's clock makes pauses between events free
				d, key := injected(t, protocol)
				for _, client := range clientProtocols {
					for _, stream := range []bool{false, true} {
						shapes := map[string]bool{}
						send := func(what, body string) string {
							t.Helper()
							a := d.ask("POST", "/u/anna"+paths[client], body, bearer(key))
							return harmless(t, a, what+" of "+client+": "+a.text())
						}
						plainly := smallestOf(client, object{"stream": stream})
						for _, evil := range append([]string{"plain"}, evils...) {
							d.upstreams["up.test"] = evilAnswer(protocol, evil)
							shapes[send("an answer", plainly)] = true
							d.upstreams["up.test"] = says(400,
								withSurrogates(encoded(object{"error": object{"type": evil, "message": evil,
									"code": evil, "param": evil}, "request_id": evil})))
							send("an error", plainly)
							d.upstreams["up.test"] = speaks(protocol)
							send("a request", evilRequest(client, evil, stream))
						}
						if client != protocol {
							require.Len(t, shapes, 1, "%v", shapes)
						}
					}
				}
				require.Greater(t, len(d.asked), 200)
				for _, asked := range d.asked {
					require.Equal(t, paths[protocol], asked.URL.RequestURI())
					require.Empty(t, asked.Header.Get("X-Evil"))
					require.True(t, json.Valid([]byte(asked.body)), asked.body)
				}
				d.reportsAreLines()
				// an injected statement would have dropped the table
				require.NotEmpty(t, d.rows("endpoint:anna", "SELECT id FROM responses"))
			})
		})
	}
}

// TestEvilPlaces has evil texts in headers, in paths and in settings.
func TestEvilPlaces(t *testing.T) {
	t.Parallel()
	d, key := injected(t, "chat")
	answers := func(r *sent) *reply {
		if r.Method == "GET" {
			return says(404, `{"error":{"message":"none"}}`)(r)
		}
		return speaks("chat")(r)
	}
	d.upstreams["up.test"] = answers
	send := func(what, method, path, body string, headers ...string) *answer {
		t.Helper()
		a := d.ask(method, path, body, headers...)
		harmless(t, a, what+": "+a.text())
		return a
	}
	for _, evil := range evils {
		escaped := url.PathEscape(strings.ReplaceAll(evil, surrogate, ""))
		// Only characters that are valid in headers. Servers refuse others before the program.
		latin := regexp.MustCompile(`[^\t\x20-\x7e\x80-\xff]`).ReplaceAllString(evil, "\x85")
		for _, headers := range [][]string{{"X-Request-Id"}, {"X-Request-Id", "Request-Id"},
			{"Anthropic-Version", "Anthropic-Beta", "Openai-Beta"}, {"User-Agent", "Idempotency-Key"},
			{"Accept", "Content-Type", "X-Stainless-A"}} {
			lines := []string{bearer(key)}
			for _, name := range headers {
				lines = append(lines, name+": "+latin)
			}
			for _, client := range clientProtocols {
				send("headers", "POST", "/u/anna"+paths[client], smallestOf(client, nil), lines...)
			}
		}
		for _, path := range []string{"/v1/models/" + escaped, "/v1/models/a?after=" + url.QueryEscape(evil),
			"/v1/" + escaped, "/v1/responses/" + escaped, "/v1/responses/" + escaped + "/input_items"} {
			send(path, "GET", "/u/anna"+path, "", bearer(key))
		}
	}
	for _, asked := range d.asked {
		require.Empty(t, asked.Header.Get("X-Evil"))
		require.Regexp(t, `^/v1/[\x21-\x7e]*$`, asked.URL.RequestURI())
	}
	for _, evil := range evils {
		up := func(more object) object {
			return object{"upstreams": list{upstreamObject("chat", "up.test",
				more)}}
		}
		created := func(name string, record object) object { record["name"] = name; return record }
		escaped := url.PathEscape(strings.ReplaceAll(evil, surrogate, ""))
		for _, change := range []struct {
			method, path string
			body         object
		}{
			{"POST", "", created("a"+evil, up(nil))},
			{"POST", "", created("new", up(object{"name": "a" + evil}))},
			{"PATCH", "/anna", up(object{"headers": object{"x-a": "a" + evil}})},
			{"PATCH", "/anna", up(object{"headers": object{"x-a" + evil: "a"}})},
			{"PATCH", "/anna", up(object{"key": "a" + evil})},
			{"PATCH", "/anna", up(object{"url": "https://up.test/v1/" + evil})},
			{"PATCH", "/anna", up(object{"models": object{evil: evil}})},
			{"PATCH", "/anna", object{"limits": object{"models": list{evil}}}},
			{"POST", "/anna/keys", object{"label": evil}},
			{"GET", "/" + escaped, nil},
			{"DELETE", "/anna/keys/" + escaped, nil},
		} {
			body := ""
			if change.body != nil {
				body = withSurrogates(encoded(change.body))
			}
			what := change.method + " " + change.path + " " + body
			a := send(what, change.method, endpoints+change.path, body, bearer(adminKey))
			require.Less(t, a.Code, 500, "%s: %s", what, a.text())
			switch {
			case a.Code >= 300:
			case change.body["limits"] != nil:
				require.Equal(t, 200, d.admin("PATCH", "/endpoints/anna", `{"limits":null}`).Code)
			case a.Code == 201:
				all := a.get("keys").Array()
				require.Equal(t, 200, d.admin("DELETE",
					"/endpoints/anna/keys/"+all[len(all)-1].Get("id").Str, "").Code)
			default: // an accepted text reaches the upstream as one header, and in one path
				before := len(d.asked)
				send(what, "POST", "/u/anna/v1/chat/completions", chatBody, bearer(key))
				for _, asked := range d.asked[before:] {
					require.Equal(t, http.MethodPost, asked.Method, what)
					require.Empty(t, asked.Header.Get("X-Evil")+asked.Header.Get("Set-Cookie"), what)
				}
			}
		}
	}
	require.Greater(t, len(d.outcomes), 400)
	d.reportsAreLines()
	require.NotEmpty(t, d.rows("endpoint:anna", "SELECT id FROM responses"))
}
