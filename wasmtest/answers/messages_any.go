package answers

import (
	"maps"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/corpus/golden"
)

// anyMessages are the shapes of the answers of any server of Messages: messagesShapes, but members
// that servers may leave out are optional. An unknown member fails here too, since a client stores
// the blocks and sends them back.
var anyMessages = func() Shapes {
	all := maps.Clone(messagesShapes)
	maps.Copy(all, Shapes{
		"ping": "type:string",
		"message": "id:string type:'message' role:'assistant' model:string content:[]any " +
			"stop_reason:null stop_sequence:null usage:object" + extras,
		"start usage":   "input_tokens:integer output_tokens:integer" + cached + details,
		"message_delta": "type:string delta:object usage:object [context_management]:edits|null",
		"end":           "stop_reason:string stop_sequence:string|null [container]:any [stop_details]:any",
		"end usage":     "[input_tokens]:integer|null output_tokens:integer" + cached + details,

		"iteration.message": "type:string [model]:any " + iteration,

		"text":                   "type:string text:'' [citations]:any",
		"server_tool_use":        "type:string id:string name:string input:object [caller]:any",
		"tool_use":               "type:string id:string name:string input:object [caller]:any",
		"web_search_tool_result": "type:string tool_use_id:string content:[]hit.*|hit.* [caller]:any",
		"web_fetch_tool_result":  "type:string tool_use_id:string content:hit.* [caller]:any",
		"advisor_tool_result":    "type:string tool_use_id:string content:hit.*",

		// BetaAdvisorToolResultBlock and BetaAdvisorMessageIterationUsage of @anthropic-ai/sdk
		"hit.advisor_result":            "type:string text:string stop_reason:string|null",
		"hit.advisor_tool_result_error": "type:string error_code:" + adviceCodes,
		"iteration.advisor_message":     "type:string model:string " + iteration,
		"hit.web_search_result": "type:string url:string title:string encrypted_content:string " +
			"[page_age]:any",
		"hit.web_search_tool_result_error": "type:string error_code:string",
		"hit.web_fetch_result": "type:string url:string retrieved_at:string|null " +
			"content:hit.document",
		"hit.web_fetch_tool_result_error": "type:string error_code:string",
		"hit.document": "type:'document' title:string|null citations:object|null " +
			"source:object",

		"answer": "id:string type:'message' role:'assistant' model:string content:[]block.* stop_reason:" +
			"'end_turn'|'max_tokens'|'stop_sequence'|'tool_use'|'pause_turn'|'refusal'|" +
			"'model_context_window_exceeded'|'compaction' " +
			"stop_sequence:string|null usage:start_usage" + extras,
		"start_usage": "input_tokens:integer output_tokens:integer" + cached + details,

		"block.text":                   "type:string text:string [citations]:[]citation.*|null",
		"block.tool_use":               "type:string id:string name:string input:object [caller]:any",
		"block.web_search_tool_result": "type:string tool_use_id:string content:[]hit.*|hit.* [caller]:any",
		"block.web_fetch_tool_result":  "type:string tool_use_id:string content:hit.* [caller]:any",
		"block.advisor_tool_result":    "type:string tool_use_id:string content:hit.*",
	})
	return all
}()

const (
	adviceCodes = "'max_uses_exceeded'|'prompt_too_long'|'too_many_requests'|'overloaded'|'unavailable'|" +
		"'execution_time_exceeded'|'model_not_found'"

	extras = " [container]:any [context_management]:edits|null [diagnostics]:any [stop_details]:any"
	cached = " [cache_creation_input_tokens]:integer|null [cache_read_input_tokens]:integer|null"

	details = " [cache_creation]:any [inference_geo]:any [output_tokens_details]:any [server_tool_use]:any " +
		"[service_tier]:any [speed]:any [iterations]:[]iteration.*"
)

// ReadMessages checks a stream of Messages from any server. It returns the message, or the error at
// the end of the stream. begun is the number of blocks that have started.
func ReadMessages(t T, stream []byte) (message, failure map[string]any, begun int) {
	frames := Frames(t, stream)
	checkMessages(t, frames, anyMessages)
	input := "" // of the open block
	for _, f := range frames {
		switch block := child(f.JSON, "content_block"); f.Name {
		case "content_block_start":
			begun++
			input = ""
			require.True(t, block["type"] != "server_tool_use" || len(object(t, block, "input")) == 0)
		case "content_block_delta":
			input += text(child(f.JSON, "delta"), "partial_json")
		case "content_block_stop":
			if input != "" {
				require.NotNil(t, Decoded(t, []byte(input)), "input that is no object")
			}
		}
	}
	if last := frames[len(frames)-1]; last.Name == "error" {
		return nil, child(last.JSON, "error"), begun
	}
	body, err := golden.Plain("anthropic", stream)
	require.NoError(t, err)
	message = Decoded(t, body)
	for _, element := range message["content"].([]any) {
		checkBlock(t, element)
	}
	return message, nil, begun
}

// checkBlock checks a complete block.
func checkBlock(t T, element any) {
	block := element.(map[string]any)
	require.Empty(t, Validator{Shapes: anyMessages}.Misfit("block."+text(block, "type"), block))
	switch block["type"] {
	case "text":
		require.NotEmpty(t, block["text"])
	case "server_tool_use":
		require.Regexp(t, `^[a-zA-Z0-9_-]+$`, block["id"])
	}
}

// ReadMessage checks a plain answer of Messages from any server, and returns the message.
func ReadMessage(t T, body []byte) map[string]any {
	message := Decoded(t, body)
	require.Empty(t, Validator{Shapes: anyMessages}.Misfit("answer", message), "%s", body)
	require.NotEmpty(t, message["id"])
	checkCounts(t, child(message, "usage"))
	return message
}

// ReadMessagesError checks the body of an error of Messages, and returns its member "error".
func ReadMessagesError(t T, body []byte) map[string]any {
	require.Empty(t, Validator{Shapes: messagesShapes}.Misfit("error", Decoded(t, body)), "%s", body)
	failure := child(Decoded(t, body), "error")
	require.Regexp(t, `\S`, failure["message"])
	return failure
}
