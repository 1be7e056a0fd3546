package translator_test

import (
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A shape lists the members of an object that SDKs' types demand; [name] may be there too.
type shape string

// Shapes of Messages are exact: Claude Code sends back whatever it finds in a block.
var messagesShapes = map[string]shape{
	"message_start":       "type message",
	"message":             "id type role model content stop_reason stop_sequence usage",
	"start usage":         "input_tokens cache_creation_input_tokens cache_read_input_tokens output_tokens",
	"content_block_start": "type index content_block",
	"content_block_delta": "type index delta",
	"content_block_stop":  "type index",
	"message_delta":       "type delta usage",
	"end":                 "stop_reason stop_sequence",
	"end usage":           "output_tokens [input_tokens] [cache_creation_input_tokens] [cache_read_input_tokens] [output_tokens_details]",
	"message_stop":        "type",
	"error":               "type error [request_id]",
	"fault":               "type message [details]",

	"text":              "type text",
	"thinking":          "type thinking signature",
	"redacted_thinking": "type data",
	"tool_use":          "type id name input",

	"text_delta":       "type text",
	"thinking_delta":   "type thinking",
	"signature_delta":  "type signature",
	"input_json_delta": "type partial_json",
	"citations_delta":  "type citation",

	"web_search_result_location": "type cited_text encrypted_index title url",
}

var chatShapes = map[string]shape{
	"chunk":      "id object created model choices [usage]",
	"choice":     "index delta finish_reason",
	"delta":      "[role] [content] [refusal] [tool_calls] [function_call] [reasoning_content] [reasoning_details] [annotations]",
	"first call": "index id type [function] [custom]",
	"later call": "index [function] [custom]",
	"usage":      "prompt_tokens completion_tokens total_tokens [prompt_tokens_details] [completion_tokens_details]",
	"prompt":     "cached_tokens [cache_write_tokens]",
	"completion": "reasoning_tokens",
	"error":      "message type param code",
}

const (
	itemEvent = "type sequence_number output_index item_id "
	partEvent = itemEvent + "content_index "
	noteEvent = itemEvent + "summary_index "
)

// The members that a response has or not by what was asked are in brackets.
var responsesShapes = map[string]shape{
	"response": "id object created_at status error incomplete_details instructions metadata model output parallel_tool_calls temperature " +
		"tool_choice tools top_p usage access_programs [background] [previous_response_id] [store] [max_output_tokens] [max_tool_calls] " +
		"[reasoning] [text] [truncation] [prompt_cache_key] [safety_identifier] [top_logprobs] [user]",
	"usage":  "input_tokens input_tokens_details output_tokens output_tokens_details total_tokens",
	"input":  "cached_tokens cache_write_tokens",
	"output": "reasoning_tokens",
	"error":  "type sequence_number code message param error",
	"fault":  "message type param code",
	"failed": "code message",

	"response.created":     "type sequence_number response",
	"response.in_progress": "type sequence_number response",
	"response.completed":   "type sequence_number response",
	"response.incomplete":  "type sequence_number response",
	"response.failed":      "type sequence_number response",

	"response.output_item.added":             "type sequence_number output_index item",
	"response.output_item.done":              "type sequence_number output_index item",
	"response.content_part.added":            partEvent + "part",
	"response.content_part.done":             partEvent + "part",
	"response.output_text.delta":             partEvent + "delta logprobs",
	"response.output_text.done":              partEvent + "text logprobs",
	"response.output_text.annotation.added":  partEvent + "annotation_index annotation",
	"response.refusal.delta":                 partEvent + "delta",
	"response.refusal.done":                  partEvent + "refusal",
	"response.reasoning_summary_part.added":  noteEvent + "part",
	"response.reasoning_summary_part.done":   noteEvent + "part",
	"response.reasoning_summary_text.delta":  noteEvent + "delta",
	"response.reasoning_summary_text.done":   noteEvent + "text",
	"response.function_call_arguments.delta": itemEvent + "delta",
	"response.function_call_arguments.done":  itemEvent + "arguments",
	"response.custom_tool_call_input.delta":  itemEvent + "delta",
	"response.custom_tool_call_input.done":   itemEvent + "input",
	"response.web_search_call.in_progress":   itemEvent,
	"response.web_search_call.searching":     itemEvent,
	"response.web_search_call.completed":     itemEvent,

	"message":          "id type role content status",
	"reasoning":        "id type summary encrypted_content status",
	"function_call":    "id type call_id name arguments status [namespace]",
	"custom_tool_call": "id type call_id name input status [namespace]",
	"web_search_call":  "id type action status",
	"tool_search_call": "id type call_id execution arguments status",
	"local_shell_call": "id type call_id action status",
	"shell_call":       "id type call_id action environment status",
	"apply_patch_call": "id type call_id operation status",

	"output_text":  "type text annotations logprobs",
	"refusal":      "type refusal",
	"summary_text": "type text",
}

// fits holds an object against a shape, by its name.
func fits(t *testing.T, shapes map[string]shape, name string, o map[string]any) {
	s, ok := shapes[name]
	require.True(t, ok, "no shape for %s %v", name, o)
	var extra, lacking []string
	known := map[string]bool{}
	for _, member := range strings.Fields(string(s)) {
		key := strings.Trim(member, "[]")
		known[key] = true
		if _, ok := o[key]; !ok && key == member {
			lacking = append(lacking, key)
		}
	}
	for key := range o {
		if !known[key] {
			extra = append(extra, key)
		}
	}
	sort.Strings(extra)
	require.Empty(t, lacking, "members that %s lacks: %v", name, o)
	require.Empty(t, extra, "members that %s does not have: %v", name, o)
}
