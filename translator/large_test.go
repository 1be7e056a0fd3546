package translator_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/corpus"
)

// longText returns at least n bytes of typical tool output: code, quotes, backslashes, control
// characters, other scripts.
func longText(n int) string {
	const part = "if err != nil {\n\treturn fmt.Errorf(\"%q: \\\\d+ </script>\", \"é世界😀\")\r\n}\x00\x1f\u2028"
	return strings.Repeat(part, n/len(part)+1)
}

// answered has a request of each client with a tool's result: %s, a JSON string.
var answered = map[string]string{
	"anthropic": `{"model":"m","max_tokens":900,"messages":[{"role":"user","content":"x"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":%s}]}],` +
		`"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
	"chat": `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,` +
		`"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"call_1","content":%s}],"tools":[{"type":"function",` +
		`"function":{"name":"f","parameters":{"type":"object"}}}]}`,
	"responses": `{"model":"m","input":[{"role":"user","content":"x"},{"type":"function_call",` +
		`"call_id":"call_1","name":"f","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"call_1","output":%s}],"tools":[{"type":"function",` +
		`"name":"f","parameters":{"type":"object"}}]}`,
	"gemini": `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model",` +
		`"parts":[{"functionCall":{"name":"f","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":%s}}}]}],` +
		`"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT"}}]}]}`,
	"interactions": `{"model":"m","input":[{"type":"user_input","content":[{"type":"text","text":"x"}]},` +
		`{"type":"function_call","id":"c1","name":"f","arguments":{}},` +
		`{"type":"function_result","call_id":"c1","result":%s}],` +
		`"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}]}`,
}

// TestLargeResults sends results of 10 and 100 KB from each client to each upstream, which must get
// every character.
func TestLargeResults(t *testing.T) {
	for _, size := range []int{10 << 10, 100 << 10} {
		result, err := json.Marshal(longText(size))
		require.NoError(t, err)
		for _, client := range protocols {
			for _, upstream := range protocols {
				pair, _ := translator.Lookup(client, upstream)
				x, refused := pair.Decode(corpus.Path(client, "m", false), fmt.Appendf(nil, answered[client],
					result))
				require.Nil(t, refused)
				body, refused := x.AppendRequest(nil, &ir.Target{})
				require.Nil(t, refused)
				require.Empty(t, x.Lost.Paths())
				require.True(t, holds(t, string(body), string(result)), "%s to %s, %d bytes", client,
					upstream, size)
			}
		}
	}
}

// called has each upstream's stream with one call, in three parts: the events before the arguments,
// the event of one piece of the arguments (%s), and the remaining events.
var called = map[string][3]string{
	"anthropic": {
		`{"type":"message_start","message":{"id":"msg_1","model":"m"}}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use",` +
			`"id":"call_1","name":"f","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":%s}}`,
		`{"type":"content_block_stop","index":0}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n" +
			`data: {"type":"message_stop"}`,
	},
	"chat": {
		`{"id":"c","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1",` +
			`"type":"function","function":{"name":"f","arguments":""}}]}}]}`,
		`{"id":"c","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,` +
			`"function":{"arguments":%s}}]}}]}`,
		`{"id":"c","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` +
			"\n\ndata: [DONE]",
	},
	"responses": {
		`{"type":"response.created","response":{"id":"resp_1","model":"m"}}` + "\n\n" +
			`data: {"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1",` +
			`"type":"function_call","call_id":"call_1","name":"f","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":%s}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call",` +
			`"call_id":"call_1","name":"f","arguments":%s}}` + "\n\n" +
			`data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[]}}`,
	},
	"interactions": {
		`{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"call_1","name":"f"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":%s}}`,
		`{"event_type":"interaction.completed","interaction":{"status":"requires_action"}}`,
	},
	"gemini": { // its pieces are of a text, not of JSON
		`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"call_1","name":"f",` +
			`"willContinue":true}}]}}],"responseId":"r1"}`,
		`{"candidates":[{"content":{"role":"model",` +
			`"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.content","stringValue":%s,` +
			`"willContinue":true}],"willContinue":true}}]}}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{}}]},"finishReason":"STOP"}]}`,
	},
}

// TestLargeArguments sends a call with arguments of 100 KB, in pieces of one character to several
// KB, from each upstream to each client, streamed and plain. No event has the size of a chunk, so
// most events are cut.
func TestLargeArguments(t *testing.T) {
	arguments, err := json.Marshal(map[string]string{"content": longText(100 << 10)})
	require.NoError(t, err)
	whole, err := json.Marshal(string(arguments))
	require.NoError(t, err)
	random := rand.New(rand.NewSource(1))
	for _, upstream := range protocols {
		form := called[upstream]
		events := []string{form[0]}
		rest := []rune(string(arguments))
		if upstream == "gemini" {
			rest = []rune(longText(100 << 10))
		}
		for len(rest) > 0 {
			n := min(1+random.Intn(1<<random.Intn(13)), len(rest))
			piece, err := json.Marshal(string(rest[:n]))
			require.NoError(t, err)
			events, rest = append(events, fmt.Sprintf(form[1], piece)), rest[n:]
		}
		stream := []byte("data: " + strings.Join(append(events, strings.ReplaceAll(form[2], "%s",
			string(whole))), "\n\ndata: ") + "\n\n")
		for _, client := range protocols {
			x := ask(t, client, upstream)
			out := pushed(x, stream, 1499)
			answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, out)
			var want digest
			want.call(t, "f", string(arguments))
			require.Equal(t, want, digestOf(t, client, answers.Frames(t, out)), "%s to %s", upstream, client)
			body, failure := x.AppendFolded(nil, stream)
			require.Nil(t, failure)
			if client == "anthropic" || isGoogle(client) {
				require.True(t, holds(t, string(body), string(arguments)))
			} else {
				require.True(t, holds(t, string(body), string(whole)))
			}
		}
	}
}
