package answers

const (
	itemEvent = "type:string sequence_number:integer output_index:integer item_id:string "
	partEvent = itemEvent + "content_index:integer "
	noteEvent = itemEvent + "summary_index:integer "
	status    = " status:'in_progress'|'completed'|'incomplete'"
)

// The shape "response" has all members that the schema of Open Responses requires, with their
// types. The echoes of the request's tools, format and reasoning may have more members.
var responsesShapes = Shapes{
	"response": "id:string object:'response' created_at:integer completed_at:integer|null " +
		"status:'in_progress'|'completed'|'incomplete'|'failed' " +
		"error:failed|null incomplete_details:incomplete|null instructions:string|null metadata:object " +
		"model:string output:[]output.* " +
		"parallel_tool_calls:bool temperature:number tool_choice:string|object tools:[]tool top_p:number " +
		"usage:usage|null service_tier:string " +
		"access_programs:object|null background:bool previous_response_id:null store:bool " +
		"max_output_tokens:integer|null " +
		"max_tool_calls:integer|null reasoning:reasoning text:text truncation:string " +
		"prompt_cache_key:string|null [prompt_cache_retention]:string|null [tool_usage]:object|null " +
		"safety_identifier:string|null top_logprobs:integer presence_penalty:number " +
		"frequency_penalty:number [user]:string",
	"function tool": "name:string description:string|null parameters:object|null strict:bool ...",
	"reasoning":     "effort:string|null summary:string|null ...",
	"text":          "format:object ...",
	"incomplete":    "reason:'max_output_tokens'|'content_filter'",
	"usage": "input_tokens:integer input_tokens_details:input output_tokens:integer " +
		"output_tokens_details:output total_tokens:integer ...", // an upstream of the same API may send more
	"input":  "cached_tokens:integer cache_write_tokens:integer ...",
	"output": "reasoning_tokens:integer ...",
	"error": "type:string sequence_number:integer code:string|null message:string " +
		"param:string|null error:fault",
	"fault":   "message:string type:string param:string|null code:string|null",
	"failed":  "code:string message:string",
	"failure": "error:fault",

	"response.created":     "type:string sequence_number:integer response:object",
	"response.in_progress": "type:string sequence_number:integer response:object",
	"response.completed":   "type:string sequence_number:integer response:object",
	"response.incomplete":  "type:string sequence_number:integer response:object",
	"response.failed":      "type:string sequence_number:integer response:object",

	"response.output_item.added": "type:string sequence_number:integer output_index:integer item:output.*",
	"response.output_item.done":  "type:string sequence_number:integer output_index:integer item:output.*",

	"response.content_part.added": partEvent + "part:object",
	"response.content_part.done":  partEvent + "part:object",

	"response.output_text.delta":            partEvent + "delta:string logprobs:[]object",
	"response.output_text.done":             partEvent + "text:string logprobs:[]object",
	"response.output_text.annotation.added": partEvent + "annotation_index:integer annotation:annotation.*",

	"response.refusal.delta": partEvent + "delta:string",
	"response.refusal.done":  partEvent + "refusal:string",

	"response.reasoning_summary_part.added": noteEvent + "part:summary_text",
	"response.reasoning_summary_part.done":  noteEvent + "part:summary_text",
	"response.reasoning_summary_text.delta": noteEvent + "delta:string",
	"response.reasoning_summary_text.done":  noteEvent + "text:string",

	"response.function_call_arguments.delta": itemEvent + "delta:string",
	"response.function_call_arguments.done":  itemEvent + "arguments:string",
	"response.custom_tool_call_input.delta":  itemEvent + "delta:string",
	"response.custom_tool_call_input.done":   itemEvent + "input:string",

	"response.web_search_call.in_progress": itemEvent,
	"response.web_search_call.searching":   itemEvent,
	"response.web_search_call.completed":   itemEvent,

	"output.message": "id:string type:string role:'assistant' content:[]part.* " +
		"[phase]:'commentary'|'final_answer'" +
		status,
	"output.reasoning": "id:string type:string summary:[]summary_text [encrypted_content]:string" +
		status,
	"output.function_call": "id:string type:string call_id:string name:string arguments:string " +
		"[namespace]:string [caller]:caller.*" +
		status,
	"output.custom_tool_call": "id:string type:string call_id:string name:string input:string " +
		"[namespace]:string [caller]:caller.* [status]:string",
	"caller.program": "type:string caller_id:string",
	"output.program": "id:string type:string call_id:string code:string fingerprint:string",
	"output.program_output": "id:string type:string call_id:string result:string " +
		"status:'completed'|'incomplete'",
	"output.web_search_call": "id:string type:string action:action.* " +
		"status:'in_progress'|'searching'|'completed'|'failed'",
	"output.tool_search_call": "id:string type:string call_id:string|null execution:'client'|'server' " +
		"arguments:any" +
		status,
	"output.tool_search_output": "id:string type:string call_id:string|null execution:'client'|'server' " +
		"tools:[]object" +
		status,
	"output.mcp_call": "id:string type:string server_label:string name:string arguments:string " +
		"output:string|null [error]:object|null " +
		"[approval_request_id]:string|null [status]:string",
	"output.local_shell_call": "id:string type:string call_id:string action:exec" + status,
	"output.shell_call": "id:string type:string call_id:string action:commands environment:object|null" +
		status,
	"output.apply_patch_call": "id:string type:string call_id:string operation:object" + status,

	"action.search": "type:string query:string [queries]:[]string [sources]:[]object",
	"exec": "type:'exec' command:[]any env:object [timeout_ms]:any [user]:any " +
		"[working_directory]:any",
	"commands": "commands:[]any max_output_length:any timeout_ms:any",

	"part.output_text": "type:string text:string annotations:[]annotation.* logprobs:[]object",
	"part.refusal":     "type:string refusal:string",
	"summary_text":     "type:'summary_text' text:string",

	"annotation.url_citation": "type:string start_index:integer end_index:integer url:string title:string",
}
