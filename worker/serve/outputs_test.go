package serve_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/vendors"
)

// lookTwice is a turn with two calls.
func lookTwice(protocol string) *vendors.Turn {
	turn := texts("I look.")
	for _, n := range []int{1, 2} {
		turn.Calls = append(turn.Calls, vendors.Call{ID: callID(protocol, n), Name: "get_weather",
			Input: object{"city": fmt.Sprintf(`"%d"`, n)}})
	}
	return turn
}

// outputs returns the outputs of calls.
func outputs(protocol string, calls ...int) string {
	all := list{}
	for _, n := range calls {
		all = append(all, object{"tool_call_id": callID(protocol, n), "output": fmt.Sprintf("result %d", n)})
	}
	return encoded(object{"tool_outputs": all})
}

// resultsOf returns the results of calls in a request to an upstream, as id and text.
func resultsOf(protocol, body string) (all list) {
	switch protocol {
	case "anthropic":
		for _, block := range gjson.Get(body, `messages.#.content|@flatten`).Array() {
			if block.Get("type").Str == "tool_result" {
				text := block.Get("content")
				if text.IsArray() {
					text = text.Get("0.text")
				}
				all = append(all, block.Get("tool_use_id").Str+" "+text.Str)
			}
		}
	case "chat":
		for _, message := range gjson.Get(body, "messages").Array() {
			if message.Get("role").Str == "tool" {
				all = append(all, message.Get("tool_call_id").Str+" "+message.Get("content").Str)
			}
		}
	case "responses":
		for _, item := range gjson.Get(body, "input").Array() {
			if item.Get("type").Str == "function_call_output" {
				all = append(all, item.Get("call_id").Str+" "+item.Get("output").Str)
			}
		}
	case "gemini":
		for _, part := range gjson.Get(body, "contents.#.parts|@flatten").Array() {
			if result := part.Get("functionResponse"); result.Exists() {
				all = append(all, result.Get("id").Str+" "+result.Get("response.output").Str+
					result.Get("response.result").Str)
			}
		}
	}
	return all
}

const outputParams = `{"input":"Weather?","instructions":"Be short.","tool_choice":"required",` +
	`"max_output_tokens":99,"metadata":{"a":"b"}}`

// TestSubmitOutputs continues from a response with the outputs of its calls.
func TestSubmitOutputs(t *testing.T) {
	t.Parallel()
	for _, protocol := range upstreamProtocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, stream bool) {
				s := storingOf(t, protocol,
					map[string]string{"OPTIONS": `{"store":"on","required_action":"on"}`})
				calls := list{}
				for _, n := range []int{1, 2} {
					calls = append(calls, object{"id": callID(protocol, n), "type": "function",
						"function": object{"name": "get_weather",
							"arguments": fmt.Sprintf(`{"city":"\"%d\""}`, n)}})
				}
				action := encoded(object{"type": "submit_tool_outputs",
					"submit_tool_outputs": object{"tool_calls": calls}})
				checkEnd := func(a *answer) gjson.Result {
					frames := a.events(t)
					required, completed := frames[len(frames)-2], frames[len(frames)-1]
					assert.Equal(t, "response.required_action response.completed",
						required.Name+" "+completed.Name)
					assert.JSONEq(t, action, gjson.Get(required.Data, "required_action").Raw)
					assert.JSONEq(t, gjson.Get(required.Data, "response").Raw,
						gjson.Get(completed.Data, "response").Raw)
					return lastResponse(t, a)
				}
				s.upstreams["up.test"] = lenient(protocol, lookTwice(protocol))
				a := s.ask("POST", "/v1/responses",
					streamed(with(`{"model":"some-model","tools":[`+weatherTool+`]}`, outputParams), stream))
				require.Equal(t, 200, a.Code, a.text())
				first := a.get("@this")
				if stream {
					first = checkEnd(a)
				}
				asked := decoded(t, s.last().body)
				assert.Equal(t, "incomplete", first.Get("status").Str)
				assert.Nil(t, first.Get("incomplete_details").Value())
				assert.JSONEq(t, action, first.Get("required_action").Raw)
				path := "/v1/responses/" + first.Get("id").Str
				assert.JSONEq(t, first.Raw, s.retrieve(t, first.Get("id").Str).Raw)
				assert.JSONEq(t, first.Raw, checkEnd(s.ask("GET", path+"?stream=true", "")).Raw)

				s.upstreams["up.test"] = lenient(protocol, texts("Sunny."))
				a = s.ask("POST", path+"/submit_tool_outputs", streamed(outputs(protocol, 2, 1), stream))
				require.Equal(t, 200, a.Code, a.text())
				assert.Equal(t, list{callID(protocol, 1) + " result 1", callID(protocol, 2) + " result 2"},
					resultsOf(protocol, s.last().body))
				again := decoded(t, s.last().body)
				assert.NotEqual(t, list{asked["tool_choice"], asked["toolConfig"]},
					list{again["tool_choice"], again["toolConfig"]}, "a choice that forces a call holds once")
				for _, body := range []object{asked, again} {
					for _, name := range []string{"messages", "input", "contents", "tool_choice",
						"toolConfig"} {
						delete(body, name)
					}
				}
				assert.Equal(t, asked, again)
				second := a.get("@this")
				if stream {
					second = lastResponse(t, a)
				}
				assert.Equal(t, "completed", second.Get("status").Str)
				assert.False(t, second.Get("required_action").Exists())
				assert.Equal(t, first.Get("id").Str, second.Get("previous_response_id").Str)
				id := second.Get("id").Str
				assert.Equal(t, "Sunny.", s.retrieve(t, id).Get("output.0.content.0.text").Str)
				s.refused(t, 400, "waits for no outputs", "POST", "/v1/responses/"+id+"/submit_tool_outputs",
					outputs(protocol, 1))
			})
		})
	}
}

// TestWrongOutputs refuses outputs that do not match the calls.
func TestWrongOutputs(t *testing.T) {
	t.Parallel()
	for _, protocol := range upstreamProtocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := storingOf(t, protocol,
					map[string]string{"OPTIONS": `{"store":"on","required_action":"on"}`})
				path := "/v1/responses/" + s.create(t, lookTwice(protocol), outputParams,
					false).Get("id").Str + "/submit_tool_outputs"
				for _, test := range []struct{ body, message string }{
					{`{}`, `tool_outputs: Outputs of these tool calls are missing: '\w+_1', ` +
						`'\w+_2'|'tool_outputs'`},
					{outputs(protocol, 1), `missing: '\w+_2'\.`},
					{outputs(protocol, 1, 2, 3), `tool_outputs\[2\]\.tool_call_id: .*no tool call '\w+_3'`},
					{outputs(protocol, 1, 1), `tool_outputs\[1\]\.tool_call_id: .*already`},
					{`{"tool_outputs":[{"output":"a"}]}`, `tool_outputs\[0\]\.tool_call_id`},
					{`{"tool_outputs":[{"tool_call_id":"` + callID(protocol, 1) + `"}]}`,
						`tool_outputs\[0\]\.output`},
					{`{"tool_outputs":[{"tool_call_id":"` + callID(protocol, 1) + `","output":7}]}`,
						`tool_outputs\[0\]\.output`},
					{`{"tool_outputs":"a"}`, "tool_outputs"},
					{with(outputs(protocol, 1, 2), `{"model":"m"}`), "'model'|model: Only 'tool_outputs' and"},
				} {
					s.refused(t, 400, test.message, "POST", path, test.body)
				}
				s.refused(t, 404, "not found", "POST", "/v1/responses/"+noResponse+"/submit_tool_outputs",
					outputs(protocol, 1, 2))
				assert.Len(t, s.requests(), 1)
			})
		})
	}
}
