package translator_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// frame is one event of a client's stream.
type frame struct {
	name string
	data string
	json map[string]any
}

// checkStream holds a client's stream against what the clients of its protocol rely on: whole events, each with one line of
// JSON, in the order of the API.
func checkStream(t *testing.T, client string, stream []byte) {
	frames := framesOf(t, stream)
	switch client {
	case "anthropic":
		checkMessages(t, frames)
	case "chat":
		checkChat(t, frames)
	case "responses":
		checkResponses(t, frames)
	}
}

// framesOf reads a stream of whole events, each with one line of JSON.
func framesOf(t *testing.T, stream []byte) (frames []frame) {
	require.True(t, bytes.HasSuffix(stream, []byte("\n\n")), "%q", stream)
	for _, event := range strings.Split(strings.TrimSuffix(string(stream), "\n\n"), "\n\n") {
		var f frame
		lines := strings.Split(event, "\n")
		if name, ok := strings.CutPrefix(lines[0], "event: "); ok {
			f.name, lines = name, lines[1:]
		}
		require.Len(t, lines, 1, event)
		var ok bool
		f.data, ok = strings.CutPrefix(lines[0], "data: ")
		require.True(t, ok, event)
		if f.data != "[DONE]" {
			require.NoError(t, json.Unmarshal([]byte(f.data), &f.json), f.data)
		}
		frames = append(frames, f)
	}
	return frames
}

// number returns a member that must be a number.
func number(t *testing.T, object map[string]any, key string) int {
	n, ok := object[key].(float64)
	require.True(t, ok, "%s in %v", key, object)
	return int(n)
}

// object returns a member that must be an object.
func object(t *testing.T, in map[string]any, key string) map[string]any {
	o, ok := in[key].(map[string]any)
	require.True(t, ok, "%s in %v", key, in)
	return o
}

// checkMessages holds a stream of the Messages API: message_start, blocks one after the other with indexes from 0, then
// message_delta and message_stop, or at any place an error, and nothing behind it.
func checkMessages(t *testing.T, frames []frame) {
	state, index, kind := "before", 0, ""
	tools := false
	for _, f := range frames {
		require.Equal(t, f.name, f.json["type"])
		require.NotEqual(t, "ended", state, f.data)
		switch f.name {
		case "error":
			require.NotEmpty(t, object(t, f.json, "error")["message"])
			state = "ended"
		case "message_start":
			require.Equal(t, "before", state)
			message := object(t, f.json, "message")
			require.NotEmpty(t, message["id"])
			require.Equal(t, []any{}, message["content"])
			number(t, object(t, message, "usage"), "input_tokens")
			number(t, object(t, message, "usage"), "output_tokens")
			state = "between"
		case "content_block_start":
			require.Equal(t, "between", state, f.data)
			require.Equal(t, index, number(t, f.json, "index"))
			block := object(t, f.json, "content_block")
			kind = block["type"].(string)
			if kind == "tool_use" {
				tools = true
				require.Regexp(t, `^[a-zA-Z0-9_-]+$`, block["id"])
				require.NotEmpty(t, block["name"])
				require.Equal(t, map[string]any{}, block["input"])
			}
			state = "inside"
		case "content_block_delta":
			require.Equal(t, "inside", state)
			require.Equal(t, index, number(t, f.json, "index"))
			delta := object(t, f.json, "delta")["type"].(string)
			require.Contains(t, map[string][]string{
				"text":            {"text_delta", "citations_delta"},
				"thinking":        {"thinking_delta", "signature_delta"},
				"tool_use":        {"input_json_delta"},
				"server_tool_use": {"input_json_delta"},
			}[kind], delta, kind)
		case "content_block_stop":
			require.Equal(t, "inside", state)
			require.Equal(t, index, number(t, f.json, "index"))
			index++
			state = "between"
		case "message_delta":
			require.Equal(t, "between", state)
			stop := object(t, f.json, "delta")["stop_reason"]
			require.Contains(t, []any{"end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal",
				"model_context_window_exceeded"}, stop)
			if tools {
				require.NotEqual(t, "end_turn", stop)
			}
			number(t, object(t, f.json, "usage"), "output_tokens")
			state = "finished"
		case "message_stop":
			require.Equal(t, "finished", state)
			state = "ended"
		default:
			require.Fail(t, "an unknown event", f.name)
		}
	}
	require.Equal(t, "ended", state)
}

// checkChat holds a stream of Chat Completions: chunks with one id, the role in the first, tool calls with dense indexes whose
// id, type and name come once, one finish_reason, then usage where asked for and [DONE]; or an error, and nothing behind it.
func checkChat(t *testing.T, frames []frame) {
	require.NotEmpty(t, frames)
	state, id, calls := "before", any(nil), 0
	for _, f := range frames {
		require.Empty(t, f.name)
		require.NotEqual(t, "ended", state, f.data)
		if f.data == "[DONE]" {
			require.Equal(t, "finished", state)
			state = "ended"
			continue
		}
		if f.json["error"] != nil {
			require.NotEmpty(t, object(t, f.json, "error")["message"])
			require.NotContains(t, f.json, "choices")
			state = "ended"
			continue
		}
		require.Equal(t, "chat.completion.chunk", f.json["object"])
		number(t, f.json, "created")
		require.NotEmpty(t, f.json["id"])
		if state == "before" {
			id = f.json["id"]
		}
		require.Equal(t, id, f.json["id"])
		choices := f.json["choices"].([]any)
		if len(choices) == 0 {
			require.Equal(t, "finished", state)
			usage := object(t, f.json, "usage")
			require.Equal(t, number(t, usage, "prompt_tokens")+number(t, usage, "completion_tokens"), number(t, usage, "total_tokens"))
			continue
		}
		require.Len(t, choices, 1)
		choice := choices[0].(map[string]any)
		require.Equal(t, 0, number(t, choice, "index"))
		delta := object(t, choice, "delta")
		if state == "before" {
			require.Equal(t, "assistant", delta["role"])
			state = "open"
		} else {
			require.NotContains(t, delta, "role")
		}
		require.Equal(t, "open", state, f.data)
		list, _ := delta["tool_calls"].([]any)
		for _, element := range list {
			call := element.(map[string]any)
			kind := "function"
			if call["type"] == "custom" {
				kind = "custom"
			}
			if index := number(t, call, "index"); index == calls {
				calls++
				require.NotEmpty(t, call["id"])
				require.Equal(t, kind, call["type"])
				require.NotEmpty(t, object(t, call, kind)["name"])
			} else {
				require.Equal(t, calls-1, index)
				require.NotContains(t, call, "id")
				require.NotContains(t, call, "type")
			}
		}
		if finish := choice["finish_reason"]; finish != nil {
			require.Contains(t, []any{"stop", "length", "tool_calls", "content_filter", "function_call"}, finish)
			if calls > 0 {
				require.NotEqual(t, "stop", finish)
			}
			state = "finished"
		}
	}
	require.Equal(t, "ended", state)
}

// checkResponses holds a stream of the Responses API: response.created and in_progress, items one after the other, each with its
// family of events and its deltas adding up to what is said to be done, then one terminal event whose output is what came. A
// failure is an error event followed by response.failed.
func checkResponses(t *testing.T, frames []frame) {
	var id, created any
	var item map[string]any // the open one
	var output []any
	gathered := map[string]string{} // of the open item: what its deltas added up to, still escaped
	state, sequence := "before", 0
	for _, f := range frames {
		require.Equal(t, f.name, f.json["type"])
		require.NotEqual(t, "ended", state, f.data)
		require.Equal(t, sequence, number(t, f.json, "sequence_number"))
		sequence++
		if state == "error" {
			require.Equal(t, "response.failed", f.name)
		}
		if r, ok := f.json["response"].(map[string]any); ok {
			if id == nil {
				id, created = r["id"], r["created_at"]
			}
			require.Equal(t, id, r["id"])
			require.Equal(t, created, r["created_at"])
			for _, key := range []string{"id", "object", "created_at", "status", "error", "incomplete_details", "instructions", "metadata",
				"model", "output", "parallel_tool_calls", "temperature", "tool_choice", "tools", "top_p", "usage"} {
				require.Contains(t, r, key)
			}
		}
		if f.json["output_index"] != nil {
			require.Equal(t, len(output), number(t, f.json, "output_index"), f.data)
		}
		if f.json["item_id"] != nil {
			require.NotNil(t, item, f.data)
			require.Equal(t, item["id"], f.json["item_id"])
		}
		switch f.name {
		case "response.created":
			require.Equal(t, "before", state)
			state = "created"
		case "response.in_progress":
			require.Equal(t, "created", state)
			state = "open"
		case "response.output_item.added":
			require.Equal(t, "open", state)
			require.Nil(t, item)
			item = object(t, f.json, "item")
			require.NotEmpty(t, item["id"])
			gathered = map[string]string{}
		case "response.output_item.done":
			require.NotNil(t, item)
			done := object(t, f.json, "item")
			require.Equal(t, item["id"], done["id"])
			require.Equal(t, item["type"], done["type"])
			for field, member := range map[string]string{"function_call": "arguments", "custom_tool_call": "input"} {
				if done["type"] == field && item[member] != done[member] { // else it came whole
					require.Equal(t, unescaped(t, gathered[field]), done[member])
				}
			}
			output, item = append(output, done), nil
		case "response.function_call_arguments.delta":
			require.Equal(t, "function_call", item["type"])
			gathered["function_call"] += escapedDelta(t, f)
		case "response.function_call_arguments.done":
			require.Equal(t, unescaped(t, gathered["function_call"]), f.json["arguments"])
		case "response.custom_tool_call_input.delta":
			require.Equal(t, "custom_tool_call", item["type"])
			gathered["custom_tool_call"] += escapedDelta(t, f)
		case "response.custom_tool_call_input.done":
			require.Equal(t, unescaped(t, gathered["custom_tool_call"]), f.json["input"])
		case "response.output_text.delta":
			gathered["text"] += escapedDelta(t, f)
		case "response.output_text.done":
			require.Equal(t, unescaped(t, gathered["text"]), f.json["text"])
		case "response.refusal.delta":
			gathered["refusal"] += escapedDelta(t, f)
		case "response.refusal.done":
			require.Equal(t, unescaped(t, gathered["refusal"]), f.json["refusal"])
		case "response.reasoning_summary_text.delta":
			number(t, f.json, "summary_index")
			gathered["summary"] += escapedDelta(t, f)
		case "response.reasoning_summary_text.done":
			require.Equal(t, unescaped(t, gathered["summary"]), f.json["text"])
		case "response.content_part.added", "response.content_part.done", "response.output_text.annotation.added":
			number(t, f.json, "content_index")
		case "response.reasoning_summary_part.added", "response.reasoning_summary_part.done":
			number(t, f.json, "summary_index")
		case "response.web_search_call.in_progress", "response.web_search_call.searching", "response.web_search_call.completed":
			require.Equal(t, "web_search_call", item["type"])
		case "error":
			require.NotEmpty(t, f.json["message"])
			state = "error"
		case "response.failed":
			require.Equal(t, "error", state)
			require.Equal(t, "failed", object(t, f.json, "response")["status"])
			require.NotEmpty(t, object(t, object(t, f.json, "response"), "error")["message"])
			state = "ended"
		case "response.completed", "response.incomplete":
			require.Equal(t, "open", state)
			require.Nil(t, item)
			r := object(t, f.json, "response")
			require.Equal(t, "response."+r["status"].(string), f.name)
			if len(output) == 0 {
				output = []any{}
			}
			require.Equal(t, output, r["output"])
			state = "ended"
		default:
			require.Fail(t, "an unknown event", f.name)
		}
	}
	require.Equal(t, "ended", state)
}

// escapedDelta returns the delta of an event as it is written: one of two may hold half a surrogate pair.
func escapedDelta(t *testing.T, f frame) string {
	var event struct{ Delta json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(f.data), &event))
	require.True(t, len(event.Delta) >= 2 && event.Delta[0] == '"', f.data)
	return string(event.Delta[1 : len(event.Delta)-1])
}

func unescaped(t *testing.T, text string) (s string) {
	require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &s))
	return s
}
