package answers

import (
	"github.com/stretchr/testify/require"
)

// checkMessages checks a stream of Messages: message_start, then one block after the other with
// indexes from 0, then message_delta and message_stop. An error event may come at any time, and
// ends the stream. all has the shapes of the events and of their parts.
func checkMessages(t T, frames []Frame, all Shapes) {
	state, index, kind := "before", 0, ""
	var calls []any
	signed := false
	for _, f := range frames {
		require.Equal(t, f.Name, f.JSON["type"])
		require.NotEqual(t, "ended", state, f.Data)
		fits(t, all, f.Name, f.JSON)
		switch f.Name {
		case "error":
			fault := object(t, f.JSON, "error")
			fits(t, all, "fault", fault)
			require.NotEmpty(t, fault["message"])
			state = "ended"
		case "message_start":
			require.Equal(t, "before", state)
			message, usage := object(t, f.JSON, "message"), object(t, object(t, f.JSON, "message"), "usage")
			fits(t, all, "message", message)
			fits(t, all, "start usage", usage)
			require.Equal(t, []any{"message", "assistant", []any{}, nil, nil},
				[]any{message["type"], message["role"], message["content"], message["stop_reason"],
					message["stop_sequence"]})
			require.Regexp(t, `^msg_.`, message["id"])
			checkCounts(t, usage)
			state = "between"
		case "content_block_start":
			require.Equal(t, "between", state, f.Data)
			require.Equal(t, index, Number(t, f.JSON, "index"))
			block := object(t, f.JSON, "content_block")
			kind, signed = block["type"].(string), false
			switch kind {
			case "text":
				require.Empty(t, block["text"])
			case "thinking":
				require.Empty(t, block["thinking"])
				require.Empty(t, block["signature"])
			case "redacted_thinking":
				require.NotEmpty(t, block["data"])
				require.NotRegexp(t, `^el\d:`, block["data"], "langchaingo fails there")
			case "tool_use":
				require.Regexp(t, `^[a-zA-Z0-9_-]+$`, block["id"])
				require.NotContains(t, calls, block["id"])
				require.NotEmpty(t, block["name"])
				require.Equal(t, map[string]any{}, block["input"])
				calls = append(calls, block["id"])
			}
			// A block without a shape comes unchanged from an upstream of Messages.
			if _, ok := all[kind]; ok {
				fits(t, all, kind, block)
			}
			state = "inside"
		case "content_block_delta":
			require.Equal(t, "inside", state)
			require.Equal(t, index, Number(t, f.JSON, "index"))
			delta := object(t, f.JSON, "delta")
			piece := delta["type"].(string)
			require.Contains(t, map[string][]string{
				"text":            {"text_delta", "citations_delta"},
				"compaction":      {"compaction_delta"},
				"thinking":        {"thinking_delta", "signature_delta"},
				"tool_use":        {"input_json_delta"},
				"server_tool_use": {"input_json_delta"},
				"mcp_tool_use":    {"input_json_delta"},
			}[kind], piece, kind)
			fits(t, all, piece, delta)
			require.False(t, signed, "a delta behind the signature: %s", f.Data)
			signed = piece == "signature_delta"
			if citation, ok := delta["citation"].(map[string]any); ok &&
				citation["type"] == "web_search_result_location" {
				fits(t, all, "web_search_result_location", citation)
				require.IsType(t, "", citation["title"], "the AI SDK demands it")
			}
		case "content_block_stop":
			require.Equal(t, "inside", state)
			require.Equal(t, index, Number(t, f.JSON, "index"))
			require.True(t, signed || kind != "thinking", "Qwen Code stops at unsigned thinking")
			index++
			state = "between"
		case "message_delta":
			require.Equal(t, "between", state)
			end, usage := object(t, f.JSON, "delta"), object(t, f.JSON, "usage")
			fits(t, all, "end", end)
			fits(t, all, "end usage", usage)
			checkCounts(t, usage)
			stop := end["stop_reason"]
			require.Contains(t, []any{"end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn",
				"refusal", "model_context_window_exceeded", "compaction"}, stop)
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
