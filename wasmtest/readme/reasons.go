package readme

import (
	"fmt"
	"slices"
	"strings"
)

// reason says why upstreams of some protocols cannot receive some fields of a client's requests,
// always or in some cases.
type reason struct {
	client    string
	upstreams string // names of protocols, separated by spaces
	why       string // the end of a table row, so the first letter is small, except in a name
	fields    string // forms as in the tables, separated by spaces; a "*" matches any characters
}

// reasons has a reason for each field in the tables and each upstream that loses the field. The
// first match counts. TestReasons names missing and unused reasons.
var reasons = []reason{
	{"anthropic", "chat responses",
		"how much of its earlier reasoning a model reads is for its vendor to say",
		"context_management.edits[clear_thinking_20251015]"},
	{"anthropic", "chat responses", "only what is documented is known", "context_management.*"},
	{"anthropic", "chat responses", "only Anthropic offers it", "output_config.task_budget safeguards"},
	{"anthropic", "chat responses", "only OpenAI's own service takes it", "speed"},
	{"anthropic", "chat responses", "OpenAI's APIs have no `top_k`", "top_k"},
	{"anthropic", "responses", "the API takes 16 and more", "max_tokens"},
	{"anthropic", "chat responses", "only the values that are documented are known",
		"messages[].clear_at thinking.type"},
	{"anthropic", "chat",
		"the server takes no files, or the API has no form for it: a file by its URL, what is no text " +
			"inside a document",
		"messages[].content[document] messages[].content[tool_result].content[document]"},
	{"anthropic", "responses", "what is no text inside a document has no form there",
		"messages[].content[document]"},
	{"anthropic", "chat responses", "only Anthropic cites from documents",
		"messages[].content[document].citations"},
	{"anthropic", "responses", "a file by its URL has no name there", "messages[].content[document].title"},
	{"anthropic", "chat responses", "a system message holds nothing but text, and some models read only text",
		"messages[].content[image]"},
	{"anthropic", "responses gemini", "some models read only text",
		"messages[].content[tool_result].content[image]"},
	{"chat", "responses", "models that reason refuse it", "temperature top_p"},
	{"chat", "gemini", "the newest models pass over it", "temperature top_p"},
	{"chat", "gemini", "the newest models tell no probabilities", "logprobs top_logprobs"},
	{"chat", "anthropic", "models refuse it beside a temperature", "top_p"},
	{"chat", "anthropic responses", "some models read only text", "messages[].content[image_url]"},
	{"chat", "gemini", "some models read only text", "messages[].content[input_audio]"},
	{"chat", "anthropic", "the model shows no reasoning", "include_reasoning"},
	{"gemini", "anthropic chat", "the model or the API shows no reasoning",
		"generationConfig.thinkingConfig.includeThoughts"},
	{"chat", "responses", "the model takes no effort, or only others, of which it gets the nearest",
		"reasoning.effort"},
	{"anthropic", "chat responses", "only its vendor can read it",
		"messages[].content[redacted_thinking] messages[].content[thinking]"},
	{"anthropic", "chat responses",
		"a search that Anthropic's server ran has no form in another API's history",
		"messages[].content[server_tool_use] messages[].content[text].citations"},
	{"anthropic", "chat responses", "what an MCP server of Anthropic's has is unknown here",
		"messages[].content[tool_addition]"},
	{"anthropic", "chat", "the option `tool_result_images` refuses them, or the model reads only text",
		"messages[].content[tool_result].content[image]"},
	{"anthropic", "chat responses", "a call without a result gets \"(no result)\"",
		"messages[].content[tool_use]"},
	{"anthropic", "chat responses", "the model takes no effort, or only others, of which it gets the nearest",
		"messages[].output_config.effort output_config.effort thinking"},
	{"anthropic", "chat responses",
		"it names a device and a session, which are no business of another vendor", "metadata.user_id"},
	{"anthropic", "chat responses", "the server takes no schema for answers", "output_config.format"},
	{"anthropic", "chat responses", "models that reason refuse it", "temperature top_p"},
	{"anthropic", "chat responses", "the tool that it demands can't be told", "tool_choice"},
	{"anthropic", "chat responses", "the server does not take `parallel_tool_calls`",
		"tool_choice.disable_parallel_tool_use"},
	{"anthropic", "chat responses", "another tool has its name", "tools[]"},
	{"anthropic", "chat responses", "what is not a list does not show how to call", "tools[].input_examples"},
	{"anthropic", "chat responses", "the upstream refuses the keyword in schemas, which then says less",
		"tools[].input_schema..* output_config.format.schema..*"},
	{"anthropic", "chat responses", "the model does not go on from a beginning of its answer",
		"messages[].content[text]"},
	{"anthropic", "chat responses", "a result that answers no call becomes text",
		"messages[].content[tool_result]"},
	{"anthropic", "chat responses",
		"the upstream's server calls no MCP servers, or not as the client wants it", "mcp_servers[url]"},
	{"anthropic", "chat", "the API has no MCP servers", "tools[mcp_toolset]"},
	{"anthropic", "chat responses", "the model's server does not search tools: it sees all of them",
		"messages[].content[tool_search_tool_result] tools[tool_search_tool_*]"},
	{"anthropic", "chat responses",
		"code that its vendor runs can't call tools elsewhere: the model calls them itself",
		"tools[].allowed_callers tools[code_execution_*] messages[].content[tool_use].caller"},
	{"anthropic", "chat responses", "the server does not take `strict`, or not with this schema",
		"tools[].strict tools[custom].strict"},
	{"anthropic", "chat responses", "the model can't search the web", "tools[web_search_20250305]"},
	{"anthropic", "responses", "the API does not count searches, and has no domains to leave out",
		"tools[web_search_20250305].max_uses tools[web_search_20250305].blocked_domains"},
	{"anthropic", "chat", "the search takes no domains, and does not count",
		"tools[web_search_20250305].max_uses tools[web_search_20250305].allowed_domains"},
	{"anthropic", "responses", "OpenAI reads no pages by their URLs", "tools[web_fetch_20250910]"},

	{"chat", "anthropic responses", "answers are text there", "audio messages[].audio modalities"},
	{"chat", "anthropic responses", "the API has no such setting",
		"frequency_penalty presence_penalty repetition_penalty logit_bias seed prediction"},
	{"chat", "anthropic responses", "it is for `functions`, of which there are none", "function_call"},
	{"chat", "responses", "the server can't be told to call one function at a time",
		"functions parallel_tool_calls"},
	{"chat", "anthropic", "Anthropic tells no probabilities", "logprobs top_logprobs"},
	{"chat", "responses", "models that reason tell no probabilities, nor do some servers",
		"logprobs top_logprobs"},
	{"chat", "responses", "OpenAI takes sound in Chat Completions alone", "messages[].content[input_audio]"},
	{"chat", "anthropic", "Anthropic takes PDFs and texts", "messages[].content[file]"},
	{"chat", "anthropic responses", "a result that answers no call becomes text", "messages[]"},
	{"chat", "anthropic responses", "it is for the template of a model that a server of the user's own runs",
		"chat_template_kwargs.*"},
	{"chat", "anthropic", "how long the reasoning is shown can't be said there", "reasoning.summary"},
	{"chat", "responses", "the API takes 16 and more", "max_tokens"},
	{"chat", "anthropic", "Anthropic has no such setting",
		"messages[].content[*].image_url.detail messages[].content[*].detail verbosity " +
			"web_search_options.search_context_size"},
	{"chat", "anthropic", "Anthropic takes no sound", "messages[].content[input_audio]"},
	{"chat", "anthropic responses", "speakers have no names there", "messages[].name"},
	{"chat", "anthropic responses", "only its vendor takes it back",
		"messages[].reasoning_content messages[].reasoning_details[*] " +
			"messages[].tool_calls[function].extra_content"},
	{"chat", "anthropic responses", "a call without a result gets \"(no result)\"",
		"messages[].tool_calls[function]"},
	{"chat", "anthropic", "Anthropic keeps nothing with an answer", "metadata"},
	{"chat", "responses", "only OpenAI's own service takes it",
		"metadata safety_identifier service_tier user verbosity"},
	{"chat", "anthropic responses", "of the other APIs only Google's take videos",
		"messages[].content[video_url]"},
	{"chat", "anthropic responses",
		"the model takes no effort, or only others, of which it gets the nearest", "reasoning_effort"},
	{"chat", "anthropic", "a format has no description there", "response_format.json_schema.description"},
	{"chat", "anthropic", "Anthropic has no such tier, or not for the model", "service_tier"},
	{"chat", "anthropic responses", "an upstream is never asked to store", "store"},
	{"chat", "anthropic responses", "the tool that it demands can't be told", "tool_choice"},
	{"chat", "anthropic responses", "a tool that its vendor runs", "tools[code_interpreter]"},
	{"chat", "anthropic responses", "the server does not take `strict`, or not with this schema",
		"tools[function].strict response_format.json_schema.strict"},
	{"chat", "anthropic responses", "the upstream refuses the keyword in schemas, which then says less",
		"tools[function].function.parameters..*"},
	{"chat", "anthropic responses", "another tool has its name", "tools[function]"},
	{"chat", "responses", "the API has no `top_k`", "top_k"},
	{"chat", "anthropic gemini", "only vLLM has a negative `top_k`, for all tokens", "top_k"},
	{"chat", "anthropic responses", "the model can't search the web", "web_search_options"},

	{"responses", "anthropic chat", "no model reads an image of this type",
		"input[].content[input_image] input[function_call_output].output[input_image]"},
	{"responses", "anthropic chat", "only OpenAI offers it",
		"access_programs moderation truncation reasoning.mode max_tool_calls"},
	{"responses", "anthropic chat", "without a threshold OpenAI chooses one by the window of its model",
		"context_management[compaction].compact_threshold"},
	{"responses", "anthropic", "only OpenAI offers it", "include[]"},
	{"responses", "anthropic chat", "only OpenAI runs it",
		"tools[file_search] tools[code_interpreter] tools[shell] tools[function].async " +
			"tools[function].output_schema"},
	{"responses", "anthropic", "Anthropic has no such setting",
		"input[].content[*].detail input[function_call_output].output[input_image].detail"},
	{"responses", "chat", "only images are looked at with a detail of low, high or auto",
		"input[].content[*].detail"},
	{"responses", "anthropic", "Anthropic takes no sound", "input[].content[input_audio]"},
	{"responses", "chat", "the server takes no files, or the API has no form for it: a file by its URL",
		"input[].content[input_file]"},
	{"responses", "anthropic chat", "no tool of the namespace that the model sees can hold it",
		"*tools[namespace].description"},
	{"responses", "anthropic chat",
		"the upstream's server calls no MCP servers, or calls them without asking and without headers",
		"tools[mcp]* input[mcp_*]"},
	{"responses", "anthropic chat", "only its vendor can read it",
		"input[agent_message] input[compaction] input[context_compaction] input[reasoning] " +
			"input[function_call].encrypted_function_args " +
			"input[function_call_output].output[encrypted_content]"},
	{"responses", "anthropic chat",
		"the model takes no effort, or only others, of which it gets the nearest",
		"input[configuration_update].reasoning.effort reasoning.effort"},
	{"responses", "anthropic chat", "the format and the verbosity change only with the request",
		"input[configuration_update].text"},
	{"responses", "anthropic chat", "a call without a result gets \"(no result)\"", "input[function_call]"},
	{"responses", "anthropic chat", "run by OpenAI's server, which no other API has a form for",
		"input[tool_search_call] input[tool_search_output] input[web_search_call] tools[tool_search]"},
	{"responses", "anthropic chat", "an upstream is never asked to store", "metadata store"},
	{"responses", "chat", "the server does not take `parallel_tool_calls`", "parallel_tool_calls"},
	{"responses", "anthropic chat", "how long the reasoning is shown can't be said there",
		"reasoning.summary"},
	{"responses", "chat", "only OpenAI's own service takes it",
		"safety_identifier service_tier text.verbosity user"},
	{"responses", "anthropic chat",
		"code that its vendor runs can't call tools elsewhere: the model calls them itself",
		"tools[function].allowed_callers input[*].caller"},
	{"responses", "anthropic", "Anthropic has no such tier, or not for the model", "service_tier"},
	{"responses", "anthropic", "a format has no description there", "text.format.description"},
	{"responses", "anthropic", "Anthropic has no such setting", "text.verbosity"},
	{"responses", "anthropic chat", "the tool that it demands can't be told, or can't be demanded",
		"tool_choice tool_choice.tools[function]"},
	{"responses", "anthropic chat", "another tool has its name", "tools[function]"},
	{"responses", "anthropic chat", "the server does not take `strict`, or not with this schema",
		"tools[function].strict"},
	{"responses", "anthropic", "the server does not take `strict`, or not with this schema",
		"text.format.strict"},
	{"responses", "anthropic chat", "the upstream refuses the keyword in schemas, which then says less",
		"text.format.schema..*"},
	{"responses", "anthropic chat", "an earlier answer's citations have no form in the history",
		"input[message].content[output_text].annotations"},
	{"responses", "anthropic chat", "it names what was not stored", "input[item_reference]"},
	{"responses", "anthropic chat", "a result that answers no call becomes text",
		"input[function_call_output]"},
	{"responses", "anthropic chat", "the model can't search the web", "tools[web_search]"},
	{"responses", "anthropic", "Anthropic tells no probabilities", "top_logprobs"},

	{"anthropic", "gemini", "only what is documented is known",
		"context_management.edits[clear_images_20991231] " +
			"context_management.edits[clear_tool_uses_20250919].later context_management.more"},
	{"anthropic", "gemini", "how much of its earlier reasoning a model reads is for its vendor to say",
		"context_management.edits[clear_thinking_20251015]"},
	{"anthropic", "gemini", "the upstream's server calls no MCP servers, or not as the client wants it",
		"mcp_servers[url]"},
	{"anthropic", "gemini", "only the values that are documented are known",
		"messages[].clear_at thinking.type"},
	{"anthropic", "gemini", "the model does not go on from a beginning of its answer",
		"messages[].content messages[].content[text]"},
	{"anthropic", "gemini",
		"the model takes no URLs of files, or not this type, or what is no text inside a document",
		"messages[].content[document]"},
	{"anthropic", "gemini", "only Anthropic cites from documents", "messages[].content[document].citations"},
	{"anthropic", "gemini", "a system message holds nothing but text, and some models read only text",
		"messages[].content[image]"},
	{"anthropic", "gemini", "only its vendor can read it",
		"messages[].content[redacted_thinking] messages[].content[thinking]"},
	{"anthropic", "gemini", "a search that Anthropic's server ran has no form in another API's history",
		"messages[].content[server_tool_use] messages[].content[text].citations"},
	{"anthropic", "gemini", "what an MCP server of Anthropic's has is unknown here",
		"messages[].content[tool_addition]"},
	{"anthropic", "gemini", "a result that answers no call becomes text", "messages[].content[tool_result]"},
	{"anthropic", "gemini", "the model's server does not search tools: it sees all of them",
		"messages[].content[tool_search_tool_result] tools[tool_search_tool_bm25_20251119] " +
			"tools[tool_search_tool_regex_20251119]"},
	{"anthropic", "gemini", "a call without a result gets \"(no result)\"", "messages[].content[tool_use]"},
	{"anthropic", "gemini", "the model takes no effort, or only others, of which it gets the nearest",
		"messages[].output_config.effort output_config.effort thinking"},
	{"anthropic", "gemini", "it names a device and a session, which are no business of another vendor",
		"metadata.user_id"},
	{"anthropic", "gemini", "models before Gemini 3 take no format beside tools", "output_config.format"},
	{"anthropic", "gemini", "the upstream refuses the keyword in schemas, which then says less",
		"output_config.format.schema..required tools[].input_schema..$ref tools[].input_schema..format " +
			"tools[].input_schema..minimum tools[].input_schema..oneOf tools[].input_schema..required"},
	{"anthropic", "gemini", "only Anthropic offers it", "output_config.task_budget safeguards"},
	{"anthropic", "gemini", "only the values that are documented are known", "speed"},
	{"chat", "gemini", "Google has no such tier", "service_tier"},
	{"anthropic", "gemini", "the newest models pass over it", "temperature top_k top_p"},
	{"anthropic", "gemini", "the tool that it demands can't be told", "tool_choice"},
	{"anthropic", "gemini", "the API can't be told to call one function at a time",
		"tool_choice.disable_parallel_tool_use"},
	{"anthropic", "gemini", "another tool has its name", "tools[]"},
	{"anthropic", "gemini",
		"code that its vendor runs can't call tools elsewhere: the model calls them itself",
		"tools[].allowed_callers tools[code_execution_20250825] messages[].content[tool_use].caller"},
	{"anthropic", "gemini", "what is not a list does not show how to call", "tools[].input_examples"},
	{"anthropic", "gemini", "the API has no MCP servers", "tools[mcp_toolset]"},
	{"anthropic", "gemini", "the model can't search the web", "tools[web_search_20250305]"},
	{"anthropic", "gemini", "the search and the reading of pages take no places, domains and numbers",
		"tools[web_search_20250305].* tools[web_fetch_20250910].*"},

	{"chat", "gemini", "answers are text there", "audio messages[].audio modalities"},
	{"chat", "gemini", "it is for the template of a model that a server of the user's own runs",
		"chat_template_kwargs.custom"},
	{"chat", "gemini", "only Gemini 2.0 takes it", "frequency_penalty presence_penalty"},
	{"chat", "gemini", "it is for `functions`, of which there are none", "function_call"},
	{"chat", "gemini", "the API can't be told to call one function at a time",
		"functions parallel_tool_calls"},
	{"chat", "gemini", "the API has no such setting", "logit_bias prediction repetition_penalty"},
	{"chat", "gemini", "a result that answers no call becomes text", "messages[]"},
	{"chat", "gemini", "the model takes no URLs of files, not this type, or only text",
		"messages[].content[file] messages[].content[image_url] messages[].content[input_image]"},
	{"chat", "gemini", "speakers have no names there", "messages[].name"},
	{"chat", "gemini", "only its vendor takes it back",
		"messages[].reasoning_content messages[].reasoning_details[] " +
			"messages[].reasoning_details[reasoning.encrypted] " +
			"messages[].reasoning_details[reasoning.summary] " +
			"messages[].reasoning_details[reasoning.text] messages[].tool_calls[function].extra_content"},
	{"chat", "gemini", "a call without a result gets \"(no result)\"", "messages[].tool_calls[function]"},
	{"chat", "gemini", "Google keeps nothing with an answer", "metadata"},
	{"chat", "gemini", "how long the reasoning is shown can't be said there", "reasoning.summary"},
	{"chat", "gemini", "the model takes no effort, or only others, of which it gets the nearest",
		"reasoning_effort"},
	{"chat", "gemini", "models before Gemini 3 take no format beside tools", "response_format"},
	{"chat", "gemini", "a format has no description there", "response_format.json_schema.description"},
	{"chat", "gemini", "Google is not told who the user is", "safety_identifier user"},
	{"chat", "gemini", "an upstream is never asked to store", "store"},
	{"chat", "gemini", "the tool that it demands can't be told", "tool_choice"},
	{"chat", "gemini", "a tool that its vendor runs", "tools[code_interpreter]"},
	{"chat", "gemini", "another tool has its name", "tools[function]"},
	{"chat", "gemini", "the upstream refuses the keyword in schemas, which then says less",
		"tools[function].function.parameters..*"},
	{"chat", "gemini", "Google has no such setting", "verbosity"},
	{"chat", "gemini", "the model can't search the web", "web_search_options"},
	{"chat", "gemini", "the search takes no places, and no size of what it finds", "web_search_options.*"},

	{"responses", "gemini",
		"code that its vendor runs can't call tools elsewhere: the model calls them itself",
		"tools[function].allowed_callers input[*].caller"},
	{"responses", "gemini", "only OpenAI offers it",
		"access_programs max_tool_calls moderation reasoning.mode truncation"},
	{"responses", "gemini", "without a threshold OpenAI chooses one by the window of its model",
		"context_management[compaction].compact_threshold"},
	{"responses", "gemini", "the model takes no URLs of files, or not this type",
		"input[].content[image_url] input[].content[input_file] input[].content[input_image] " +
			"input[function_call_output].output[input_image] input[computer_call_output].output"},
	{"responses", "gemini", "only its vendor can read it",
		"input[agent_message] input[compaction] input[context_compaction] " +
			"input[function_call].encrypted_function_args " +
			"input[function_call_output].output[encrypted_content] input[reasoning]"},
	{"responses", "gemini", "the model takes no effort, or only others, of which it gets the nearest",
		"input[configuration_update].reasoning.effort reasoning.effort"},
	{"responses", "gemini", "the format and the verbosity change only with the request",
		"input[configuration_update].text"},
	{"responses", "gemini", "a call without a result gets \"(no result)\"", "input[function_call]"},
	{"responses", "gemini", "a result that answers no call becomes text", "input[function_call_output]"},
	{"responses", "gemini", "an image has no detail there",
		"input[function_call_output].output[input_image].detail"},
	{"responses", "gemini", "it names what was not stored", "input[item_reference]"},
	{"responses", "gemini",
		"the upstream's server calls no MCP servers, or calls them without asking and without headers",
		"input[mcp_approval_request] input[mcp_approval_response] tools[mcp]"},
	{"responses", "gemini", "an earlier answer's citations have no form in the history",
		"input[message].content[output_text].annotations"},
	{"responses", "gemini", "run by OpenAI's server, which no other API has a form for",
		"input[tool_search_call] input[tool_search_output] input[web_search_call] tools[tool_search]"},
	{"responses", "gemini", "no tool of the namespace that the model sees can hold it",
		"input[tool_search_output].tools[namespace].description tools[namespace].description"},
	{"responses", "gemini", "an upstream is never asked to store", "metadata store"},
	{"responses", "gemini", "the API can't be told to call one function at a time", "parallel_tool_calls"},
	{"responses", "gemini", "how long the reasoning is shown can't be said there", "reasoning.summary"},
	{"responses", "gemini", "Google is not told who the user is", "safety_identifier user"},
	{"responses", "gemini", "a format has no description there", "text.format.description"},
	{"responses", "gemini", "the upstream refuses the keyword in schemas, which then says less",
		"text.format.schema..minLength"},
	{"responses", "gemini", "Google has no such setting", "text.verbosity"},
	{"responses", "gemini", "the tool that it demands can't be told, or can't be demanded",
		"tool_choice tool_choice.tools[function]"},
	{"responses", "gemini", "only OpenAI runs it",
		"tools[code_interpreter] tools[file_search] tools[function].async tools[function].output_schema " +
			"tools[shell]"},
	{"responses", "gemini", "another tool has its name", "tools[function]"},
	{"responses", "gemini", "the model can't search the web", "tools[web_search]"},
	{"responses", "gemini", "the search takes no places, domains and sizes", "tools[web_search].*"},
	{"responses", "anthropic", "the search takes one list of domains, and no size",
		"tools[web_search].search_context_size tools[web_search].filters.blocked_domains"},
	{"gemini", "responses", "the API has no domains to leave out", "tools[].googleSearch.excludeDomains"},

	{"gemini", "anthropic chat responses",
		"reasoning that only its vendor can read, what Google has run, a call without a result, or a " +
			"result of none", "contents[].parts[]"},
	{"gemini", "anthropic chat responses", "no other API takes videos", "contents[].parts[].videoMetadata"},
	{"gemini", "anthropic chat responses", "no other API takes sound with times",
		"generationConfig.audioTimestamp"},
	{"gemini", "anthropic chat responses", "only Google offers it",
		"generationConfig.enableEnhancedCivicAnswers generationConfig.mediaResolution labels " +
			"safetySettings toolConfig.retrievalConfig"},
	{"gemini", "anthropic responses", "the API has no such setting",
		"generationConfig.frequencyPenalty generationConfig.presencePenalty generationConfig.seed"},
	{"gemini", "anthropic", "the API tells no probabilities",
		"generationConfig.logprobs generationConfig.responseLogprobs"},
	{"gemini", "anthropic",
		"the upstream cannot enforce the schema, so the model is asked in words or by a tool",
		"generationConfig.responseJsonSchema"},
	{"gemini", "anthropic", "the upstream refuses the keyword in schemas, which then says less",
		"generationConfig.responseSchema.propertyOrdering"},
	{"gemini", "anthropic chat responses", "answers are text there", "generationConfig.speechConfig"},
	{"gemini", "anthropic chat responses",
		"the model takes no effort, or only others, of which it gets the nearest",
		"generationConfig.thinkingConfig.thinkingBudget generationConfig.thinkingConfig.thinkingLevel"},
	{"gemini", "anthropic", "models refuse it beside a temperature", "generationConfig.topP"},
	{"gemini", "anthropic chat responses",
		"the vendor sells no such tier by request, or only OpenAI's own service takes it", "serviceTier"},
	{"gemini", "anthropic chat responses", "no other API holds all calls to their schemas by one word",
		"toolConfig.functionCallingConfig.mode"},
	{"gemini", "anthropic chat responses", "only Google runs it", "tools[]"},
	{"gemini", "anthropic chat responses", "a call is always answered before the model goes on",
		"tools[].functionDeclarations[].behavior"},
	{"gemini", "anthropic chat responses", "a function has one schema: the other one counts",
		"tools[].functionDeclarations[].parameters"},
	{"gemini", "anthropic chat responses", "the choice is asked for in words",
		"generationConfig.responseSchema"},
	{"gemini", "anthropic chat responses", "what a function returns is told by its description",
		"tools[].functionDeclarations[].response"},
	{"gemini", "chat responses", "OpenAI's APIs have no `top_k`", "generationConfig.topK"},
	{"gemini", "responses", "the API takes 16 and more", "generationConfig.maxOutputTokens"},
}

// why returns the reason for the loss of a client's field at an upstream, and the pattern that
// matched the field. An unknown reason is "".
func why(client, upstream, field string) (text, pattern string) {
	for i := range reasons {
		r := &reasons[i]
		if r.client != client || !slices.Contains(strings.Fields(r.upstreams), upstream) {
			continue
		}
		for pattern := range strings.FieldsSeq(r.fields) {
			if fits(pattern, field) {
				return r.why, pattern
			}
		}
	}
	return "", ""
}

// fits reports whether a pattern matches the form of a field. A "*" matches any characters.
func fits(pattern, form string) bool {
	lead, end, open := strings.Cut(pattern, "*")
	if !open {
		return pattern == form
	}
	rest, ok := strings.CutPrefix(form, lead)
	for i := 0; ok && i <= len(rest); i++ {
		if fits(end, rest[i:]) {
			return true
		}
	}
	return false
}

// mismatches compares reasons with the lost fields. It returns fields without a reason and reasons
// without a field, each as a line of the table reasons.
func mismatches(lost []loss) (missing, unused []string) {
	used := map[string]bool{}
	for _, l := range lost {
		text, pattern := why(l.client, l.upstream, l.field)
		if line := fmt.Sprintf("{%q, %q, %q, %q},", l.client, l.upstream, "?", l.field); text == "" &&
			!slices.Contains(missing, line) {
			missing = append(missing, line)
		}
		used[l.client+" "+l.upstream+" "+pattern] = true
	}
	for _, r := range reasons {
		for upstream := range strings.FieldsSeq(r.upstreams) {
			for pattern := range strings.FieldsSeq(r.fields) {
				if !used[r.client+" "+upstream+" "+pattern] {
					unused = append(unused, fmt.Sprintf("{%q, %q, %q, %q},", r.client, upstream, r.why,
						pattern))
				}
			}
		}
	}
	return missing, unused
}
