package ledger

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
var reasons = slices.Concat(reasonsOpenAI, reasonsGoogle, reasonsInteractions)

// reasonsOpenAI has the reasons between the APIs of Anthropic and OpenAI.
var reasonsOpenAI = []reason{
	{"chat", "responses", "the model or the server shows no reasoning",
		"include_reasoning reasoning.exclude"},
	{"chat", "anthropic responses gemini", "a model that always thinks can't be told not to",
		"reasoning.enabled thinking"},
	{"chat", "responses", "the model accepts no effort, or only others, of which it gets the nearest",
		"reasoning.max_tokens thinking.budget_tokens"},
	{"chat", "responses", "how long the reasoning is shown can't be said there", "reasoning.summary"},
	{"chat", "responses", "the upstream refuses the keyword in schemas, which then says less",
		"response_format.json_schema.schema..*"},
	{"anthropic", "chat responses", "the upstream refuses the keyword in schemas, which then says less",
		"tools[custom].input_schema..*"},
	{"responses", "chat gemini", "models that reason tell no probabilities, nor do some servers",
		"include[]"},
	{"gemini", "chat responses", "the upstream refuses the keyword in schemas, which then says less",
		"generationConfig.responseJsonSchema.*"},
	{"gemini", "anthropic", "models that always think accept no forced tool",
		"toolConfig.functionCallingConfig"},
	{"chat", "anthropic responses gemini",
		"OpenAI's breakpoints have no form elsewhere: edgelingua sets its own where a server reads them",
		"messages[].content[text].prompt_cache_breakpoint prompt_cache_options.*"},
	{"responses", "anthropic chat gemini",
		"OpenAI's breakpoints have no form elsewhere: edgelingua sets its own where a server reads them",
		"input[].content[input_text].prompt_cache_breakpoint prompt_cache_options.*"},
	{"anthropic", "chat responses",
		"how much of its earlier reasoning a model reads is for its vendor to say",
		"context_management.edits[clear_thinking_20251015]"},
	{"anthropic", "chat responses", "only what is documented is known", "context_management.*"},
	{"anthropic", "chat responses", "only Anthropic offers it",
		"container output_config.task_budget safeguards"},
	{"anthropic", "chat responses", "only OpenAI's own service accepts it", "speed"},
	{"anthropic", "chat responses", "OpenAI's APIs have no `top_k`", "top_k"},
	{"anthropic", "responses", "the API accepts 16 and more", "max_tokens"},
	{"anthropic", "chat responses", "only the values that are documented are known", "messages[].clear_at"},
	{"anthropic", "chat responses", "the model reasons in no such mode, or the value is not documented",
		"thinking.type"},
	{"anthropic", "chat",
		"the server accepts no files, or the API has no form for it: a file by its URL, what is no text " +
			"inside a document",
		"messages[].content[document] messages[].content[tool_result].content[document]"},
	{"anthropic", "responses", "what is no text inside a document has no form there",
		"messages[].content[document]"},
	{"anthropic", "chat responses", "only Anthropic cites from documents",
		"messages[].content[document].citations messages[].content[search_result].citations"},
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
	{"chat", "responses", "the model accepts no effort, or only others, of which it gets the nearest",
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
	{"anthropic", "chat responses",
		"the model accepts no effort, or only others, of which it gets the nearest",
		"messages[].output_config.effort output_config.effort thinking"},
	{"anthropic", "chat responses",
		"it names a device and a session, which are no business of another vendor", "metadata.user_id"},
	{"anthropic", "chat responses", "the server accepts no schema for answers", "output_config.format"},
	{"anthropic", "chat responses", "models that reason refuse it", "temperature top_p"},
	{"anthropic", "chat responses", "the tool that it demands can't be told", "tool_choice"},
	{"anthropic", "chat responses", "the server does not accept `parallel_tool_calls`",
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
	{"anthropic", "chat responses", nothingDeferred,
		"tools[tool_search_tool_*]"},
	{"anthropic", "chat responses",
		"code calls tools only at Anthropic and OpenAI: newer models, beside the tool that runs it",
		"tools[].allowed_callers tools[code_execution_*] messages[].content[tool_use].caller"},
	{"anthropic", "chat responses", "the server does not accept `strict`, or not with this schema",
		"tools[].strict tools[custom].strict"},
	{"anthropic", "chat responses", "the model can't search the web", "tools[web_search_20250305]"},
	{"anthropic", "responses", "the API does not count searches, and has no domains to leave out",
		"tools[web_search_20250305].max_uses tools[web_search_20250305].blocked_domains"},
	{"anthropic", "chat", "the search accepts no domains, and does not count",
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
	{"chat", "responses", "OpenAI accepts sound only in Chat Completions", "messages[].content[input_audio]"},
	{"chat", "anthropic", "Anthropic accepts PDFs and texts", "messages[].content[file]"},
	{"chat", "anthropic responses", "a result that answers no call becomes text", "messages[]"},
	{"chat", "anthropic responses", "it is for the template of a model that a server of the user's own runs",
		"chat_template_kwargs.*"},
	{"chat", "anthropic", "how long the reasoning is shown can't be said there", "reasoning.summary"},
	{"chat", "anthropic responses", "what is not an object names no place",
		"web_search_options.user_location"},
	{"chat", "responses", "the API accepts 16 and more", "max_tokens"},
	{"chat", "anthropic", "Anthropic has no such setting",
		"messages[].content[*].image_url.detail messages[].content[*].detail verbosity " +
			"web_search_options.search_context_size"},
	{"chat", "anthropic", "Anthropic accepts no sound", "messages[].content[input_audio]"},
	{"chat", "anthropic responses", "speakers have no names there", "messages[].name"},
	{"chat", "anthropic responses", "only its vendor accepts it back",
		"messages[].reasoning_content messages[].reasoning_details[*] " +
			"messages[].tool_calls[function].extra_content"},
	{"chat", "anthropic responses", "a call without a result gets \"(no result)\"",
		"messages[].tool_calls[function]"},
	{"chat", "anthropic", "Anthropic keeps nothing with an answer", "metadata"},
	{"chat", "responses", "only OpenAI's own service accepts it",
		"metadata safety_identifier service_tier user verbosity"},
	{"chat", "anthropic responses", "of the other APIs only Google's accept videos",
		"messages[].content[video_url]"},
	{"chat", "anthropic responses",
		"the model accepts no effort, or only others, of which it gets the nearest", "reasoning_effort"},
	{"chat", "anthropic", "a format has no description there", "response_format.json_schema.description"},
	{"chat", "anthropic", "Anthropic has no such tier, or not for the model", "service_tier"},
	{"chat", "anthropic responses", "an upstream is never asked to store", "store"},
	{"chat", "anthropic responses", "the tool that it demands can't be told", "tool_choice"},
	{"chat", "anthropic responses", "a tool that its vendor runs", "tools[code_interpreter]"},
	{"chat", "anthropic responses", "the server does not accept `strict`, or not with this schema",
		"tools[function].function.strict tools[function].strict " +
			"response_format.json_schema.strict"},
	{"chat", "anthropic responses", "the upstream refuses the keyword in schemas, which then says less",
		"tools[function].function.parameters..*"},
	{"chat", "anthropic responses", "another tool has its name", "tools[function]"},
	{"chat", "responses", "the API has no `top_k`", "top_k"},
	{"chat", "anthropic gemini", "only vLLM has a negative `top_k`, for all tokens", "top_k"},
	{"chat", "anthropic responses", "the model can't search the web", "web_search_options"},

	{"responses", "anthropic chat", "no model reads an image of this type",
		"input[].content[input_image] input[function_call_output].output[input_image]"},
	{"responses", "anthropic chat", "only OpenAI offers it",
		"access_programs moderation truncation reasoning.context reasoning.mode max_tool_calls"},
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
	{"responses", "anthropic", "Anthropic accepts no sound", "input[].content[input_audio]"},
	{"responses", "chat", "the server accepts no files, or the API has no form for it: a file by its URL",
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
		"the model accepts no effort, or only others, of which it gets the nearest",
		"input[configuration_update].reasoning.effort reasoning.effort"},
	{"responses", "anthropic chat", "the format and the verbosity change only with the request",
		"input[configuration_update].text"},
	{"responses", "anthropic chat", "a call without a result gets \"(no result)\"", "input[function_call]"},
	{"responses", "anthropic chat", "run by OpenAI's server, which no other API has a form for",
		"input[web_search_call]"},
	{"responses", "anthropic chat", "an upstream is never asked to store", "metadata store"},
	{"responses", "chat", "the server does not accept `parallel_tool_calls`", "parallel_tool_calls"},
	{"responses", "anthropic chat", "how long the reasoning is shown can't be said there",
		"reasoning.summary"},
	{"responses", "chat", "only OpenAI's own service accepts it",
		"safety_identifier service_tier text.verbosity user"},
	{"responses", "anthropic chat",
		"code calls tools only at Anthropic and OpenAI: newer models, beside the tool that runs it",
		"tools[function].allowed_callers input[*].caller"},
	{"responses", "chat",
		"code calls tools only at Anthropic and OpenAI: newer models, beside the tool that runs it",
		"tools[programmatic_tool_calling]"},
	{"responses", "anthropic", "Anthropic has no such tier, or not for the model", "service_tier"},
	{"responses", "anthropic", "a format has no description there", "text.format.description"},
	{"responses", "anthropic", "Anthropic has no such setting", "text.verbosity"},
	{"responses", "anthropic chat", "the tool that it demands can't be told, or can't be demanded",
		"tool_choice tool_choice.tools[function]"},
	{"responses", "anthropic chat", "another tool has its name", "tools[function]"},
	{"responses", "anthropic chat", "the server does not accept `strict`, or not with this schema",
		"tools[function].strict"},
	{"responses", "anthropic", "the server does not accept `strict`, or not with this schema",
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
}

// Why returns the reason for the loss of a client's field at an upstream, and the pattern that
// matched the field. An unknown reason is "". What only Gemini has a reason for holds for
// Interactions too, an API of the same vendor with the same models.
func Why(client, upstream, field string) (text, pattern string) {
	if text, pattern = why(client, upstream, field); text == "" && upstream == "interactions" {
		return why(client, "gemini", field)
	}
	return text, pattern
}

func why(client, upstream, field string) (text, pattern string) {
	for i := range reasons {
		r := &reasons[i]
		if r.client != client || !slices.Contains(strings.Fields(r.upstreams), upstream) {
			continue
		}
		for pattern := range strings.FieldsSeq(r.fields) {
			if matches(pattern, field) {
				return r.why, pattern
			}
		}
	}
	return "", ""
}

// Unused returns the patterns of the table of reasons that used does not have, each as a line of the
// table. used has "client upstream pattern".
func Unused(used map[string]bool) (lines []string) {
	for _, r := range reasons {
		for upstream := range strings.FieldsSeq(r.upstreams) {
			for pattern := range strings.FieldsSeq(r.fields) {
				if !used[r.client+" "+upstream+" "+pattern] {
					lines = append(lines,
						fmt.Sprintf("{%q, %q, %q, %q},", r.client, upstream, r.why, pattern))
				}
			}
		}
	}
	return lines
}
