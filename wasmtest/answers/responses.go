package answers

import (
	"strings"

	"github.com/stretchr/testify/require"
)

// checkResponses checks a stream of Responses: response.created and response.in_progress, then one
// item after the other, then one terminal event with the complete output. Each item has the events
// of its type, and its deltas add up to the text in its done events. A failure is an error event,
// followed by response.failed. If an answer is cut, its last item is incomplete. A call that is cut
// has no output_item.done: only the output of the terminal event contains it.
func checkResponses(t T, frames []Frame) {
	var first map[string]any // the response of response.created
	var item map[string]any  // the open item
	var output, calls, notes []any
	var parts []any // the finished parts of the open message
	// The sums of the deltas, still escaped. They start anew with each item, and in a message with
	// each part.
	gathered := map[string]string{}
	open := map[string]bool{} // the unfinished parts of the open item
	var words any             // the message of the error event
	state, sequence := "before", 0
	for _, f := range frames {
		require.Equal(t, f.Name, f.JSON["type"])
		require.NotEqual(t, "ended", state, f.Data)
		require.Equal(t, sequence, Number(t, f.JSON, "sequence_number"))
		fits(t, responsesShapes, f.Name, f.JSON)
		sequence++
		if state == "error" {
			require.Equal(t, "response.failed", f.Name)
		}
		if r, ok := f.JSON["response"].(map[string]any); ok {
			fits(t, responsesShapes, "response", r)
			if first == nil {
				first = r
			}
			for key := range first {
				switch key {
				case "status", "completed_at", "output", "usage", "error", "incomplete_details",
					"service_tier":
				default:
					require.Equal(t, first[key], r[key], key)
				}
			}
			require.Equal(t, "response", r["object"])
			Number(t, r, "created_at")
			if r["usage"] != nil {
				checkResponseUsage(t, object(t, r, "usage"))
			}
			require.Equal(t, f.Name == "response.failed", r["error"] != nil)
			require.Equal(t, f.Name == "response.incomplete", r["incomplete_details"] != nil)
		}
		if f.JSON["output_index"] != nil {
			require.Equal(t, len(output), Number(t, f.JSON, "output_index"), f.Data)
		}
		if f.JSON["item_id"] != nil {
			require.NotNil(t, item, f.Data)
			require.Equal(t, item["id"], f.JSON["item_id"])
		}
		if f.JSON["content_index"] != nil {
			require.Equal(t, len(parts), Number(t, f.JSON, "content_index"))
		}
		if f.JSON["summary_index"] != nil {
			require.Equal(t, 0, Number(t, f.JSON, "summary_index"))
		}
		if part, ok := f.JSON["part"].(map[string]any); ok {
			if part["type"] != "summary_text" {
				fits(t, responsesShapes, "part."+part["type"].(string), part)
			}
		}
		switch f.Name {
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
			item = object(t, f.JSON, "item")
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
			done := object(t, f.JSON, "item")
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
			for field, member := range map[string]string{
				"function_call": "arguments", "custom_tool_call": "input",
			} {
				// An item without deltas came whole in output_item.added.
				if done["type"] == field && (gathered[field] != "" || done[member] != item[member]) {
					require.Equal(t, Unescaped(t, gathered[field]), done[member])
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
				require.Equal(t, Unescaped(t, gathered["summary"]), whole[0].(map[string]any)["text"])
			}
			output, item = append(output, done), nil
		case "response.function_call_arguments.delta":
			require.Equal(t, "function_call", item["type"])
			gathered["function_call"] += escapedDelta(t, f)
			open["arguments"] = true
		case "response.function_call_arguments.done":
			require.Equal(t, Unescaped(t, gathered["function_call"]), f.JSON["arguments"])
			delete(open, "arguments")
		case "response.custom_tool_call_input.delta":
			require.Equal(t, "custom_tool_call", item["type"])
			gathered["custom_tool_call"] += escapedDelta(t, f)
			open["input"] = true
		case "response.custom_tool_call_input.done":
			require.Equal(t, Unescaped(t, gathered["custom_tool_call"]), f.JSON["input"])
			delete(open, "input")
		case "response.output_text.delta":
			require.True(t, open["part"])
			gathered["text"] += escapedDelta(t, f)
			open["text"] = true
		case "response.output_text.done":
			require.Equal(t, Unescaped(t, gathered["text"]), f.JSON["text"])
			delete(open, "text")
		case "response.refusal.delta":
			require.True(t, open["part"])
			gathered["refusal"] += escapedDelta(t, f)
			open["refusal"] = true
		case "response.refusal.done":
			require.Equal(t, Unescaped(t, gathered["refusal"]), f.JSON["refusal"])
			delete(open, "refusal")
		case "response.reasoning_summary_text.delta":
			require.True(t, open["part"])
			gathered["summary"] += escapedDelta(t, f)
			open["summary"] = true
		case "response.reasoning_summary_text.done":
			require.Equal(t, Unescaped(t, gathered["summary"]), f.JSON["text"])
			delete(open, "summary")
		case "response.content_part.added", "response.reasoning_summary_part.added":
			part := object(t, f.JSON, "part")
			require.Empty(t, text(part, "text")+text(part, "refusal"))
			require.False(t, open["part"], "a part inside of another")
			if f.Name == "response.content_part.added" {
				gathered, notes = map[string]string{}, nil
			}
			require.Empty(t, gathered["part"], "a second part")
			gathered["part"], open["part"] = part["type"].(string), true
		case "response.output_text.annotation.added":
			require.Equal(t, len(notes), Number(t, f.JSON, "annotation_index"))
			notes = append(notes, f.JSON["annotation"])
		case "response.content_part.done", "response.reasoning_summary_part.done":
			part := object(t, f.JSON, "part")
			require.Equal(t, gathered["part"], part["type"])
			require.Equal(t, Unescaped(t, gathered["text"]+gathered["refusal"]+gathered["summary"]),
				text(part, "text")+text(part, "refusal"))
			if list, ok := part["annotations"].([]any); ok {
				require.Equal(t, len(notes), len(list))
				for i := range list {
					require.Equal(t, notes[i], list[i])
				}
			}
			require.Len(t, open, 1, "the text is not done")
			delete(open, "part")
			if f.Name == "response.content_part.done" {
				parts = append(parts, part)
			}
		case "response.web_search_call.in_progress", "response.web_search_call.searching",
			"response.web_search_call.completed":
			require.Equal(t, "web_search_call", item["type"])
		case "error":
			words = f.JSON["message"]
			require.NotEmpty(t, words)
			fits(t, responsesShapes, "fault", object(t, f.JSON, "error"))
			require.Equal(t, words, object(t, f.JSON, "error")["message"])
			state = "error"
		case "response.failed":
			require.Equal(t, "error", state)
			r := object(t, f.JSON, "response")
			require.Equal(t, "failed", r["status"])
			fits(t, responsesShapes, "failed", object(t, r, "error"))
			require.Equal(t, words, object(t, r, "error")["message"])
			require.NotEmpty(t, object(t, r, "error")["code"])
			checkOutput(t, output, item, r)
			state = "ended"
		case "response.completed", "response.incomplete":
			require.Equal(t, "open", state)
			r := object(t, f.JSON, "response")
			require.Equal(t, "response."+r["status"].(string), f.Name)
			checkOutput(t, output, item, r)
			state = "ended"
		}
	}
	require.Equal(t, "ended", state)
}

// checkOutput checks the output of the response r. The output must have the finished items in done,
// then at most one unfinished item. Only the last item of a response that was cut is incomplete;
// items of other types than message, reasoning and function_call may differ. open is the item that
// has started without an end, or nil.
func checkOutput(t T, done []any, open, r map[string]any) {
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
		case "message", "reasoning", "function_call": // other types may come unchanged from the upstream
			require.Equal(t, cut, item["status"] == "incomplete", "%v of %v", item, r["status"])
		}
	}
	if len(more) == 1 {
		require.NotNil(t, more[0].(map[string]any)["call_id"], "what is cut and not done is a call")
	}
}

// checkItem checks an item against its shape, except items of types specific to the upstream's
// protocol.
func checkItem(t T, item map[string]any, status ...any) {
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

// checkResponseUsage checks a usage object against the requirements of Codex and the SDKs.
func checkResponseUsage(t T, usage map[string]any) {
	fits(t, responsesShapes, "usage", usage)
	fits(t, responsesShapes, "input", object(t, usage, "input_tokens_details"))
	fits(t, responsesShapes, "output", object(t, usage, "output_tokens_details"))
	checkCounts(t, usage)
	input := object(t, usage, "input_tokens_details")
	require.LessOrEqual(t, Number(t, input, "cached_tokens")+Number(t, input, "cache_write_tokens"),
		Number(t, usage, "input_tokens"))
	require.Equal(t, Number(t, usage, "input_tokens")+Number(t, usage, "output_tokens"),
		Number(t, usage, "total_tokens"))
}
