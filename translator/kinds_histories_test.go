package translator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"

	"edgelingua/wasmtest/corpus"
)

// messages has the beginning and the end of a client's request, and messages that it can have in any
// order.
type messages struct {
	begin, end string
	list       []string
}

// histories has the messages of each client: the user's, the system's, the assistant's, calls with and
// without ids, thoughts with and without a signature, and results.
var histories = map[string]messages{
	"anthropic": {`{"model":"m","max_tokens":99,"messages":[`, `]}`, []string{
		`{"role":"user","content":"u"}`, `{"role":"system","content":"s"}`, `{"role":"assistant","content":"a"}`,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"sig"},` +
			`{"type":"tool_use","id":"c1","name":"f","input":{}}]}`,
		`{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"tool_use","id":"c1","name":"f",` +
			`"input":{"a":1}},{"type":"tool_use","id":"c2","name":"g","input":{}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r1"}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","is_error":true,"content":[{"type":` +
			`"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},{"type":"text","text":"v"}]}`,
		`{"role":"assistant","content":[{"type":"redacted_thinking","data":"d"},{"type":"thinking",` +
			`"thinking":"q","signature":""},{"type":"text","text":""}]}`}},
	"chat": {`{"model":"m","messages":[`, `]}`, []string{
		`{"role":"user","content":"u"}`, `{"role":"developer","content":"s"}`, `{"role":"assistant","content":"a"}`,
		`{"role":"assistant","content":null,"reasoning_content":"t","tool_calls":[{"id":"c1","type":"function",` +
			`"function":{"name":"f","arguments":"{}"}}]}`,
		`{"role":"assistant","content":"b","tool_calls":[{"id":"c1","type":"function","function":{"name":"f",` +
			`"arguments":"{\"a\":1}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":""}}]}`,
		`{"role":"tool","tool_call_id":"c1","content":"r1"}`,
		`{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"r2"}]}`,
		`{"role":"user","content":[{"type":"text","text":"v"},{"type":"image_url","image_url":` +
			`{"url":"data:image/png;base64,aGk="}}]}`,
		`{"role":"assistant","content":"","function_call":{"name":"f","arguments":"{}"}}`,
		`{"role":"function","name":"f","content":"r0"}`}},
	"responses": {`{"model":"m","input":[`, `]}`, []string{
		`{"role":"user","content":"u"}`, `{"role":"developer","content":"s"}`,
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}`,
		`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"e"}`,
		`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`,
		`{"type":"custom_tool_call","call_id":"c2","name":"g","input":"x"}`,
		`{"type":"function_call_output","call_id":"c1","output":"r1"}`,
		`{"type":"custom_tool_call_output","call_id":"c2","output":"r2"}`,
		`{"type":"function_call_output","call_id":"c1","output":[{"type":"input_image",` +
			`"image_url":"data:image/png;base64,aGk="}]}`}},
	"gemini": {`{"contents":[`, `]}`, []string{
		`{"role":"user","parts":[{"text":"u"}]}`, `{"role":"model","parts":[{"text":"a"}]}`,
		`{"role":"model","parts":[{"text":"t","thought":true},{"functionCall":{"name":"f","args":{}},` +
			`"thoughtSignature":"c2ln"}]}`,
		`{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{"a":1}}},{"functionCall":` +
			`{"name":"g"}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r0"}}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"g","response":{"error":"e"}}},{"text":"v"}]}`,
		`{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"r1"}}},` +
			`{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}`,
		`{"role":"model","parts":[{"text":"","thoughtSignature":"ZW5k"}]}`}},
	"interactions": {`{"model":"m","input":[`, `]}`, []string{
		`{"type":"user_input","content":[{"type":"text","text":"u"}]}`,
		`{"type":"model_output","content":[{"type":"text","text":"a"}]}`,
		`{"type":"thought","signature":"c2ln","summary":[{"type":"text","text":"t"}]}`,
		`{"type":"function_call","id":"c1","name":"f","arguments":{}}`,
		`{"type":"function_call","id":"c2","name":"g","arguments":{"a":1}}`,
		`{"type":"function_result","call_id":"c1","name":"f","result":"r1"}`,
		`{"type":"function_result","call_id":"c2","name":"g","is_error":true,"result":{"a":2}}`}},
}

// orders calls each with the orders of at most three of n things, and with every seventh of four.
func orders(n int, each func(order []int)) {
	count := 0
	var extend func(order []int)
	extend = func(order []int) {
		if count++; len(order) == 4 && count%7 != 0 {
			return
		}
		if len(order) > 0 {
			each(order)
		}
		for i := 0; i < n && len(order) < 4; i++ {
			extend(append(order[:len(order):len(order)], i))
		}
	}
	extend(nil)
}

// TestHistories sends messages of a client in all orders to each upstream. The files
// testdata/kinds/*.histories.txt have a digest of all that came of those that begin with the same two
// messages.
func TestHistories(t *testing.T) {
	for client, m := range histories {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			e := effects{}
			orders(len(m.list), func(order []int) {
				var list []string
				for _, i := range order {
					list = append(list, m.list[i])
				}
				body := m.begin + strings.Join(list, ",") + m.end
				digest := e.digestOf(fmt.Sprint(order[:min(len(order), 2)]))
				for i, upstream := range protocols {
					pair, _ := translator.Lookup(client, upstream)
					x, err := pair.Decode(corpus.Path(client, "m", false), []byte(body))
					if err != nil {
						fmt.Fprintln(digest, order, err)
						continue
					}
					x.Request.Received = corpus.Received
					out, err := x.AppendRequest(nil, &targets[(len(order)+i)%len(targets)])
					fmt.Fprintln(digest, order, string(out), x.Lost.Paths(), err)
				}
			})
			e.check(t, client+".histories.txt")
		})
	}
}

// spokenEvents has the events of each upstream's streams: the first, those that come in any order, and
// the last.
var spokenEvents = map[string]messages{
	"chat": {`{"id":"i","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`, "[DONE]",
		[]string{
			`{"choices":[{"index":0,"delta":{"content":"a"}}]}`,
			`{"choices":[{"index":0,"delta":{"reasoning_content":"t"}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f",` +
				`"arguments":""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"c2","function":{"name":"g",` +
				`"arguments":"{\"a\":"}},{"index":1,"function":{"arguments":"1}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"d","id":"r1",` +
				`"index":0}]}}]}`,
			`{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"e","id":"r2",` +
				`"signature":"s","index":1}]}}]}`,
			`{"choices":[{"index":0,"delta":{"refusal":"no"}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
			`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}`,
			`{"error":{"message":"bad","code":500}}`}},
	"anthropic": {`{"type":"message_start","message":{"id":"i","model":"m","usage":{"input_tokens":5,"output_tokens":1}}}`,
		`{"type":"message_stop"}`, []string{
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"t","signature":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c1","name":"f",` +
				`"input":{}}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`,
			`{"type":"content_block_stop","index":0}`, `{"type":"content_block_stop","index":1}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`,
			`{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`, `{"type":"ping"}`}},
	"responses": {`{"type":"response.created","response":{"id":"i","model":"m","status":"in_progress","output":[]}}`,
		`{"type":"response.completed","response":{"id":"i","model":"m","status":"completed","output":[],` +
			`"usage":{"input_tokens":5,"output_tokens":2,"total_tokens":7}}}`, []string{
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m1",` +
				`"role":"assistant","content":[]}}`,
			`{"type":"response.output_text.delta","output_index":0,"content_index":0,"item_id":"m1","delta":"a"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m1",` +
				`"role":"assistant","content":[{"type":"output_text","text":"a"}]}}`,
			`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"f1",` +
				`"call_id":"c1","name":"f","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","output_index":1,"item_id":"f1","delta":"{}"}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"f1",` +
				`"call_id":"c1","name":"f","arguments":"{}"}}`,
			`{"type":"response.output_item.added","output_index":2,"item":{"type":"reasoning","id":"rs","summary":[]}}`,
			`{"type":"response.reasoning_summary_text.delta","output_index":2,"summary_index":0,"delta":"t"}`,
			`{"type":"response.output_item.done","output_index":2,"item":{"type":"reasoning","id":"rs","summary":` +
				`[{"type":"summary_text","text":"t"}],"encrypted_content":"e"}}`,
			`{"type":"response.incomplete","response":{"id":"i","status":"incomplete","incomplete_details":` +
				`{"reason":"max_output_tokens"}}}`,
			`{"type":"response.failed","response":{"id":"i","status":"failed","error":{"code":"server_error",` +
				`"message":"bad"}}}`,
			`{"type":"error","code":"rate_limit_exceeded","message":"slow"}`}},
	"gemini": {`{"responseId":"i","modelVersion":"m","candidates":[{"index":0,"content":{"role":"model","parts":[]}}]}`,
		`{"candidates":[{"index":0,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,` +
			`"candidatesTokenCount":2,"totalTokenCount":7}}`, []string{
			`{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}`,
			`{"candidates":[{"content":{"parts":[{"text":"t","thought":true}]}}]}`,
			`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}},` +
				`"thoughtSignature":"c2ln"}]}}]}`,
			`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"g","id":"c2"}}]}}]}`,
			`{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"ZW5k"}]}}]}`,
			`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"h","willContinue":true,"partialArgs":` +
				`[{"jsonPath":"$.b","stringValue":"x","willContinue":true}]}}]}}]}`,
			`{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.b",` +
				`"stringValue":"y"}]}}]}}]}`,
			`{"candidates":[{"finishReason":"MAX_TOKENS"}]}`, `{"candidates":[{"finishReason":"SAFETY"}]}`,
			`{"candidates":[{"content":{"parts":[{"text":"b"}]},"groundingMetadata":{"groundingChunks":[{"web":` +
				`{"uri":"https://e.com","title":"E"}}],"groundingSupports":[{"segment":{"startIndex":0,"endIndex":1,` +
				`"text":"a"},"groundingChunkIndices":[0]}]}}]}`,
			`{"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}}`}},
	"interactions": {`{"event_type":"interaction.created","interaction":{"id":"i","model":"m","status":"in_progress"}}`,
		`{"event_type":"interaction.completed","interaction":{"id":"i","status":"completed","usage":` +
			`{"total_input_tokens":5,"total_output_tokens":2}}}`, []string{
			`{"event_type":"step.start","index":0,"step":{"type":"model_output"}}`,
			`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"a"}}`,
			`{"event_type":"step.stop","index":0}`,
			`{"event_type":"step.start","index":1,"step":{"type":"function_call","id":"c1","name":"f"}}`,
			`{"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"{\"a\":1}"}}`,
			`{"event_type":"step.stop","index":1}`,
			`{"event_type":"step.start","index":2,"step":{"type":"thought"}}`,
			`{"event_type":"step.delta","index":2,"delta":{"type":"thought_summary","content":{"type":"text",` +
				`"text":"t"}}}`,
			`{"event_type":"step.delta","index":2,"delta":{"type":"thought_signature","signature":"c2ln"}}`,
			`{"event_type":"step.stop","index":2}`,
			`{"event_type":"error","error":{"code":"unavailable","message":"busy"}}`}},
}

// TestStreamsInAnyOrder streams the events of an upstream in all orders to each client. The files
// testdata/kinds/*.streams.txt have a digest of all that came of those that begin with the same two
// events.
func TestStreamsInAnyOrder(t *testing.T) {
	for upstream, m := range spokenEvents {
		t.Run(upstream, func(t *testing.T) {
			t.Parallel()
			e := effects{}
			event := func(data string) string {
				name := ""
				if upstream == "anthropic" || upstream == "responses" {
					name, _, _ = strings.Cut(strings.TrimPrefix(data, `{"type":"`), `"`)
					name = "event: " + name + "\n"
				}
				return name + "data: " + data + "\n\n"
			}
			orders(len(m.list), func(order []int) {
				stream := event(m.begin)
				for _, i := range order {
					stream += event(m.list[i])
				}
				stream += event(m.end)
				digest := e.digestOf(fmt.Sprint(order[:min(len(order), 2)]))
				for i, client := range protocols {
					pair, _ := translator.Lookup(client, upstream)
					x, err := pair.Decode(corpus.Path(client, "m", true), []byte(asksStream[client]))
					require.NoError(t, err)
					x.Request.Received, x.AskUsage = corpus.Received, true
					_, err = x.AppendRequest(nil, &targets[(len(order)+i)%len(targets)])
					require.NoError(t, err)
					out := pushed(x, []byte(stream), len(stream))
					fmt.Fprintln(digest, order, string(out), x.Lost.Paths(), x.Usage, x.Failed,
						x.OutputTokens("m"))
				}
			})
			e.check(t, upstream+".streams.txt")
		})
	}
}

// asksStream has a request for a stream, by client.
var asksStream = map[string]string{
	"anthropic":    `{"model":"m","max_tokens":99,"stream":true,"thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"u"}]}`,
	"chat":         `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"u"}]}`,
	"responses":    `{"model":"m","stream":true,"include":["reasoning.encrypted_content"],"input":"u"}`,
	"gemini":       `{"contents":[{"parts":[{"text":"u"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`,
	"interactions": `{"model":"m","stream":true,"input":"u"}`,
}
