package translator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/answers"
)

// requestShapes are the shapes of an upstream's request: MessageCreateParams,
// ChatCompletionCreateParams and ResponseCreateParams of the SDKs, and further reasoning members of
// Chat servers. They list only members that the translator writes, fewer than the APIs allow.
var requestShapes = map[string]answers.Shapes{
	"anthropic": {
		"request": "model:string max_tokens:integer messages:[]turn [system]:[]block.* " +
			"[tools]:[]tool|[]tool.* [tool_choice]:choice.* [mcp_servers]:[]server.* " +
			"[thinking]:thinking.* [temperature]:number [top_p]:number [top_k]:integer " +
			"[stop_sequences]:[]string [output_config]:output " +
			"[service_tier]:'auto'|'standard_only' [speed]:'fast' [metadata]:metadata [stream]:bool " +
			"[cache_control]:breakpoint [context_management]:edits [container]:string|object",
		"edits":       "edits:[]object",
		"breakpoint":  "type:'ephemeral' [ttl]:'5m'|'1h' [scope]:string",
		"metadata":    "user_id:string",
		"output":      "[effort]:string [format]:schema",
		"schema":      "type:'json_schema' schema:object",
		"turn":        "role:'user'|'assistant'|'system' content:[]block.*",
		"source.url":  "type:string url:string",
		"source.text": "type:string media_type:'text/plain' data:string",
		"choice.auto": "type:string [disable_parallel_tool_use]:bool",
		"choice.any":  "type:string [disable_parallel_tool_use]:bool",
		"choice.tool": "type:string name:string [disable_parallel_tool_use]:bool",
		"choice.none": "type:string",
		"tool.": "name:string [description]:string input_schema:object " +
			"[input_examples]:[]object [allowed_callers]:[]string [strict]:bool [defer_loading]:bool " +
			"[cache_control]:breakpoint",
		"block.text":              "type:string text:string [cache_control]:breakpoint",
		"block.image":             "type:string source:source.* [cache_control]:breakpoint",
		"block.thinking":          "type:string thinking:string signature:string",
		"block.redacted_thinking": "type:string data:string",
		"block.tool_use": "type:string id:string name:string input:object [caller]:object " +
			"[cache_control]:breakpoint",
		"block.tool_result": "type:string tool_use_id:string [content]:[]block.* [is_error]:bool " +
			"[cache_control]:breakpoint",
		"block.document": "type:string source:source.* [title]:string [context]:string " +
			"[cache_control]:breakpoint",
		"source.base64":     "type:string media_type:string data:string",
		"source.content":    "type:string content:[]block.*",
		"thinking.enabled":  "type:string budget_tokens:integer [display]:string",
		"thinking.adaptive": "type:string [display]:string",
		"thinking.disabled": "type:string",
		"tool.web_search_20250305": "type:string name:'web_search' [allowed_domains]:[]string " +
			"[blocked_domains]:[]string " +
			"[user_location]:location [max_uses]:integer [cache_control]:breakpoint|null",
		"tool.web_fetch_20250910":             "type:string name:'web_fetch'",
		"tool.code_execution_20260521":        "type:string name:'code_execution'",
		"tool.tool_search_tool_bm25_20251119": "type:string name:'tool_search_tool_bm25'",
		"tool.mcp_toolset": "type:string mcp_server_name:string " +
			"[default_config]:toolset [configs]:object",
		"toolset": "[enabled]:bool [defer_loading]:bool",
		"server.url": "type:string name:string url:string " +
			"[authorization_token]:string [tool_configuration]:object",
		"block.server_tool_use":            "type:string id:string name:string input:object",
		"block.code_execution_tool_result": "type:string tool_use_id:string content:code",
		"code": "type:'code_execution_result' stdout:string stderr:string return_code:integer " +
			"content:[]object",
		"block.tool_search_tool_result":        "type:string tool_use_id:string content:found.*",
		"found.tool_search_tool_search_result": "type:string tool_references:[]reference.*",
		"reference.tool_reference":             "type:string tool_name:string",
		"block.mcp_tool_use": "type:string id:string name:string server_name:string " +
			"input:object",
		"block.mcp_tool_result": "type:string tool_use_id:string is_error:bool " +
			"content:[]block.*",
		"location": "type:'approximate' [city]:string|null " +
			"[country]:string|null [region]:string|null [timezone]:string|null",
	},
	"chat": {
		"request": "model:string messages:[]message [tools]:[]tool.* " +
			"[tool_choice]:'auto'|'none'|'required'|choice.* [parallel_tool_calls]:bool " +
			"[logprobs]:bool [top_logprobs]:integer [max_tokens]:integer [max_completion_tokens]:integer " +
			"[temperature]:number [top_p]:number [top_k]:number [presence_penalty]:number " +
			"[frequency_penalty]:number [seed]:integer [random_seed]:integer [stop]:[]string " +
			"[reasoning_effort]:string " +
			"[response_format]:format.* [stream]:bool [stream_options]:usage [safety_identifier]:string " +
			"[verbosity]:'low'|'medium'|'high' " +
			"[service_tier]:'auto'|'default'|'flex'|'scale'|'priority'|'ultrafast' [prompt_cache_key]:string " +
			"[prompt_cache_retention]:string [web_search_options]:search " +
			"[functions]:[]function [function_call]:'auto'|'none'|named [thinking]:thinking.* " +
			"[enable_thinking]:bool [chat_template_kwargs]:template [cache_control]:breakpoint " +
			"[chat_template_args]:arguments [reasoning]:switch",
		"thinking.disabled": "type:string",
		"template":          "enable_thinking:bool thinking:bool",
		"arguments":         "enable_thinking:bool",
		"switch":            "enabled:bool",
		"usage":             "include_usage:bool",
		"message": "role:'system'|'user'|'assistant'|'tool'|'function' content:string|null|[]part.* " +
			"[tool_calls]:[]call.* [tool_call_id]:string " +
			"[reasoning_content]:string [reasoning]:string [reasoning_details]:[]object " +
			"[function_call]:called [name]:string [cache_control]:breakpoint [prefix]:bool",
		"part.text":          "type:string text:string [cache_control]:breakpoint",
		"part.image_url":     "type:string image_url:image [cache_control]:breakpoint",
		"part.file":          "type:string file:file [cache_control]:breakpoint",
		"breakpoint":         "type:'ephemeral' [ttl]:'5m'|'1h'",
		"part.input_audio":   "type:string input_audio:audio",
		"audio":              "data:string format:'wav'|'mp3'",
		"image":              "url:string [detail]:'low'|'high'",
		"file":               "[filename]:string [file_data]:string [file_id]:string",
		"call.function":      "type:string id:string function:called [extra_content]:object",
		"call.custom":        "type:string id:string custom:given [extra_content]:object",
		"called":             "name:string arguments:string",
		"given":              "name:string input:string",
		"tool.function":      "type:string function:function [cache_control]:breakpoint",
		"tool.custom":        "type:string custom:custom",
		"function":           "name:string [description]:string parameters:object [strict]:bool",
		"custom":             "name:string [description]:string [format]:grammar.*",
		"grammar.text":       "type:string",
		"grammar.grammar":    "type:string grammar:syntax",
		"syntax":             "syntax:'lark'|'regex' definition:string",
		"choice.function":    "type:string function:named",
		"choice.custom":      "type:string custom:named",
		"named":              "name:string",
		"format.json_object": "type:string",
		"format.json_schema": "type:string json_schema:schema",
		"schema":             "name:string [description]:string schema:object [strict]:bool",
		"search":             "[search_context_size]:'low'|'medium'|'high' [user_location]:location",
		"location":           "type:'approximate' approximate:place",
		"place":              "[city]:string [country]:string [region]:string [timezone]:string",

		"choice.allowed_tools": "type:string allowed_tools:allowed",
		"allowed":              "mode:'auto'|'required' tools:[]choice.*",
	},
	"gemini":       geminiRequest,
	"interactions": interactionsRequest,
	"responses": {
		"request": "model:string input:[]item.* store:bool [instructions]:string [tools]:[]tool.* " +
			"[tool_choice]:'auto'|'none'|'required'|choice.* " +
			"[parallel_tool_calls]:bool [max_output_tokens]:integer [temperature]:number [top_p]:number " +
			"[top_k]:number [reasoning]:reasoning [include]:[]string [top_logprobs]:integer " +
			"[text]:text [safety_identifier]:string [metadata]:object [service_tier]:string " +
			"[prompt_cache_key]:string [prompt_cache_retention]:string [stream]:bool",
		"reasoning":          "[effort]:string [summary]:string [context]:string",
		"text":               "[format]:format.* [verbosity]:string",
		"format.json_object": "type:string",
		"format.json_schema": "type:string name:string [description]:string schema:object [strict]:bool",
		"item.message": "type:string role:'user'|'assistant'|'developer' " +
			"[phase]:'commentary'|'final_answer' content:string|[]part.*",
		"item.function_call":    "type:string call_id:string name:string arguments:string [caller]:object",
		"item.custom_tool_call": "type:string call_id:string name:string input:string",
		"item.program":          "type:string id:string call_id:string code:string fingerprint:string",
		"item.program_output": "type:string id:string call_id:string result:string " +
			"status:'completed'|'incomplete'",
		"item.mcp_call": "type:string server_label:string name:string arguments:string " +
			"[output]:string|null [error]:object|null " +
			"[approval_request_id]:string|null [status]:string [id]:string",
		"item.tool_search_call": "type:string [id]:string execution:'server' call_id:string|null " +
			"arguments:object [status]:'completed'",
		"item.tool_search_output": "type:string [id]:string execution:'server' call_id:string|null " +
			"tools:[]object [status]:'completed'",
		"item.reasoning":    "type:string [id]:string summary:[]part.* encrypted_content:string",
		"part.summary_text": "type:string text:string",
		"part.input_text":   "type:string text:string",
		"part.output_text":  "type:string text:string annotations:[]any",
		"part.refusal":      "type:string refusal:string",
		"tool.function": "type:string name:string [description]:string parameters:object " +
			"strict:bool [defer_loading]:bool [allowed_callers]:[]string",
		"tool.custom": "type:string name:string [description]:string [format]:grammar.* " +
			"[defer_loading]:bool",
		"part.input_image": "type:string [image_url]:string [file_id]:string " +
			"detail:'low'|'high'|'auto'|'original'",
		"part.input_file": "type:string [filename]:string [file_data]:string [file_url]:string " +
			"[file_id]:string [detail]:'low'|'high'|'auto'",
		"part.input_audio": "type:string input_audio:audio",
		"audio":            "data:string format:'wav'|'mp3'",
		"tool.web_search": "type:string [filters]:filters [user_location]:place " +
			"[search_context_size]:'low'|'medium'|'high' " +
			"[external_web_access]:bool [search_content_types]:[]string",
		"place": "[type]:'approximate' [city]:string|null [country]:string|null " +
			"[region]:string|null [timezone]:string|null",
		"filters":                        "[allowed_domains]:[]string [blocked_domains]:[]string|null",
		"grammar.text":                   "type:string",
		"grammar.grammar":                "type:string syntax:'lark'|'regex' definition:string",
		"choice.function":                "type:string name:string",
		"choice.custom":                  "type:string name:string",
		"choice.web_search":              "type:string",
		"choice.mcp":                     "type:string server_label:string",
		"tool.programmatic_tool_calling": "type:string",
		"tool.tool_search": "type:string [execution]:string [description]:string|null " +
			"[parameters]:object|null",
		"tool.mcp": "type:string server_label:string [server_url]:string [connector_id]:string " +
			"[authorization]:string [headers]:object " +
			"[server_description]:string [allowed_tools]:[]string|object [defer_loading]:bool " +
			"[require_approval]:'never'",
		"choice.allowed_tools":         "type:string mode:'auto'|'required' tools:[]choice.*",
		"item.function_call_output":    "type:string call_id:string output:string|[]part.* [caller]:object",
		"item.custom_tool_call_output": "type:string call_id:string output:string|[]part.*",
	},
}

// checkRequest checks the request to the upstream of x by the shapes of its API. Each turn's calls
// must have their results in the position that the API requires (FAULTS 52 to 55). An object of a
// type without a shape is allowed only if client and upstream speak the same protocol, because it
// then passes unchanged.
func checkRequest(t *testing.T, x *translator.Exchange, body []byte) {
	v := answers.Validator{Shapes: requestShapes[x.Upstream()], Vendor: x.Upstream() == x.Request.API.Name}
	request := answers.Decoded(t, body)
	require.Empty(t, v.Misfit("request", request), "%s", body)
	if !v.Vendor {
		answers.CheckKeys(t, body)
	}
	var calls, results []any // the ids of the calls and results of the current turn
	answered := func() {
		require.ElementsMatch(t, calls, results, "calls and their results: %s", body)
		calls, results = nil, nil
	}
	switch x.Upstream() {
	case "anthropic":
		seen := map[any]bool{}
		for _, turn := range request["messages"].([]any) {
			text := false
			for _, element := range turn.(map[string]any)["content"].([]any) {
				switch block := element.(map[string]any); block["type"] {
				case "tool_use":
					require.False(t, seen[block["id"]], "an id twice: %s", body)
					seen[block["id"]] = true
					calls = append(calls, block["id"])
				case "tool_result":
					require.False(t, text, "results come first: %s", body)
					results = append(results, block["tool_use_id"])
				default:
					text = true
				}
			}
			if turn.(map[string]any)["role"] != "assistant" {
				answered()
			}
		}
	case "chat":
		for _, element := range request["messages"].([]any) {
			message := element.(map[string]any)
			switch message["role"] {
			case "tool":
				results = append(results, message["tool_call_id"])
				continue
			case "function":
				results = append(results, message["name"])
				continue
			}
			answered()
			if call := child(message, "function_call"); call != nil {
				calls = append(calls, call["name"])
			}
			list, _ := message["tool_calls"].([]any)
			for _, call := range list {
				calls = append(calls, call.(map[string]any)["id"])
			}
		}
	case "gemini":
		checkContents(t, request["contents"].([]any), body)
	case "responses":
		for _, element := range request["input"].([]any) {
			switch item := element.(map[string]any); item["type"] {
			case "function_call", "custom_tool_call":
				require.Empty(t, results, "a call between results: %s", body)
				calls = append(calls, item["call_id"])
			case "function_call_output", "custom_tool_call_output":
				results = append(results, item["call_id"])
				if len(results) == len(calls) {
					answered()
				}
			case "message":
				require.Empty(t, results, "a message between results: %s", body)
			}
		}
	}
	answered()
}

// targets are upstreams that accept as little, as much, and as different things as a Target can
// express.
var targets = []ir.Target{
	{},
	{Efforts: []string{"low", "high"}, OpenAI: true, Phases: true, WebSearch: true, ToolSearch: true,
		Strict: true, ParallelFlag: true, Files: true, SystemTurns: true,
		Thinking: ir.AdaptiveThinking, ReasoningEcho: ir.EchoDetails, ResultImages: ir.NativeImages,
		MaxCompletionTokens: true},
	{Efforts: []string{"none", "medium"}, WebSearch: true, Strict: true, StrictSubset: true, PlainRoot: true,
		Thinking:      ir.BudgetThinking,
		ReasoningEcho: ir.EchoContent, NoToolEffort: true, MaxOutputTokens: 4096},
	{Efforts: []string{"minimal", "max"}, Thinking: ir.AlwaysThinking, NoForcedTool: true, NoFormat: true,
		NoSampling: true, NoStop: true,
		ReasoningEcho: ir.EchoExtra, ResultImages: ir.RefuseImages, OmitStreamUsage: true},
}

// checkTargets sends a client's body to each of the targets.
func checkTargets(t *testing.T, client, upstream, path string, body []byte) {
	pair, _ := translator.Lookup(client, upstream)
	for i := range targets {
		x, refused := pair.Decode(path, body)
		require.Nil(t, refused)
		if request, refused := x.AppendRequest(nil, &targets[i]); refused == nil {
			checkRequest(t, x, request)
		}
	}
}
