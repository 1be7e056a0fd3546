package translator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/corpus"
)

// turn is an answer with reasoning, and the parts of the answer that the upstream's next request
// must contain.
type turn struct {
	name, upstream string
	target         ir.Target
	answer         string
	wanted         []string // JSON values in their required order
}

const signed = `{"type":"thinking","thinking":"Let me\n\"see\" \u00e9","signature":"EvQB+/=="}`

var efforts = []string{"high"}

var turns = []turn{
	{"thinking", "anthropic", ir.Target{Efforts: efforts, Thinking: ir.AdaptiveThinking},
		`{"id":"msg_1","type":"message","role":"assistant","model":"c","content":[` + signed +
			`,{"type":"redacted_thinking","data":"Rm9v+/=="},{"type":"text","text":"Hi"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"b":1,"a":[2.0]}}],
		"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
		[]string{signed, `{"type":"redacted_thinking","data":"Rm9v+/=="}`, `{"type":"text","text":"Hi"}`,
			`{"type":"tool_use","id":"toolu_1","name":"f","input":{"b":1,"a":[2.0]}}`}},
	{"thinking that is not shown", "anthropic", ir.Target{Efforts: efforts, Thinking: ir.AdaptiveThinking},
		`{"id":"msg_1","type":"message","role":"assistant","model":"c","content":[
		{"type":"thinking","thinking":"","signature":"EvQB"},{"type":"tool_use","id":"toolu_1","name":"f","input":{}}],
		"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
		[]string{`{"type":"thinking","thinking":"","signature":"EvQB"}`,
			`{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`}},
	{"thinking once", "anthropic", ir.Target{Efforts: efforts, Thinking: ir.AdaptiveThinking},
		`{"id":"msg_1","type":"message","role":"assistant","model":"c","content":[` + signed +
			`,{"type":"tool_use","id":"toolu_1","name":"f","input":{}}],"stop_reason":"tool_use",` +
			`"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
		[]string{signed, `{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`}},
	{"thinking between calls", "anthropic", ir.Target{Efforts: efforts, Thinking: ir.AdaptiveThinking},
		`{"id":"msg_1","type":"message","role":"assistant","model":"c","content":[` + signed +
			`,{"type":"tool_use","id":"toolu_1","name":"f","input":{}},{"type":"thinking","thinking":"More","signature":"EvQC"},{"type":"tool_use","id":"toolu_2","name":"f","input":{}}],
		"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
		[]string{signed, `{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`,
			`{"type":"thinking","thinking":"More","signature":"EvQC"}`,
			`{"type":"tool_use","id":"toolu_2","name":"f","input":{}}`}},
	{"encrypted", "responses", ir.Target{Efforts: efforts, OpenAI: true},
		`{"id":"resp_1","object":"response","created_at":5,"status":"completed","model":"g","output":[
		{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"I \"see\" \u00e9"}],"encrypted_content":"gAAA_-=="},
		{"id":"rs_2","type":"reasoning","summary":[],"encrypted_content":"gBBB"},
		{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]},
		{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":"{\"b\":1}","status":"completed"}],"usage":null}`,
		[]string{`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text",` +
			`"text":"I \"see\" \u00e9"}],"encrypted_content":"gAAA_-=="}`,
			`{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"gBBB"}`, `"Hi"`, `"call_1"`}},
	{"reasoning_content", "chat", ir.Target{Efforts: efforts, ReasoningEcho: ir.EchoContent},
		`{"id":"c1","object":"chat.completion","created":5,"model":"d","choices":[{"index":0,"finish_reason":"tool_calls","message":
		{"role":"assistant","content":"Hi","reasoning_content":"I \"see\"\n\u00e9","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"b\":1}"}}]}}]}`,
		[]string{`"Hi"`, `"I \"see\"\n\u00e9"`,
			`{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"b\":1}"}}`}},
	{"reasoning_details", "chat", ir.Target{Efforts: efforts, ReasoningEcho: ir.EchoDetails},
		`{"id":"c1","object":"chat.completion","created":5,"model":"d","choices":[{"index":0,"finish_reason":"tool_calls","message":
		{"role":"assistant","content":"Hi","reasoning":"I see","reasoning_details":[{"type":"reasoning.text","text":"I see","signature":"Et8B+/==","format":"x","index":0},{"type":"reasoning.encrypted","data":"Rm9v","id":"r2","format":"x","index":1}],
		"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"b\":1}"}}]}}]}`,
		[]string{`"Hi"`, `{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"b\":1}"}}`,
			`{"type":"reasoning.text","text":"I see","signature":"Et8B+/==","format":"x","index":0}`,
			`{"type":"reasoning.encrypted","data":"Rm9v","id":"r2","format":"x","index":1}`}},
	{"thought_signature", "chat", ir.Target{Efforts: efforts, ReasoningEcho: ir.EchoExtra},
		`{"id":"c1","object":"chat.completion","created":5,"model":"d","choices":[{"index":0,"finish_reason":"tool_calls","message":
		{"role":"assistant","content":"Hi","tool_calls":[{"id":"call_1","type":"function","extra_content":{"google":{"thought_signature":"CiQB+/=="}},"function":{"name":"f","arguments":"{\"b\":1}"}}]}}]}`,
		[]string{`"Hi"`,
			`{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"b\":1}"},` +
				`"extra_content":{"google":{"thought_signature":"CiQB+/=="}}}`}},
}

// firstTurns are requests with a tool and a first message, open at their end.
var firstTurns = map[string]string{
	"anthropic": `{"model":"m","max_tokens":9000,"stream":true,"thinking":{"type":"adaptive"},` +
		`"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"x"}`,
	"chat": `{"model":"m","stream":true,"reasoning_effort":"high","tools":[{"type":"function",` +
		`"function":{"name":"f","parameters":{"type":"object"}}}],"messages":[{"role":"user","content":"x"}`,
	"responses": `{"model":"m","stream":true,"store":false,"reasoning":{"effort":"high"},` +
		`"include":["reasoning.encrypted_content"],"tools":[{"type":"function","name":"f",` +
		`"parameters":{"type":"object"}}],"input":[{"role":"user","content":"x"}`,
	"gemini": `{"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH","includeThoughts":true}},` +
		`"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT"}}]}],` +
		`"contents":[{"role":"user","parts":[{"text":"x"}]}`,
	"interactions": `{"model":"m","stream":true,"generation_config":{"thinking_level":"high",` +
		`"thinking_summaries":"auto"},"tools":[{"type":"function","name":"f",` +
		`"parameters":{"type":"object"}}],` +
		`"input":[{"type":"user_input","content":[{"type":"text","text":"x"}]}`,
}

// TestSecondTurn sends an answer to each client, plain and streamed, and the client's next turn to
// the upstream. The request must contain the upstream's parts unchanged (FAULTS 72 to 79), even if
// a Messages client is not shown the reasoning.
func TestSecondTurn(t *testing.T) {
	const asks = `"thinking":{"type":"adaptive"},`
	for _, turn := range turns {
		for _, client := range append([]string{"unasked", "omitted"}, protocols...) {
			t.Run(turn.upstream+"/"+turn.name+"/"+client, func(t *testing.T) {
				shown, first := true, firstTurns[client]
				switch client {
				case "unasked":
					shown, client, first = false, "anthropic", strings.Replace(firstTurns["anthropic"], asks,
						"", 1)
				case "omitted":
					shown, client, first = false, "anthropic", strings.Replace(firstTurns["anthropic"], asks,
						`"thinking":{"type":"adaptive","display":"omitted"},`, 1)
				}
				pair, _ := translator.Lookup(client, turn.upstream)
				ask := func(messages string) (*translator.Exchange, string) {
					x, refused := pair.Decode(corpus.Path(client, "m", true), []byte(messages+`]}`))
					require.Nil(t, refused)
					body, refused := x.AppendRequest(nil, &turn.target)
					require.Nil(t, refused)
					return x, string(body)
				}
				x, _ := ask(first)
				plain, failure := x.AppendBody(nil, []byte(turn.answer))
				require.Nil(t, failure)
				stream := streamOfBody(x, []byte(turn.answer))
				answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, stream)
				if !shown && turn.upstream != client {
					require.NotContains(t, string(stream), "thinking_delta")
					require.NotRegexp(t, `"thinking": ?"[^"]`, string(plain))
				}
				ways := [][]any{givenBack(t, client, plain), rebuilt(t, client, answers.Frames(t, stream),
					false)}
				if turn.name == "thinking once" {
					ways = append(ways, rebuilt(t, client, answers.Frames(t, stream), true))
				}
				for _, back := range ways {
					messages := first
					for _, m := range back {
						text, err := json.Marshal(m)
						require.NoError(t, err)
						messages += "," + string(text)
					}
					second, body := ask(messages)
					require.Empty(t, second.Lost.Paths())
					require.True(t, json.Valid([]byte(body)), body)
					for _, wanted := range turn.wanted {
						require.True(t, holds(t, body, wanted), "%s\nis not in\n%s\nby\n%s", wanted, body,
							messages)
					}
				}
			})
		}
	}
}

// givenBack returns the messages or items that a client sends back after a plain answer, with
// results of the answer's calls.
func givenBack(t *testing.T, client string, body []byte) []any {
	var answer map[string]any
	require.NoError(t, json.Unmarshal(body, &answer))
	switch client {
	case "anthropic":
		return withResults(client, answer["content"].([]any))
	case "chat":
		return withResults(client, []any{child(answer["choices"].([]any)[0].(map[string]any), "message")})
	case "gemini":
		return withResults(client, []any{child(answer["candidates"].([]any)[0].(map[string]any), "content")})
	case "interactions":
		return withResults(client, answer["steps"].([]any))
	}
	return withResults(client, answer["output"].([]any))
}

// withResults returns the assistant's messages or items in list, and results of the calls among
// them.
func withResults(client string, list []any) (turn []any) {
	var results []any
	calls := list
	switch client {
	case "chat":
		calls, _ = list[0].(map[string]any)["tool_calls"].([]any)
	case "gemini":
		for _, call := range callsIn(list) {
			results = append(results, map[string]any{"functionResponse": map[string]any{"name": call["name"],
				"response": map[string]any{"output": "3"}}})
		}
		return append(list, map[string]any{"role": "user", "parts": results})
	}
	for _, element := range calls {
		switch e := element.(map[string]any); e["type"] {
		case "tool_use":
			results = append(results, map[string]any{"type": "tool_result", "tool_use_id": e["id"],
				"content": "3"})
		case "function":
			results = append(results, map[string]any{"role": "tool", "tool_call_id": e["id"], "content": "3"})
		case "function_call":
			if client == "interactions" {
				results = append(results, map[string]any{"type": "function_result", "call_id": e["id"],
					"name": e["name"], "result": "3"})
				break
			}
			results = append(results, map[string]any{"type": "function_call_output", "call_id": e["call_id"],
				"output": "3"})
		}
	}
	if client == "anthropic" {
		return []any{map[string]any{"role": "assistant", "content": list}, map[string]any{"role": "user",
			"content": results}}
	}
	return append(list, results...)
}

// callsIn returns the calls in a list of Gemini's contents.
func callsIn(list []any) (calls []map[string]any) {
	for _, content := range list {
		parts, _ := content.(map[string]any)["parts"].([]any)
		for _, part := range parts {
			if call := child(part.(map[string]any), "functionCall"); call != nil {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// rebuilt returns the messages or items that a client sends back after a stream, with results of
// the calls.
func rebuilt(t *testing.T, client string, frames []answers.Frame, last bool) []any {
	return withResults(client, toldBack(t, client, frames, last))
}

// toldBack returns the messages or items that a client sends back after a stream: Claude Code sends
// its blocks, Codex the finished items, and Chat clients the message they put together. Most Chat
// clients join texts and lists. With last, only the last value of a member without a type in
// OpenAI's SDK remains, as in that SDK.
func toldBack(t *testing.T, client string, frames []answers.Frame, last bool) []any {
	if client == "interactions" {
		return stepsOf(frames)
	}
	var list []any
	input := ""
	message := map[string]any{"role": "assistant", "content": nil}
	var calls []any
	for _, f := range frames {
		switch f.JSON["type"] {
		case "content_block_start":
			list = append(list, f.JSON["content_block"])
		case "content_block_delta":
			block, delta := list[len(list)-1].(map[string]any), child(f.JSON, "delta")
			for _, key := range []string{"text", "thinking", "signature"} {
				if s := text(delta, key); s != "" {
					block[key] = text(block, key) + s
				}
			}
			input += text(delta, "partial_json")
		case "content_block_stop":
			if input != "" {
				list[len(list)-1].(map[string]any)["input"] = json.RawMessage(input)
			}
			input = ""
		case "response.output_item.done":
			list = append(list, f.JSON["item"])
		}
		// a chat of Google's SDK stores the content of each chunk unchanged
		if candidates, ok := f.JSON["candidates"].([]any); ok {
			list = append(list, child(candidates[0].(map[string]any), "content"))
		}
		choices, _ := f.JSON["choices"].([]any)
		if len(choices) == 0 {
			continue
		}
		delta := child(choices[0].(map[string]any), "delta")
		for _, key := range []string{"content", "reasoning_content"} {
			if s := text(delta, key); s != "" && last && key != "content" {
				message[key] = s
			} else if s != "" {
				message[key] = text(message, key) + s
			}
		}
		if details, ok := delta["reasoning_details"].([]any); ok {
			all, _ := message["reasoning_details"].([]any)
			if last {
				all = nil
			}
			message["reasoning_details"] = append(all, details...)
		}
		pieces, _ := delta["tool_calls"].([]any)
		for _, piece := range pieces {
			p := piece.(map[string]any)
			if p["id"] != nil {
				calls = append(calls, p)
				continue
			}
			function := child(calls[len(calls)-1].(map[string]any), "function")
			function["arguments"] = text(function, "arguments") + text(child(p, "function"), "arguments")
		}
	}
	if client == "chat" {
		if calls != nil {
			message["tool_calls"] = calls
		}
		list = []any{message}
	}
	return list
}

// stepsOf returns the steps that a client of Interactions assembles from a stream.
func stepsOf(frames []answers.Frame) (list []any) {
	for _, f := range frames {
		if f.Name == "step.start" {
			list = append(list, f.JSON["step"])
		}
		if f.Name != "step.delta" {
			continue
		}
		step, delta := list[len(list)-1].(map[string]any), child(f.JSON, "delta")
		add := func(key string, content map[string]any) {
			if parts, ok := step[key].([]any); ok {
				part := parts[0].(map[string]any)
				part["text"] = text(part, "text") + text(content, "text")
			} else {
				step[key] = []any{map[string]any{"type": "text", "text": content["text"]}}
			}
		}
		switch delta["type"] {
		case "text":
			add("content", delta)
		case "thought_summary":
			add("summary", child(delta, "content"))
		case "thought_signature":
			step["signature"] = delta["signature"]
		case "arguments_delta":
			step["arguments"] = json.RawMessage(text(delta, "arguments"))
		}
	}
	return list
}

// holds reports whether the JSON value wanted is anywhere in body.
func holds(t *testing.T, body, wanted string) bool {
	var in, what any
	require.NoError(t, json.Unmarshal([]byte(body), &in))
	require.NoError(t, json.Unmarshal([]byte(wanted), &what))
	return within(in, what)
}

func within(in, what any) bool {
	a, err := json.Marshal(in)
	b, err2 := json.Marshal(what)
	if err != nil || err2 != nil || string(a) == string(b) {
		return err == nil && err2 == nil
	}
	switch v := in.(type) {
	case map[string]any:
		for _, member := range v {
			if within(member, what) {
				return true
			}
		}
	case []any:
		for _, element := range v {
			if within(element, what) {
				return true
			}
		}
	}
	return false
}

// streamOfBody returns a client's whole stream for an upstream's plain body.
func streamOfBody(x *translator.Exchange, body []byte) []byte {
	_, out := x.StreamOfBody(body)
	return out
}
