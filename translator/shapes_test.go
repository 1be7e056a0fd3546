package translator_test

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A shape lists the members of an object, with the types of their values, separated by blanks: name:type for a member that the
// SDKs' types demand, [name]:type for one that may be absent. A type is string, number, integer, bool, null, object, any, the
// name of another shape, a 'word', []type for an array, or group.* for the shape of that group that the object's "type" names; |
// stands between alternatives. At the end, ... says that the object may have any other members.
type shape string

// shapes are the shapes of a protocol, by name.
type shapes map[string]shape

// The shapes of Messages list every member: Claude Code sends back whatever it finds in a block.
var messagesShapes = shapes{
	"message_start": "type:string message:message",
	"message": "id:string type:'message' role:'assistant' model:string container:null diagnostics:null content:[]any " +
		"stop_reason:null stop_sequence:null stop_details:null usage:object",
	"start usage":         counts + "output_tokens_details:null " + provenance,
	"content_block_start": "type:string index:integer content_block:object",
	"content_block_delta": "type:string index:integer delta:object",
	"content_block_stop":  "type:string index:integer",
	"message_delta":       "type:string delta:object usage:object [context_management]:edits",
	"end":                 "container:null stop_reason:string stop_sequence:string|null stop_details:details|null",
	"details":             "type:'refusal' category:string|null explanation:string|null",
	"end usage":           counts + "output_tokens_details:thought|null server_tool_use:null [iterations]:[]iteration.* [service_tier]:" + served,
	"edits":               "applied_edits:[]edit.*",

	"edit.clear_tool_uses_20250919": "type:string cleared_tool_uses:integer cleared_input_tokens:integer",
	"iteration.compaction":          "type:string " + iteration,
	"iteration.message":             "type:string model:null " + iteration,

	"thought":      "thinking_tokens:integer",
	"message_stop": "type:string",

	"error": "type:'error' error:fault [request_id]:string",
	"fault": "type:'invalid_request_error'|'authentication_error'|'billing_error'|'permission_error'|'not_found_error'|'request_too_large'|" +
		"'rate_limit_error'|'timeout_error'|'overloaded_error'|'api_error' message:string [details]:object|null",

	"text":              "type:string text:''",
	"thinking":          "type:string thinking:'' signature:''",
	"redacted_thinking": "type:string data:string",
	"compaction":        "type:string content:null encrypted_content:null",
	"tool_use":          "type:string id:string name:string input:object",
	"mcp_tool_use":      "type:string id:string name:string server_name:string input:object",
	"mcp_tool_result":   "type:string tool_use_id:string is_error:bool content:any",

	"text_delta":       "type:string text:string",
	"thinking_delta":   "type:string thinking:string",
	"signature_delta":  "type:string signature:string",
	"compaction_delta": "type:string content:string|null encrypted_content:string|null",
	"input_json_delta": "type:string partial_json:string",
	"citations_delta":  "type:string citation:object",

	"web_search_result_location": "type:string cited_text:string encrypted_index:string title:string url:string",

	"answer": "id:string type:'message' role:'assistant' model:string container:null diagnostics:null content:[]block.* " +
		"stop_reason:'end_turn'|'max_tokens'|'stop_sequence'|'tool_use'|'pause_turn'|'refusal'|'model_context_window_exceeded'|'compaction' " +
		"stop_sequence:string|null stop_details:details|null usage:answer_usage [context_management]:edits",
	"answer_usage":            counts + "output_tokens_details:thought|null [iterations]:[]iteration.* " + provenance,
	"block.compaction":        "type:string content:string|null encrypted_content:string|null",
	"block.text":              "type:string text:string [citations]:[]citation.*",
	"block.thinking":          "type:string thinking:string signature:string",
	"block.redacted_thinking": "type:string data:string",
	"block.tool_use":          "type:string id:string name:string input:object",

	"block.mcp_tool_use":            "type:string id:string name:string server_name:string input:object",
	"block.mcp_tool_result":         "type:string tool_use_id:string is_error:bool content:any",
	"block.tool_search_tool_result": "type:string tool_use_id:string content:object",
	"block.server_tool_use":         "type:string id:string name:string input:object [caller]:object",
	"block.web_search_tool_result":  "type:string tool_use_id:string content:[]hit.*|object [caller]:object",
	"hit.web_search_result":         "type:string encrypted_content:string page_age:string|null title:string url:string",

	"citation.web_search_result_location": "type:string cited_text:string encrypted_index:string title:string url:string",
}

const (
	iteration  = "input_tokens:integer cache_creation_input_tokens:integer cache_read_input_tokens:integer output_tokens:integer cache_creation:null"
	served     = "'standard'|'priority'"
	counts     = "input_tokens:integer cache_creation_input_tokens:integer cache_read_input_tokens:integer output_tokens:integer "
	provenance = "server_tool_use:null cache_creation:null service_tier:null|" + served + " inference_geo:null speed:null"
	tier       = "[service_tier]:'default'|'flex'|'scale'|'priority'"
	chunkHead  = "id:string object:string created:integer model:string "
	finishes   = "'stop'|'length'|'tool_calls'|'content_filter'|'function_call'"
	reasoning  = " [reasoning_content]:string [reasoning_details]:[]detail.*"
)

var chatShapes = shapes{
	"chunk":    chunkHead + "choices:[]choice [usage]:usage|null " + tier,
	"choice":   "index:integer delta:delta [logprobs]:logprobs finish_reason:null|" + finishes,
	"logprobs": "content:[]object refusal:null",
	"delta": "[role]:'assistant' [content]:string|null [refusal]:string [tool_calls]:[]object [function_call]:legacy_piece " +
		"[annotations]:[]annotation.*" + reasoning,
	"first call":   "index:integer id:string type:'function'|'custom' [function]:function [custom]:custom",
	"later call":   "index:integer [function]:arguments [custom]:input",
	"arguments":    "arguments:string",
	"input":        "input:string",
	"legacy_piece": "[name]:string arguments:string",
	"usage": "prompt_tokens:integer completion_tokens:integer total_tokens:integer [prompt_tokens_details]:prompt " +
		"[completion_tokens_details]:completion",
	"prompt":     "cached_tokens:integer [cache_write_tokens]:integer",
	"completion": "reasoning_tokens:integer",
	"error":      "message:string type:string param:string|null code:string|null",
	"failure":    "error:error",

	"answer":        chunkHead + "choices:[]answer_choice usage:usage " + tier,
	"answer_choice": "index:integer message:message logprobs:null|logprobs finish_reason:" + finishes,
	"message": "role:'assistant' content:string|null refusal:string|null annotations:[]annotation.* [tool_calls]:[]call.* " +
		"[function_call]:function" + reasoning,
	"call.function": "type:string id:string function:function",
	"call.custom":   "type:string id:string custom:custom",
	"function":      "name:string arguments:string",
	"custom":        "name:string input:string",

	"annotation.url_citation":    "type:string url_citation:place",
	"place":                      "start_index:integer end_index:integer url:string title:string",
	"detail.reasoning.text":      "type:string text:string signature:string [id]:string index:integer",
	"detail.reasoning.encrypted": "type:string data:string [id]:string index:integer",
}

const (
	itemEvent = "type:string sequence_number:integer output_index:integer item_id:string "
	partEvent = itemEvent + "content_index:integer "
	noteEvent = itemEvent + "summary_index:integer "
	status    = " status:'in_progress'|'completed'|'incomplete'"
)

// The shape of a response has all members that Open Responses' schema of it demands, and their types. What the request says of tools, of the
// format and of reasoning may have more members.
var responsesShapes = shapes{
	"response": "id:string object:'response' created_at:integer completed_at:integer|null status:'in_progress'|'completed'|'incomplete'|'failed' " +
		"error:failed|null incomplete_details:incomplete|null instructions:string|null metadata:object model:string output:[]output.* " +
		"parallel_tool_calls:bool temperature:number tool_choice:string|object tools:[]tool top_p:number usage:usage|null service_tier:string " +
		"access_programs:object|null background:bool previous_response_id:null store:bool max_output_tokens:integer|null " +
		"max_tool_calls:integer|null reasoning:reasoning text:text truncation:string prompt_cache_key:string|null " +
		"safety_identifier:string|null top_logprobs:integer presence_penalty:number frequency_penalty:number [user]:string",
	"function tool": "name:string description:string|null parameters:object|null strict:bool ...",
	"reasoning":     "effort:string|null summary:string|null ...",
	"text":          "format:object ...",
	"incomplete":    "reason:'max_output_tokens'|'content_filter'",
	"usage":         "input_tokens:integer input_tokens_details:input output_tokens:integer output_tokens_details:output total_tokens:integer",
	"input":         "cached_tokens:integer cache_write_tokens:integer",
	"output":        "reasoning_tokens:integer",
	"error":         "type:string sequence_number:integer code:string|null message:string param:string|null error:fault",
	"fault":         "message:string type:string param:string|null code:string|null",
	"failed":        "code:string message:string",
	"failure":       "error:fault",

	"response.created":     "type:string sequence_number:integer response:object",
	"response.in_progress": "type:string sequence_number:integer response:object",
	"response.completed":   "type:string sequence_number:integer response:object",
	"response.incomplete":  "type:string sequence_number:integer response:object",
	"response.failed":      "type:string sequence_number:integer response:object",

	"response.output_item.added":             "type:string sequence_number:integer output_index:integer item:output.*",
	"response.output_item.done":              "type:string sequence_number:integer output_index:integer item:output.*",
	"response.content_part.added":            partEvent + "part:object",
	"response.content_part.done":             partEvent + "part:object",
	"response.output_text.delta":             partEvent + "delta:string logprobs:[]object",
	"response.output_text.done":              partEvent + "text:string logprobs:[]object",
	"response.output_text.annotation.added":  partEvent + "annotation_index:integer annotation:annotation.*",
	"response.refusal.delta":                 partEvent + "delta:string",
	"response.refusal.done":                  partEvent + "refusal:string",
	"response.reasoning_summary_part.added":  noteEvent + "part:summary_text",
	"response.reasoning_summary_part.done":   noteEvent + "part:summary_text",
	"response.reasoning_summary_text.delta":  noteEvent + "delta:string",
	"response.reasoning_summary_text.done":   noteEvent + "text:string",
	"response.function_call_arguments.delta": itemEvent + "delta:string",
	"response.function_call_arguments.done":  itemEvent + "arguments:string",
	"response.custom_tool_call_input.delta":  itemEvent + "delta:string",
	"response.custom_tool_call_input.done":   itemEvent + "input:string",
	"response.web_search_call.in_progress":   itemEvent,
	"response.web_search_call.searching":     itemEvent,
	"response.web_search_call.completed":     itemEvent,

	"output.message":            "id:string type:string role:'assistant' content:[]part.* [phase]:'commentary'|'final_answer'" + status,
	"output.reasoning":          "id:string type:string summary:[]summary_text [encrypted_content]:string" + status,
	"output.function_call":      "id:string type:string call_id:string name:string arguments:string [namespace]:string" + status,
	"output.custom_tool_call":   "id:string type:string call_id:string name:string input:string [namespace]:string [status]:string",
	"output.web_search_call":    "id:string type:string action:action.* status:'in_progress'|'searching'|'completed'|'failed'",
	"output.tool_search_call":   "id:string type:string call_id:string|null execution:'client'|'server' arguments:any" + status,
	"output.tool_search_output": "id:string type:string call_id:string|null execution:'client'|'server' tools:[]object" + status,
	"output.mcp_call": "id:string type:string server_label:string name:string arguments:string output:string|null [error]:object|null " +
		"[approval_request_id]:string|null [status]:string",
	"output.local_shell_call": "id:string type:string call_id:string action:exec" + status,
	"output.shell_call":       "id:string type:string call_id:string action:commands environment:object|null" + status,
	"output.apply_patch_call": "id:string type:string call_id:string operation:object" + status,

	"action.search": "type:string query:string [queries]:[]string [sources]:[]object",
	"exec":          "type:'exec' command:[]any env:object [timeout_ms]:any [user]:any [working_directory]:any",
	"commands":      "commands:[]any max_output_length:any timeout_ms:any",

	"part.output_text": "type:string text:string annotations:[]annotation.* logprobs:[]object",
	"part.refusal":     "type:string refusal:string",
	"summary_text":     "type:'summary_text' text:string",

	"annotation.url_citation": "type:string start_index:integer end_index:integer url:string title:string",
}

// fits checks an object of a stream against the shape called name. Objects of a type without a shape are not looked into: they
// may be the upstream's own.
func fits(t *testing.T, s shapes, name string, o map[string]any) {
	require.Contains(t, s, name, o)
	require.Empty(t, validator{shapes: s, vendor: true}.object(name, o), "%v", o)
}

// validator checks values against shapes.
type validator struct {
	shapes
	vendor bool // objects of a type without a shape are let pass: client and upstream speak the same protocol, so one sent them to the other
}

// misfit returns why v is of none of the alternatives in types, "" where it is of one.
func (c validator) misfit(types string, v any) (why string) {
	for alternative := range strings.SplitSeq(types, "|") {
		if why = c.one(alternative, v); why == "" {
			return ""
		}
	}
	if strings.Contains(types, "|") {
		why += " (of " + types + ")"
	}
	return why
}

func (c validator) one(name string, v any) string {
	o, isObject := v.(map[string]any)
	list, isArray := v.([]any)
	s, isString := v.(string)
	n, isNumber := v.(float64)
	_, isBool := v.(bool)
	ok := false
	switch {
	case name == "any":
		return ""
	case name == "object":
		ok = isObject
	case name == "string":
		ok = isString
	case name == "number":
		ok = isNumber
	case name == "integer":
		ok = isNumber && n == math.Trunc(n)
	case name == "bool":
		ok = isBool
	case name == "null":
		ok = v == nil
	case strings.HasPrefix(name, "'"):
		ok = isString && name == "'"+s+"'"
	case strings.HasPrefix(name, "[]"):
		for i, element := range list {
			if why := c.one(name[2:], element); why != "" {
				return fmt.Sprintf("[%d]%s", i, why)
			}
		}
		ok = isArray
	case name == "tool":
		if kind, there := o["type"]; isObject && (kind == "function" || !there) {
			return c.object("function tool", o)
		}
		ok = isObject
	case strings.HasSuffix(name, "*") && isObject:
		kind, _ := o["type"].(string)
		if _, known := c.shapes[strings.TrimSuffix(name, "*")+kind]; !known && c.vendor {
			return ""
		}
		return c.object(strings.TrimSuffix(name, "*")+kind, o)
	case isObject:
		return c.object(name, o)
	}
	if !ok {
		return fmt.Sprintf(" is no %s: %v", name, v)
	}
	return ""
}

// object returns why o does not have the shape called name, "" where it does.
func (c validator) object(name string, o map[string]any) string {
	s, ok := c.shapes[name]
	if !ok {
		return " is of an unknown kind, " + name
	}
	var known, wrong []string
	for _, member := range strings.Fields(string(s)) {
		if member == "..." {
			known = append(known, member)
			continue
		}
		key, types, _ := strings.Cut(member, ":")
		bare := strings.Trim(key, "[]")
		known = append(known, bare)
		v, there := o[bare]
		switch {
		case !there && key == bare:
			wrong = append(wrong, "."+bare+" is missing")
		case there:
			if why := c.misfit(types, v); why != "" {
				wrong = append(wrong, "."+bare+why)
			}
		}
	}
	for key := range o {
		if !slices.Contains(known, key) && !slices.Contains(known, "...") {
			wrong = append(wrong, "."+key+" is not in "+name)
		}
	}
	sort.Strings(wrong)
	return strings.Join(wrong, "; ")
}
