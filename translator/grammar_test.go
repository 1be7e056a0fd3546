package translator_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
)

// frame is one event of a client's stream.
type frame struct {
	name string
	data string
	json map[string]any
}

// checkStream checks the stream that the client of x got: whole events with one line of JSON each, in the order of the API, with
// all members that the types of the SDKs demand and no others.
func checkStream(t *testing.T, x *translator.Exchange, stream []byte) {
	frames := framesOf(t, stream)
	switch x.Request.API.Name {
	case "anthropic":
		checkMessages(t, frames)
	case "chat":
		checkChat(t, x.Request.StreamUsage, frames)
	case "responses":
		checkResponses(t, frames)
	case "gemini":
		checkGemini(t, frames)
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
		if n := len(frames); !ok && n > 0 && frames[n-1].data == f.data {
			continue // Gemini's errors stand once more behind the stream, as what is no event
		}
		require.True(t, ok, event)
		if f.data != "[DONE]" {
			require.NoError(t, json.Unmarshal([]byte(f.data), &f.json), f.data)
		}
		frames = append(frames, f)
	}
	return frames
}

// number returns the member key, which must be an integer.
func number(t *testing.T, object map[string]any, key string) int {
	n, ok := object[key].(float64)
	require.True(t, ok, "%s in %v", key, object)
	return int(n)
}

// object returns the member key, which must be an object.
func object(t *testing.T, in map[string]any, key string) map[string]any {
	o, ok := in[key].(map[string]any)
	require.True(t, ok, "%s in %v", key, in)
	return o
}

// checkMessages checks a stream of Messages: message_start, then blocks one after the other with indexes from 0, then
// message_delta and message_stop. An error event may stand at any place, with nothing behind it.
func checkMessages(t *testing.T, frames []frame) {
	state, index, kind := "before", 0, ""
	var calls []any
	signed := false
	for _, f := range frames {
		require.Equal(t, f.name, f.json["type"])
		require.NotEqual(t, "ended", state, f.data)
		require.NotEqual(t, "ping", f.name)
		fits(t, messagesShapes, f.name, f.json)
		switch f.name {
		case "error":
			fault := object(t, f.json, "error")
			fits(t, messagesShapes, "fault", fault)
			require.NotEmpty(t, fault["message"])
			state = "ended"
		case "message_start":
			require.Equal(t, "before", state)
			message, usage := object(t, f.json, "message"), object(t, object(t, f.json, "message"), "usage")
			fits(t, messagesShapes, "message", message)
			fits(t, messagesShapes, "start usage", usage)
			require.Equal(t, []any{"message", "assistant", []any{}, nil, nil},
				[]any{message["type"], message["role"], message["content"], message["stop_reason"], message["stop_sequence"]})
			require.Regexp(t, `^msg_.`, message["id"])
			checkCounts(t, usage)
			state = "between"
		case "content_block_start":
			require.Equal(t, "between", state, f.data)
			require.Equal(t, index, number(t, f.json, "index"))
			block := object(t, f.json, "content_block")
			kind, signed = block["type"].(string), false
			switch kind {
			case "text":
				require.Empty(t, block["text"])
			case "thinking":
				require.Empty(t, block["thinking"])
				require.Empty(t, block["signature"])
			case "redacted_thinking":
				require.NotEmpty(t, block["data"])
			case "tool_use":
				require.Regexp(t, `^[a-zA-Z0-9_-]+$`, block["id"])
				require.NotContains(t, calls, block["id"])
				require.NotEmpty(t, block["name"])
				require.Equal(t, map[string]any{}, block["input"])
				calls = append(calls, block["id"])
			}
			if _, ok := messagesShapes[kind]; ok { // other kinds of blocks are as the upstream, which speaks Messages too, sent them
				fits(t, messagesShapes, kind, block)
			}
			state = "inside"
		case "content_block_delta":
			require.Equal(t, "inside", state)
			require.Equal(t, index, number(t, f.json, "index"))
			delta := object(t, f.json, "delta")
			piece := delta["type"].(string)
			require.Contains(t, map[string][]string{
				"text":            {"text_delta", "citations_delta"},
				"compaction":      {"compaction_delta"},
				"thinking":        {"thinking_delta", "signature_delta"},
				"tool_use":        {"input_json_delta"},
				"server_tool_use": {"input_json_delta"},
				"mcp_tool_use":    {"input_json_delta"},
			}[kind], piece, kind)
			fits(t, messagesShapes, piece, delta)
			require.False(t, signed, "a delta behind the signature: %s", f.data)
			signed = piece == "signature_delta"
			if citation, ok := delta["citation"].(map[string]any); ok && citation["type"] == "web_search_result_location" {
				fits(t, messagesShapes, "web_search_result_location", citation)
				require.IsType(t, "", citation["title"], "the AI SDK demands it")
			}
		case "content_block_stop":
			require.Equal(t, "inside", state)
			require.Equal(t, index, number(t, f.json, "index"))
			index++
			state = "between"
		case "message_delta":
			require.Equal(t, "between", state)
			end, usage := object(t, f.json, "delta"), object(t, f.json, "usage")
			fits(t, messagesShapes, "end", end)
			fits(t, messagesShapes, "end usage", usage)
			checkCounts(t, usage)
			stop := end["stop_reason"]
			require.Contains(t, []any{"end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal",
				"model_context_window_exceeded", "compaction"}, stop)
			if len(calls) > 0 {
				require.NotEqual(t, "end_turn", stop)
			} else {
				require.NotEqual(t, "tool_use", stop)
			}
			if stop != "stop_sequence" {
				require.Nil(t, end["stop_sequence"])
			}
			state = "finished"
		case "message_stop":
			require.Equal(t, "finished", state)
			state = "ended"
		}
	}
	require.Equal(t, "ended", state)
}

// checkCounts sees that no count of tokens is negative. What is no count is checked by its shape.
func checkCounts(t *testing.T, usage map[string]any) {
	for key, value := range usage {
		switch v := value.(type) {
		case float64:
			require.GreaterOrEqual(t, v, 0.0, key)
		case map[string]any:
			checkCounts(t, v)
		}
	}
}

// checkChat checks a stream of Chat Completions: chunks with one id, the role in the first one, tool calls with dense indexes
// whose id, type and name come once, one finish_reason, then usage if it was asked for, and [DONE]. Or an error, and nothing
// behind it.
func checkChat(t *testing.T, asked bool, frames []frame) {
	require.NotEmpty(t, frames)
	state, counted := "before", false
	var head map[string]any // the members that must be the same in all chunks
	var ids []any
	var arguments []string
	legacy := 0
	for _, f := range frames {
		require.Empty(t, f.name)
		require.NotEqual(t, "ended", state, f.data)
		if f.data == "[DONE]" {
			require.Equal(t, "finished", state)
			state = "ended"
			continue
		}
		if f.json["error"] != nil {
			fits(t, chatShapes, "error", object(t, f.json, "error"))
			require.NotEmpty(t, object(t, f.json, "error")["message"])
			require.Len(t, f.json, 1)
			require.NotEqual(t, "finished", state)
			state = "ended"
			continue
		}
		fits(t, chatShapes, "chunk", f.json)
		require.Equal(t, "chat.completion.chunk", f.json["object"])
		number(t, f.json, "created")
		require.NotEmpty(t, f.json["id"])
		own := map[string]any{"id": f.json["id"], "created": f.json["created"], "model": f.json["model"]}
		if state == "before" {
			head = own
		}
		require.Equal(t, head, own)
		choices := f.json["choices"].([]any)
		if len(choices) == 0 {
			require.Equal(t, "finished", state)
			require.True(t, asked, "usage that was not asked for")
			require.False(t, counted, "usage twice")
			counted = true
			usage := object(t, f.json, "usage")
			fits(t, chatShapes, "usage", usage)
			checkCounts(t, usage)
			require.Equal(t, number(t, usage, "prompt_tokens")+number(t, usage, "completion_tokens"), number(t, usage, "total_tokens"))
			if details, ok := usage["prompt_tokens_details"].(map[string]any); ok {
				fits(t, chatShapes, "prompt", details)
				written, _ := details["cache_write_tokens"].(float64)
				require.LessOrEqual(t, number(t, details, "cached_tokens")+int(written), number(t, usage, "prompt_tokens"))
			}
			if details, ok := usage["completion_tokens_details"].(map[string]any); ok {
				fits(t, chatShapes, "completion", details)
			}
			continue
		}
		usage, has := f.json["usage"]
		require.Equal(t, asked, has, f.data)
		require.Nil(t, usage)
		require.Len(t, choices, 1)
		choice := choices[0].(map[string]any)
		fits(t, chatShapes, "choice", choice)
		require.Equal(t, 0, number(t, choice, "index"))
		delta := object(t, choice, "delta")
		fits(t, chatShapes, "delta", delta)
		if state == "before" {
			require.Equal(t, "assistant", delta["role"])
			state = "open"
		} else {
			require.NotContains(t, delta, "role")
			for _, key := range []string{"content", "refusal", "reasoning_content"} {
				if v, ok := delta[key]; ok {
					require.IsType(t, "", v, f.data)
				}
			}
		}
		require.Equal(t, "open", state, f.data)
		if call, ok := delta["function_call"].(map[string]any); ok {
			require.IsType(t, "", call["arguments"])
			if legacy++; legacy == 1 {
				require.NotEmpty(t, call["name"])
			} else {
				require.NotContains(t, call, "name")
			}
		}
		list, _ := delta["tool_calls"].([]any)
		for _, element := range list {
			call := element.(map[string]any)
			kind, piece := "function", "arguments"
			if call["custom"] != nil {
				kind, piece = "custom", "input"
			}
			callee := object(t, call, kind)
			text, ok := callee[piece].(string)
			require.True(t, ok, f.data)
			if index := number(t, call, "index"); index == len(ids) {
				fits(t, chatShapes, "first call", call)
				require.NotEmpty(t, call["id"])
				require.NotContains(t, ids, call["id"])
				require.Equal(t, kind, call["type"])
				require.NotEmpty(t, callee["name"])
				require.Len(t, callee, 2)
				ids, arguments = append(ids, call["id"]), append(arguments, text)
				if kind == "custom" {
					arguments[index] = "custom"
				}
			} else {
				require.Equal(t, len(ids)-1, index)
				fits(t, chatShapes, "later call", call)
				require.Len(t, callee, 1)
				arguments[index] += text
			}
		}
		if finish := choice["finish_reason"]; finish != nil {
			require.Empty(t, delta)
			require.Contains(t, []any{"stop", "length", "tool_calls", "content_filter", "function_call"}, finish)
			require.Equal(t, finish == "function_call", finish != "length" && finish != "content_filter" && legacy > 0)
			if len(ids) > 0 {
				require.NotEqual(t, "stop", finish)
			} else {
				require.NotEqual(t, "tool_calls", finish)
			}
			state = "finished"
		}
	}
	require.Equal(t, "ended", state)
	for _, text := range arguments[:max(len(arguments)-1, 0)] {
		require.NotEmpty(t, strings.TrimSpace(text), "a call without arguments")
	}
}

// checkResponses checks a stream of Responses: response.created and in_progress, then items one after the other, each with its
// family of events and with deltas that add up to the text in its done events, then one terminal event with the output that came.
// A failure is an error event followed by response.failed. Where the answer was cut its last item is incomplete; a call that was cut
// is in the output alone.
func checkResponses(t *testing.T, frames []frame) {
	var first map[string]any // the response of response.created
	var item map[string]any  // the item that is open
	var output, calls, notes []any
	var parts []any                 // of the open item: the parts of the message that are done
	gathered := map[string]string{} // of the open item, and of a message of its open part: the sum of its deltas, still escaped
	open := map[string]bool{}       // of the open item: the parts that have begun and are not done
	var words any                   // the error of the error event
	state, sequence := "before", 0
	for _, f := range frames {
		require.Equal(t, f.name, f.json["type"])
		require.NotEqual(t, "ended", state, f.data)
		require.Equal(t, sequence, number(t, f.json, "sequence_number"))
		fits(t, responsesShapes, f.name, f.json)
		sequence++
		if state == "error" {
			require.Equal(t, "response.failed", f.name)
		}
		if r, ok := f.json["response"].(map[string]any); ok {
			fits(t, responsesShapes, "response", r)
			if first == nil {
				first = r
			}
			for key := range first {
				switch key {
				case "status", "completed_at", "output", "usage", "error", "incomplete_details", "service_tier":
				default:
					require.Equal(t, first[key], r[key], key)
				}
			}
			require.Equal(t, "response", r["object"])
			number(t, r, "created_at")
			if r["usage"] != nil {
				checkResponseUsage(t, object(t, r, "usage"))
			}
			require.Equal(t, f.name == "response.failed", r["error"] != nil)
			require.Equal(t, f.name == "response.incomplete", r["incomplete_details"] != nil)
		}
		if f.json["output_index"] != nil {
			require.Equal(t, len(output), number(t, f.json, "output_index"), f.data)
		}
		if f.json["item_id"] != nil {
			require.NotNil(t, item, f.data)
			require.Equal(t, item["id"], f.json["item_id"])
		}
		if f.json["content_index"] != nil {
			require.Equal(t, len(parts), number(t, f.json, "content_index"))
		}
		if f.json["summary_index"] != nil {
			require.Equal(t, 0, number(t, f.json, "summary_index"))
		}
		if part, ok := f.json["part"].(map[string]any); ok {
			if part["type"] != "summary_text" {
				fits(t, responsesShapes, "part."+part["type"].(string), part)
			}
		}
		switch f.name {
		case "response.created":
			require.Equal(t, "before", state)
			require.Equal(t, "in_progress", first["status"])
			require.Equal(t, []any{}, first["output"])
			state = "created"
		case "response.in_progress":
			require.Equal(t, "created", state)
			state = "open"
		case "response.output_item.added":
			require.Equal(t, "open", state)
			require.Nil(t, item)
			item = object(t, f.json, "item")
			require.NotEmpty(t, item["id"])
			for _, other := range output {
				require.NotEqual(t, other.(map[string]any)["id"], item["id"])
			}
			checkItem(t, item, "in_progress")
			if item["type"] == "message" {
				require.Equal(t, []any{}, item["content"])
			}
			gathered, open, notes, parts = map[string]string{}, map[string]bool{}, nil, nil
		case "response.output_item.done":
			require.NotNil(t, item)
			done := object(t, f.json, "item")
			require.Equal(t, item["id"], done["id"])
			require.Equal(t, item["type"], done["type"])
			checkItem(t, done, "completed", "incomplete")
			for part := range open {
				require.Fail(t, "not done", "%s of %v", part, done)
			}
			if done["type"] == "function_call" || done["type"] == "custom_tool_call" {
				require.NotEqual(t, "incomplete", done["status"])
			}
			if id := done["call_id"]; id != nil && !strings.HasSuffix(done["type"].(string), "_output") {
				require.NotEmpty(t, id)
				require.NotContains(t, calls, id)
				calls = append(calls, id)
				require.Equal(t, item["call_id"], id)
				require.Equal(t, item["name"], done["name"])
			}
			for field, member := range map[string]string{"function_call": "arguments", "custom_tool_call": "input"} {
				if done["type"] == field && (gathered[field] != "" || done[member] != item[member]) { // an item without deltas came whole
					require.Equal(t, unescaped(t, gathered[field]), done[member])
					if field == "function_call" {
						require.NotEmpty(t, done[member])
					}
				}
			}
			if done["type"] == "message" && len(parts) > 0 {
				require.Equal(t, parts, done["content"])
			}
			if done["type"] == "reasoning" && gathered["part"] != "" {
				whole := done["summary"].([]any)
				require.Len(t, whole, 1)
				require.Equal(t, unescaped(t, gathered["summary"]), whole[0].(map[string]any)["text"])
			}
			output, item = append(output, done), nil
		case "response.function_call_arguments.delta":
			require.Equal(t, "function_call", item["type"])
			gathered["function_call"] += escapedDelta(t, f)
			open["arguments"] = true
		case "response.function_call_arguments.done":
			require.Equal(t, unescaped(t, gathered["function_call"]), f.json["arguments"])
			delete(open, "arguments")
		case "response.custom_tool_call_input.delta":
			require.Equal(t, "custom_tool_call", item["type"])
			gathered["custom_tool_call"] += escapedDelta(t, f)
			open["input"] = true
		case "response.custom_tool_call_input.done":
			require.Equal(t, unescaped(t, gathered["custom_tool_call"]), f.json["input"])
			delete(open, "input")
		case "response.output_text.delta":
			require.True(t, open["part"])
			gathered["text"] += escapedDelta(t, f)
			open["text"] = true
		case "response.output_text.done":
			require.Equal(t, unescaped(t, gathered["text"]), f.json["text"])
			delete(open, "text")
		case "response.refusal.delta":
			require.True(t, open["part"])
			gathered["refusal"] += escapedDelta(t, f)
			open["refusal"] = true
		case "response.refusal.done":
			require.Equal(t, unescaped(t, gathered["refusal"]), f.json["refusal"])
			delete(open, "refusal")
		case "response.reasoning_summary_text.delta":
			require.True(t, open["part"])
			gathered["summary"] += escapedDelta(t, f)
			open["summary"] = true
		case "response.reasoning_summary_text.done":
			require.Equal(t, unescaped(t, gathered["summary"]), f.json["text"])
			delete(open, "summary")
		case "response.content_part.added", "response.reasoning_summary_part.added":
			part := object(t, f.json, "part")
			require.Empty(t, text(part, "text")+text(part, "refusal"))
			require.False(t, open["part"], "a part inside of another")
			if f.name == "response.content_part.added" {
				gathered, notes = map[string]string{}, nil
			}
			require.Empty(t, gathered["part"], "a second part")
			gathered["part"], open["part"] = part["type"].(string), true
		case "response.output_text.annotation.added":
			require.Equal(t, len(notes), number(t, f.json, "annotation_index"))
			notes = append(notes, f.json["annotation"])
		case "response.content_part.done", "response.reasoning_summary_part.done":
			part := object(t, f.json, "part")
			require.Equal(t, gathered["part"], part["type"])
			require.Equal(t, unescaped(t, gathered["text"]+gathered["refusal"]+gathered["summary"]), text(part, "text")+text(part, "refusal"))
			if list, ok := part["annotations"].([]any); ok {
				require.Equal(t, len(notes), len(list))
				for i := range list {
					require.Equal(t, notes[i], list[i])
				}
			}
			require.Len(t, open, 1, "the text is not done")
			delete(open, "part")
			if f.name == "response.content_part.done" {
				parts = append(parts, part)
			}
		case "response.web_search_call.in_progress", "response.web_search_call.searching", "response.web_search_call.completed":
			require.Equal(t, "web_search_call", item["type"])
		case "error":
			words = f.json["message"]
			require.NotEmpty(t, words)
			fits(t, responsesShapes, "fault", object(t, f.json, "error"))
			require.Equal(t, words, object(t, f.json, "error")["message"])
			state = "error"
		case "response.failed":
			require.Equal(t, "error", state)
			r := object(t, f.json, "response")
			require.Equal(t, "failed", r["status"])
			fits(t, responsesShapes, "failed", object(t, r, "error"))
			require.Equal(t, words, object(t, r, "error")["message"])
			require.NotEmpty(t, object(t, r, "error")["code"])
			checkOutput(t, output, item, r)
			state = "ended"
		case "response.completed", "response.incomplete":
			require.Equal(t, "open", state)
			r := object(t, f.json, "response")
			require.Equal(t, "response."+r["status"].(string), f.name)
			checkOutput(t, output, item, r)
			state = "ended"
		}
	}
	require.Equal(t, "ended", state)
}

// checkOutput sees that the output of a response is the items that were done, and behind them what was cut of the last one: an answer
// that was cut has none that is complete there, but for a search. open is the item that has begun and is not done, nil for none.
func checkOutput(t *testing.T, done []any, open, r map[string]any) {
	output := r["output"].([]any)
	require.GreaterOrEqual(t, len(output), len(done))
	require.Equal(t, append([]any{}, done...), append([]any{}, output[:len(done)]...))
	more := output[len(done):]
	require.LessOrEqual(t, len(more), 1)
	if open != nil {
		require.Len(t, more, 1)
		require.Equal(t, open["id"], more[0].(map[string]any)["id"])
	}
	for i := range output {
		item := output[i].(map[string]any)
		cut := r["status"] != "completed" && r["required_action"] == nil && i == len(output)-1
		switch item["type"] {
		case "message", "reasoning", "function_call": // others may be the upstream's own
			require.Equal(t, cut, item["status"] == "incomplete", "%v of %v", item, r["status"])
		}
	}
	if len(more) == 1 {
		require.NotNil(t, more[0].(map[string]any)["call_id"], "what is cut and not done is a call")
	}
}

// checkItem checks an item against its shape, unless it is of a type that only the upstream's protocol has.
func checkItem(t *testing.T, item map[string]any, status ...any) {
	kind := item["type"].(string)
	if _, ok := responsesShapes["output."+kind]; !ok || item["status"] == nil {
		return
	}
	fits(t, responsesShapes, "output."+kind, item)
	switch kind {
	case "message":
		require.Equal(t, "assistant", item["role"])
	case "function_call", "custom_tool_call":
		require.NotEmpty(t, item["name"])
		require.Contains(t, status, item["status"])
	}
}

// checkResponseUsage checks a usage object by what Codex and the SDKs demand.
func checkResponseUsage(t *testing.T, usage map[string]any) {
	fits(t, responsesShapes, "usage", usage)
	fits(t, responsesShapes, "input", object(t, usage, "input_tokens_details"))
	fits(t, responsesShapes, "output", object(t, usage, "output_tokens_details"))
	checkCounts(t, usage)
	input := object(t, usage, "input_tokens_details")
	require.LessOrEqual(t, number(t, input, "cached_tokens")+number(t, input, "cache_write_tokens"), number(t, usage, "input_tokens"))
	require.Equal(t, number(t, usage, "input_tokens")+number(t, usage, "output_tokens"), number(t, usage, "total_tokens"))
}

// escapedDelta returns the delta of an event still escaped: one of two deltas may hold half a surrogate pair.
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
