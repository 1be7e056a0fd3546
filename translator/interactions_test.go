package translator_test

import "edgelingua/wasmtest/answers"

// interactionsRequest are the shapes of the requests to an Interactions upstream
// (CreateModelInteraction of @google/genai 3.3.0). They list only members that the translator writes.
var interactionsRequest = answers.Shapes{
	"request": "model:string store:bool [stream]:bool [system_instruction]:string input:[]step.* " +
		"[tools]:[]tool.* [generation_config]:config [response_format]:format.* " +
		"[service_tier]:'flex'|'priority' [safety_settings]:[]object [labels]:object",
	"config": "[max_output_tokens]:integer [temperature]:number [top_p]:number [seed]:integer " +
		"[stop_sequences]:[]string [thinking_level]:string [thinking_summaries]:'auto' " +
		"[tool_choice]:'any'|'none'|'validated'|choice",
	"choice":  "allowed_tools:allowed",
	"allowed": "mode:'any'|'validated' tools:[]string",

	"format.text": "type:string mime_type:'application/json' [schema]:object",

	"tool.function":      "type:string name:string [description]:string parameters:object",
	"tool.google_search": "type:string",
	"tool.url_context":   "type:string",

	"step.user_input":    "type:string content:[]content.*",
	"step.model_output":  "type:string content:[]content.*",
	"step.thought":       "type:string signature:string [summary]:[]content.text",
	"step.function_call": "type:string id:string name:string arguments:object",
	"step.function_result": "type:string call_id:string name:string [is_error]:bool " +
		"result:string|[]content.*",

	"content.text":     "type:string text:string",
	"content.image":    "type:string [mime_type]:string [data]:string [uri]:string [resolution]:'low'|'high'",
	"content.audio":    "type:string mime_type:string [data]:string [uri]:string",
	"content.video":    "type:string [mime_type]:string [data]:string [uri]:string",
	"content.document": "type:string [mime_type]:string [data]:string [uri]:string",
}
