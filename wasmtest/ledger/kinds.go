package ledger

import (
	"slices"
	"strings"
)

// kind is a kind of members, and why the other sides lose or refuse all of them. The reasons of
// reasons.go, for single fields and upstreams, come first.
type kind struct {
	root   string // the API and request or answer
	others string // the other sides, separated by spaces; "*" for all
	why    string
	paths  string // separated by spaces; a "*" matches any characters
}

const (
	runsCode = "code calls tools only at Anthropic and OpenAI: newer models, beside the tool that " +
		"runs it"
	inTypes         = "some types in the list are lost: each type has a row of its own"
	noStrict        = "the server does not accept `strict`, or not with this schema"
	nearest         = "the model accepts no effort, or only others, of which it gets the nearest"
	noForce         = "models that always think accept no forced tool"
	nothingDeferred = "no tool is deferred: the model has all of them, and needs no search"
)

// kinds has the kinds of lost and refused members. The first match counts. TestKinds finds members
// without a reason, and patterns without a member.
var kinds = []kind{
	{"anthropic.request", "*", "it is about Anthropic's bill", "billing_policy* fallback_credit_token*"},
	{"anthropic.request", "*", "names Anthropic's models or regions", "fallbacks* inference_geo"},
	{"anthropic.request", "*", "names an answer that Anthropic has stored", "diagnostics* thread*"},
	{"anthropic.request", "*", "asks for a summary of Anthropic's instead of an answer", "compaction*"},
	{"anthropic.request", "*", "names a container and skills on Anthropic's servers",
		"container* messages[].content[container_upload]*"},
	{"anthropic.request", "*", "how much of its earlier reasoning a model reads is for its vendor to say",
		"context_management context_management.edits context_management.edits[clear_thinking_20251015]*"},
	{"anthropic.request", "*", "only Anthropic offers it",
		"output_config.task_budget* messages[].content[image].transformations* thinking.block_binding*"},
	{"anthropic.request", "*", "of a document in blocks, only texts have a form in the hub",
		"*[document].source *[document].source.type *[document].source.content " +
			"*[document].source.content[image]*"},
	{"anthropic.request", "*", "only Anthropic cites from documents",
		"messages[].content[document].citations*"},
	{"anthropic.request", "*", "MCP servers are called by the upstream's server, or not at all",
		"mcp_servers* tools[mcp_toolset]*"},
	{"anthropic.request", "*", "the tools of a set, and a browser's state, are Anthropic's",
		"messages[].content[tool_result].content[browser_state]* *.toolset_name " +
			"tools[browser_toolset_*]* tools[computer_toolset_*]*"},
	{"anthropic.request", "*", "a tool that Anthropic's servers ran has no form in another API's history",
		"messages[].content[*tool_result].* messages[].content[mcp_tool_*]* " +
			"messages[].content[server_tool_use]*"},
	{"anthropic.request", "*", "tells which of Anthropic's models answered", "messages[].content[fallback]*"},
	{"anthropic.request", "*", "models that reason refuse it, and so do some APIs",
		"temperature top_k top_p"},
	{"anthropic.request", "*", "the tools of an MCP server are unknown here",
		"messages[].content[tool_removal]* messages[].content[tool_addition]*"},
	{"anthropic.request", "*", "an earlier answer's citations have no form in the history",
		"*[text].citations*"},
	{"anthropic.request", "*", inTypes, "messages[].content tools"},
	{"anthropic.request", "*", nearest, "messages[].output_config* output_config output_config.effort"},
	{"anthropic.request", "*", "it names a device and a session, which are no business of another vendor",
		"metadata"},
	{"anthropic.request", "gemini", "models before Gemini 3 accept no format beside tools", "output_format*"},
	{"anthropic.request", "*", "a model that always thinks can't be told not to", "thinking thinking.type"},
	{"anthropic.request", "*", noForce, "tool_choice*"},
	{"anthropic.request", "*", runsCode, "tools[*].allowed_callers tools[code_execution_*]*"},
	{"anthropic.request", "*", "only Anthropic runs the tool, unless the endpoint has the option advisor",
		"tools[advisor_*]*"},
	{"anthropic.request", "*", nothingDeferred, "tools[tool_search_tool_*]*"},
	{"responses.request", "*", nothingDeferred, "tools[tool_search]*"},
	{"anthropic.request", "chat responses", "the server reads no pages by their URLs", "tools[web_fetch_*]*"},
	{"anthropic.request", "gemini interactions",
		"the reading of pages accepts no domains, sources and numbers, and not all models read pages",
		"tools[web_fetch_*]*"},
	{"anthropic.request", "*", "the model can't search the web, or not with this setting",
		"tools[web_search_*]*"},
	{"anthropic.request", "*", noStrict, "tools[*].strict"},
	{"anthropic.request", "*", "an action that only Anthropic's models know",
		"tools[computer_*].enable_zoom"},

	{"chat.request", "*", "answers are text there", "audio* modalities messages[].audio*"},
	{"chat.request", "*", "models that reason refuse it",
		"frequency_penalty presence_penalty logit_bias logprobs top_logprobs temperature top_p"},
	{"chat.request", "*", "the API accepts 16 and more", "max_completion_tokens"},
	{"chat.request", "*", "only OpenAI offers it", "moderation* prediction*"},
	{"chat.request", "*", "OpenAI's breakpoints have no form elsewhere: edgelingua sets its own where a " +
		"server reads them", "messages[].content[*].prompt_cache_breakpoint* prompt_cache_options*"},
	{"chat.request", "*", "the server accepts no files, or not this one", "messages[].content[file]*"},
	{"chat.request", "*", inTypes, "messages[].content"},
	{"chat.request", "*", "only OpenAI's own service accepts it",
		"metadata safety_identifier user service_tier verbosity parallel_tool_calls"},
	{"chat.request", "*", nearest, "reasoning_effort"},
	{"chat.request", "*", noStrict, "*.strict"},
	{"chat.request", "*", "an upstream is never asked to store", "store"},
	{"chat.request", "*", "the tool that it demands is unknown there, or can't be demanded", "tool_choice*"},
	{"chat.request", "*", "the model can't search the web, or not with this setting", "web_search_options*"},
	{"chat.request", "*", "the upstream's server accepts only other sizes of images", "*.image_url.detail"},
	{"chat.request", "*", "speakers have no names there", "messages[].name"},

	{"responses.request", "*", "only OpenAI offers it",
		"access_programs* image* max_tool_calls moderation* reasoning.mode reasoning.context truncation"},
	{"responses.request", "*", "runs only at an endpoint that stores responses, on the local host",
		"background"},
	{"responses.request", "*", "names what OpenAI has stored",
		"conversation* previous_response_id prompt prompt.* input[item_reference]*"},
	{"responses.request", "*", "models that reason tell no probabilities, nor do other vendors", "include " +
		"top_logprobs"},
	{"responses.request", "*", "OpenAI's breakpoints have no form elsewhere: edgelingua sets its own where " +
		"a server reads them", "*.prompt_cache_breakpoint* prompt_cache_options*"},
	{"responses.request", "*", "asks for a summary of OpenAI's instead of an answer",
		"input[compaction_trigger]*"},
	{"responses.request", "*", "a tool that OpenAI's servers ran has no form in another API's history",
		"input[code_interpreter_call]* input[file_search_call]* input[image_generation_call]* " +
			"input[program* input[mcp_* input[web_search_call]*"},
	{"responses.request", "*", "an earlier answer's citations have no form in the history",
		"input[message].content[output_text].annotations*"},
	{"responses.request", "*", "only its vendor can read the reasoning", "input[reasoning]*"},
	{"responses.request", "*", "an image has no detail there, or only others",
		"input[*[input_image].detail"},
	{"responses.request", "*", "a stored file, which another vendor has not got", "input[*.file_id"},
	{"responses.request", "*", "the server accepts no files, or not at this place, or not by a URL",
		"input[*].content[input_file]* input[*].output[input_file]*"},
	{"responses.request", "*", inTypes,
		"input tools input[additional_tools].tools input[tool_search_output].tools input[message].content " +
			"input[*call_output].output"},
	{"responses.request", "*", runsCode, "*tools[programmatic_tool_calling]*"},
	{"responses.request", "*", "only OpenAI runs the tool",
		"tools[code_interpreter]* tools[image_generation]* tools[shell].environment* " +
			"input[tool_search_output].tools[code_interpreter]* " +
			"input[tool_search_output].tools[image_generation]*"},
	{"responses.request", "*", "MCP servers are called by the upstream's server, or not at all",
		"input[tool_search_output].tools[mcp]*"},
	{"responses.request", "*", runsCode, "*.allowed_callers"},
	{"responses.request", "*", "a call is always answered before the model goes on", "*.async"},
	{"responses.request", "*", "what a function returns is told by its description", "*.output_schema"},
	{"responses.request", "*", noStrict, "*.strict"},
	{"responses.request", "*", nearest,
		"input[configuration_update].reasoning* input[configuration_update].type reasoning.effort"},
	{"responses.request", "*", "the format and the verbosity change only with the request",
		"input[configuration_update].text*"},
	{"responses.request", "*", "how long the reasoning is shown can't be said there",
		"reasoning.generate_summary reasoning.summary"},
	{"responses.request", "*", "models that reason refuse it", "temperature top_p"},
	{"responses.request", "*", "only OpenAI's own service accepts it", "service_tier parallel_tool_calls"},
	{"responses.request", "*", "models before Gemini 3 accept no format beside tools",
		"text text.format text.format.*"},
	{"responses.request", "*", "an upstream is never asked to store", "store"},
	{"responses.request", "*", "the API accepts 16 and more", "max_output_tokens"},
	{"responses.request", "*", "the tool that it demands is unknown there, or can't be demanded",
		"tool_choice*"},
	{"responses.request", "*", "the model can't search the web, or not with this setting",
		"tools[web_search_preview].*"},

	{"gemini.request", "*", "the function-calling forms of the Live API, in which answers come in parts",
		"*.partialArgs* *.willContinue *.scheduling *.behavior automaticContinuation continuationToken " +
			"toolConfig.functionCallingConfig.streamFunctionCallArguments"},
	{"gemini.request", "*", "names what Google has stored", "cachedContent"},
	{"gemini.request", "*", "an upstream is never asked to store", "store"},
	{"gemini.request", "*", "a tool that Google's servers ran has no form in another API's history",
		"contents[].parts[].toolCall* contents[].parts[].toolResponse* " +
			"contents[].parts[].executableCode* contents[].parts[].codeExecutionResult*"},
	{"gemini.request", "*", "it is about a part of sound or video, or its processing at Google",
		"*.audioTranscription* *.mediaProcessing contents[].parts[].mediaResolution* " +
			"*.speechMetadata* *.videoMetadata* " +
			"*.partMetadata"},
	{"gemini.request", "*", "only the model that made the reasoning reads it",
		"*.thoughtSignature contents[].parts[].thought"},
	{"gemini.request", "*", inTypes, "tools generationConfig"},
	{"gemini.request", "*", "answers are text there: images, sound and videos can't be made",
		"generationConfig.speechConfig* generationConfig.responseModalities imageConfig* " +
			"generationOutputConfig* generationConfig.responseFormat*"},
	{"gemini.request", "*", "only Google offers it",
		"generationConfig.audio* generationConfig.enable* generationConfig.mediaResolution " +
			"generationConfig.modelSelectionConfig* generationConfig.routingConfig* " +
			"generationConfig.translationConfig* labels modelArmorConfig* safetySettings* " +
			"toolConfig.retrievalConfig*"},
	{"gemini.request", "*", "models that reason refuse it, and so do some APIs",
		"generationConfig.frequencyPenalty generationConfig.presencePenalty generationConfig.temperature " +
			"generationConfig.topP generationConfig.topK generationConfig.seed"},
	{"gemini.request", "*", "models that reason tell no probabilities, nor do other vendors",
		"generationConfig.logprobs generationConfig.responseLogprobs"},
	{"gemini.request", "*", "a schema without a media type, or beside another schema, is Google's own error",
		"generationConfig.responseJsonSchema generationConfig.responseSchema*"},
	{"gemini.request", "*", "models before Gemini 3 accept no format beside tools",
		"generationConfig.responseMimeType"},
	{"gemini.request", "*", nearest, "generationConfig.thinkingConfig*"},
	{"gemini.request", "*", noForce, "toolConfig.functionCallingConfig.allowedFunctionNames"},
	{"gemini.request", "*", "what a function returns is told by its description",
		"*.functionDeclarations[].response*"},
	{"gemini.request", "*", "the search accepts no domains, times and kinds, and not all models search",
		"tools[].googleSearch*"},
	{"gemini.request", "*", "only Google runs the tool", "tools[].*"},

	{"interactions.request", "*", "an answer is never made in the background: no state is between requests",
		"background continuation_token"},
	{"interactions.request", "*", "names what Google has stored", "cached_content previous_interaction_id"},
	{"interactions.request", "*", "a container or an agent's tools on Google's servers", "environment*"},
	{"interactions.request", "*", "answers are text there: images, sound and videos can't be made",
		"generation_config.image_config* generation_config.speech_config* " +
			"generation_config.video_config* response_modalities response_format.*"},
	{"interactions.request", "*", "only Google writes sound down", "generation_config.transcription_config*"},
	{"interactions.request", "*", "models that reason refuse it, and so do some APIs",
		"generation_config.temperature generation_config.top_p generation_config.seed"},
	{"interactions.request", "*", nearest,
		"generation_config.thinking_level generation_config.thinking_summaries"},
	{"interactions.request", "*", noForce, "generation_config.tool_choice*"},
	{"interactions.request", "*", "the API accepts 16 and more", "generation_config.max_output_tokens"},
	{"interactions.request", "*", inTypes, "generation_config tools response_format"},
	{"interactions.request", "*", "the server accepts no such file, or not by a URL, and no settings of it",
		"input.*"},
	{"interactions.request", "*", "only its vendor can read it", "input[thought]*"},
	{"interactions.request", "*", "an answer that failed is in no history", "input[model_output].error*"},
	{"interactions.request", "*", "a tool that Google's servers ran has no form in another API's history",
		"input[*"},
	{"interactions.request", "*", "only Google offers it", "labels safety_settings* webhook_config*"},
	{"interactions.request", "*", "an upstream is never asked to store", "store"},
	{"interactions.request", "*", "the API has no such tier", "service_tier"},
	{"interactions.request", "*", "some models accept no format beside tools", "response_mime_type"},
	{"interactions.request", "*", "only Google runs the tool, or with these settings", "tools[*"},

	{"anthropic.answer", "*", "code that Anthropic runs called the search, and has no form in the hub",
		"content[web_search_tool_result].caller*"},
	{"anthropic.answer", "*", "names a container on Anthropic's servers",
		"container* content[container_upload]*"},
	{"anthropic.answer", "*", inTypes, "content"},
	{"anthropic.answer", "*", "the client's API has no such end", "stop_reason"},
	{"anthropic.answer", "*", "a tool that Anthropic's servers ran has no form in the client's API",
		"content[advisor_tool_result]* content[*code_execution_tool_result]* content[mcp_*]* " +
			"content[server_tool_use]* content[tool_search_tool_result]* content[web_fetch_tool_result]*"},
	{"anthropic.answer", "*", "Chat Completions tells citations, and no searches",
		"content[web_search_tool_result]*"},
	{"anthropic.answer", "*", "only clients of Messages can read a summary of Anthropic's",
		"content[compaction]*"},
	{"anthropic.answer", "*", "tells which of Anthropic's models answered",
		"content[fallback]* stop_details.*"},
	{"anthropic.answer", "*", "a citation of a document of the request has no form in the client's API",
		"content[text].citations*"},
	{"anthropic.answer", "*", "the tools of a set are Anthropic's", "content[tool_use].toolset_name"},
	{"anthropic.answer", "*", "calls of code have no form in the client's API", "content[tool_use].caller*"},
	{"anthropic.answer", "*", "tells what Anthropic has changed in the request", "input_transformations*"},

	{"anthropic.answer", "*", "about Anthropic's service or its bill, and not about the answer",
		"diagnostics* usage.* context_management*"},

	{"chat.answer", "*", "about the vendor's service, and not about the answer",
		"moderation* system_fingerprint"},
	{"chat.answer", "*", "Anthropic's API has no probabilities", "choices[].logprobs*"},
	{"chat.answer", "*", "answers are text there", "choices[].message.audio*"},
	{"chat.answer", "*", "no request of this client has such a tool", "choices[].message.tool_calls*"},
	{"chat.answer", "*", "the client's API has no such tier", "service_tier"},

	{"responses.answer", "*", "tells what OpenAI has changed in the request", "input_transformations*"},
	{"responses.answer", "*", "about OpenAI's service or its bill, and not about the answer",
		"moderation* prompt_cache_diagnostics* tool_usage*"},
	{"responses.answer", "*", "a translated call always waits for its result",
		"output[function_call].async output[custom_tool_call].async"},
	{"responses.answer", "*", "tells which of OpenAI's programs the account is in", "access_programs*"},
	{"responses.answer", "*", "a tool that OpenAI's servers ran has no form in the client's API",
		"output[additional_tools]* output[apply_patch_* output[code_interpreter_call]* output[computer_* " +
			"output[file_search_call]* output[image_generation_call]* output[local_shell_* output[mcp_* " +
			"output[program* output[shell_* output[tool_search_* output[*_output]*"},
	{"responses.answer", "*", "Chat Completions tells citations, and no searches; other APIs tell no " +
		"visits of pages", "output[web_search_call]*"},
	{"responses.answer", "*", "only clients of Responses can read a summary of OpenAI's",
		"output[compaction]*"},
	{"responses.answer", "*", "no request of this client has such a tool",
		"output[custom_tool_call]* output[function_call].*"},
	{"responses.answer", "*", "a citation of a stored file has no form in the client's API",
		"output[message].content[output_text].annotations*"},
	{"responses.answer", "*", "Anthropic's API has no probabilities",
		"output[message].content[output_text].logprobs*"},
	{"responses.answer", "*", inTypes, "output"},
	{"responses.answer", "*", "the client's API has no such tier", "service_tier"},
	{"responses.answer", "*", "an answer that failed, or is not complete, is an error",
		"error status"},

	{"gemini.answer", "*", "Anthropic's API has no probabilities", "candidates[].logprobsResult*"},
	{"gemini.answer", "*", "the client gets the URLs that the answer cites, and no other details",
		"candidates[].citationMetadata* candidates[].groundingMetadata* candidates[].urlContextMetadata*"},
	{"gemini.answer", "*", "about Google's service or its bill, and not about the answer",
		"candidates[].avgLogprobs candidates[].safetyRatings* candidates[].continuationToken " +
			"promptFeedback.safetyRatings* modelStatus* usageMetadata.trafficType"},
	{"gemini.answer", "*", "an answer that failed is an error", "candidates[].finishReason"},
	{"gemini.answer", "*", "a tool that Google's servers ran has no form in the client's API",
		"*.executableCode* *.codeExecutionResult* *.functionResponse*"},
	{"gemini.answer", "*", "answers are text there: images, sound and videos have no form",
		"*.audioTranscription* *.fileData* *.inlineData* *.media* *.partMetadata *.speechMetadata* " +
			"*.videoMetadata*"},
	{"gemini.answer", "*", "only reasoning, calls and searches have a signature in other APIs",
		"*.thoughtSignature"},

	{"interactions.answer", "*", "an answer that failed, or is not complete, is an error",
		"status steps[model_output].error"},
	{"interactions.answer", "*", "about Google's service or its bill, and not about the answer",
		"continuation_* errors* usage.grounding_tool_count*"},
	{"interactions.answer", "*", "Chat Completions tells citations, and no searches; other details are " +
		"Google's", "steps[google_search_*"},
	{"interactions.answer", "*", "answers are text there: images, sound and videos have no form",
		"steps[model_output].content*"},
	{"interactions.answer", "*", "a tool that Google's servers ran has no form in the client's API",
		"steps*"},
	{"interactions.answer", "*", "the client's API has no such tier", "service_tier"},
}

// kindOf returns the reason of the first kind with a member, and the kind's pattern. An unknown reason
// is "".
func kindOf(root, other, path string) (text, pattern string) {
	for i := range kinds {
		k := &kinds[i]
		if k.root != root || k.others != "*" && !slices.Contains(strings.Fields(k.others), other) {
			continue
		}
		for pattern := range strings.FieldsSeq(k.paths) {
			if matches(pattern, path) {
				return k.why, pattern
			}
		}
	}
	return "", ""
}
