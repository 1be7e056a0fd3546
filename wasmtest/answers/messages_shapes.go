package answers

// messagesShapes list every member of Messages: Claude Code sends back all members of a block.
var messagesShapes = Shapes{
	"message_start": "type:string message:message",
	"message": "id:string type:'message' role:'assistant' model:string " +
		"container:container|null diagnostics:null content:[]any " +
		"stop_reason:null stop_sequence:null stop_details:null usage:object",
	"start usage":         counts + "output_tokens_details:null " + provenance,
	"content_block_start": "type:string index:integer content_block:object",
	"content_block_delta": "type:string index:integer delta:object",
	"content_block_stop":  "type:string index:integer",
	"message_delta":       "type:string delta:object usage:object [context_management]:edits",
	"end": "container:container|null " +
		"stop_reason:string stop_sequence:string|null " +
		"stop_details:details|null",
	"details": "type:'refusal' category:string|null explanation:string|null",
	"end usage": counts +
		"output_tokens_details:thought|null server_tool_use:null|vendor's_calls [iterations]:[]iteration.* " +
		"[service_tier]:null|" + served + " [speed]:null|'fast' [inference_geo]:null|string " +
		"[cache_creation]:null|vendor's_writes",
	// of an upstream with the same protocol only
	"vendor's_calls":  "[web_search_requests]:integer [web_fetch_requests]:integer",
	"vendor's_writes": "ephemeral_1h_input_tokens:integer ephemeral_5m_input_tokens:integer",

	"edits": "applied_edits:[]edit.*",

	"edit.clear_tool_uses_20250919": "type:string cleared_tool_uses:integer cleared_input_tokens:integer",
	"iteration.compaction":          "type:string " + iteration,
	"iteration.message":             "type:string [model]:null|string " + iteration,

	"thought":      "thinking_tokens:integer",
	"message_stop": "type:string",

	"error": "type:'error' error:fault [request_id]:string",
	"fault": "type:'invalid_request_error'|'authentication_error'|'billing_error'|'permission_error'|" +
		"'not_found_error'|'request_too_large'|" +
		"'rate_limit_error'|'timeout_error'|'overloaded_error'|'api_error' message:string " +
		"[details]:object|null",

	"text":              "type:string text:'' citations:[]citation.*",
	"thinking":          "type:string thinking:'' signature:''",
	"redacted_thinking": "type:string data:string",
	"compaction":        "type:string content:null encrypted_content:null",
	"tool_use":          "type:string id:string name:string input:object caller:caller.*",
	"mcp_tool_use":      "type:string id:string name:string server_name:string input:object",
	"mcp_tool_result":   "type:string tool_use_id:string is_error:bool content:any",

	"text_delta":       "type:string text:string",
	"thinking_delta":   "type:string thinking:string",
	"signature_delta":  "type:string signature:string",
	"compaction_delta": "type:string content:string|null encrypted_content:string|null",
	"input_json_delta": "type:string partial_json:string",
	"citations_delta":  "type:string citation:object",

	"web_search_result_location": "type:string cited_text:string encrypted_index:string " +
		"title:string url:string",

	"answer": "id:string type:'message' role:'assistant' model:string " +
		"container:container|null diagnostics:null content:[]block.* " +
		"stop_reason:'end_turn'|'max_tokens'|'stop_sequence'|'tool_use'|'pause_turn'|" +
		"'refusal'|'model_context_window_exceeded'|'compaction' " +
		"stop_sequence:string|null stop_details:details|null usage:answer_usage [context_management]:edits",
	"answer_usage": counts + "output_tokens_details:thought|null [iterations]:[]iteration.* " +
		provenance,
	"block.compaction":        "type:string content:string|null encrypted_content:string|null",
	"block.text":              "type:string text:string citations:[]citation.*",
	"block.thinking":          "type:string thinking:string signature:string",
	"block.redacted_thinking": "type:string data:string",
	"block.tool_use":          "type:string id:string name:string input:object caller:caller.*",
	"container":               "id:string expires_at:string [skills]:[]object|null",

	"caller.direct":                  "type:string",
	"caller.code_execution_20260120": "type:string tool_id:string",

	"block.mcp_tool_use":            "type:string id:string name:string server_name:string input:object",
	"block.mcp_tool_result":         "type:string tool_use_id:string is_error:bool content:any",
	"block.tool_search_tool_result": "type:string tool_use_id:string content:object",
	"block.server_tool_use":         "type:string id:string name:string input:object [caller]:object",
	"block.web_search_tool_result":  "type:string tool_use_id:string content:[]hit.*|object [caller]:object",
	"hit.web_search_result": "type:string encrypted_content:string page_age:string|null " +
		"title:string url:string",

	"block.code_execution_tool_result": "type:string tool_use_id:string content:code.*",
	"code.code_execution_result": "type:string stdout:string stderr:string " +
		"return_code:integer content:[]object",
	"code.code_execution_tool_result_error": "type:string error_code:string",

	"citation.web_search_result_location": "type:string cited_text:string encrypted_index:string " +
		"title:string url:string",
}

const (
	iteration = "input_tokens:integer cache_creation_input_tokens:integer " +
		"cache_read_input_tokens:integer output_tokens:integer cache_creation:null|vendor's_writes"
	served = "'standard'|'priority'"
	counts = "input_tokens:integer cache_creation_input_tokens:integer " +
		"cache_read_input_tokens:integer output_tokens:integer "
	provenance = "server_tool_use:null|vendor's_calls cache_creation:null|vendor's_writes " +
		"service_tier:null|" + served +
		" inference_geo:null|string speed:'fast'|null"
)
