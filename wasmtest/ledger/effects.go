package ledger

import "strings"

// effect is a reason why members are carried that leave no trace in a translated body.
type effect struct {
	here  bool   // edgelingua itself acts on the member; false: the effect is the same without it
	root  string // the API and request or answer, "*" for all
	other string // the other side, "*" for all
	why   string
	paths string // separated by blanks; "*" stands for any characters
}

// effects has the members that are carried, but are neither in the translated body nor in the report of
// losses. All other members without a trace are faults.
//
// The effect of a member of a request is the same if the upstream's answer is the same with and without
// it. Of a member of an answer, the client knows what the member says from elsewhere.
var effects = []effect{
	{true, "*.answer", "interactions", "an interaction that is not stored has no id", "id responseId"},
	{true, "*.request", "*", "the endpoint chooses the model",
		"model"},
	{true, "*.request", "*", "edgelingua ends the answer at the sequence itself",
		"stop stop_sequences generationConfig.stopSequences generation_config.stop_sequences"},
	{true, "*.request", "*", "the path or another form of the request says it",
		"stream stream_options stream_options.include_usage"},
	{true, "*.request", "*", "it is the only or the usual value",
		"n generationConfig.candidateCount parallel_tool_calls " +
			"tools[web_search].external_web_access service_tier " +
			"mcp_servers[url].tool_configuration.enabled *.strict tools[shell].environment"},
	{true, "anthropic.request", "*", "edgelingua edits or summarizes the history itself",
		"context_management.*"},
	{true, "responses.request", "*", "edgelingua summarizes the history itself",
		"context_management context_management[].*"},
	{true, "anthropic.request", "*", "edgelingua shows or hides the reasoning itself",
		"thinking.display"},
	{true, "anthropic.request", "*", "the effort that the model accepts, or the usual one, is the same",
		"thinking thinking.budget_tokens thinking.type"},
	{true, "*.request", "*", "the effort that the model accepts, or the usual one, is the same",
		"reasoning_effort reasoning reasoning.effort input[configuration_update].reasoning* " +
			"generationConfig.thinkingConfig*"},
	{true, "anthropic.request", "*", "edgelingua leaves the message out itself when its time is over",
		"messages[].clear_at"},
	{true, "*.request", "*", "the model sees the tool once a message or a search names the tool",
		"*.defer_loading"},
	{true, "gemini.request", "*", "the place of the call or the bytes of the file say it",
		"*.functionCall.id *.functionResponse.id *.functionResponse.name *.mimeType"},
	{true, "*.request", "*", "the place of the call says it",
		"messages[].name input[function_result].name"},
	{true, "gemini.request", "*", "the upstream's usual mode checks arguments, and clients see the searches",
		"toolConfig.functionCallingConfig.mode toolConfig.includeServerSideToolInvocations"},
	{true, "responses.request", "*",
		"the client gets whatever it can include, whenever the upstream sends it",
		"include"},
	{true, "responses.request", "*", "all reasoning of the history is sent",
		"reasoning.context"},

	{false, "*.request", "*",
		"a hint for the prompt cache: the other vendors' servers cache without hints, or get breakpoints " +
			"that edgelingua sets itself",
		"*cache_control *cache_control.ttl *cache_control.type prompt_cache_key prompt_cache_retention"},
	{false, "*.request", "*", "padding of a stream, which no client reads",
		"stream_options.include_obfuscation"},
	{false, "anthropic.request", "*", "it only sets how Anthropic splits arguments into deltas",
		"*.eager_input_streaming"},
	{false, "anthropic.request", "*", "the client itself, which runs the tool, acts on it",
		"tools[computer_*].display_number tools[text_editor_*].max_characters"},
	{false, "anthropic.request", "*", "the summary's text is sent: only its vendor reads another form",
		"messages[].content[compaction].*"},
	{false, "*.request", "*", "names a thing, and no model of another vendor sees the name",
		"response_format.json_schema.name text.format.name *.displayName input[*].id " +
			"input[function_call_output].name input[function_call_output].namespace"},
	{false, "gemini.request", "*", "the arguments of a call are always an object",
		"tools[].functionDeclarations[].parameters.nullable"},
	{false, "responses.request", "*", "a record of what OpenAI or the client has done, which no model sees",
		"input[*].status input[*].async input[*].environment* input[*].execution " +
			"input[*].max_output_length input[*].pending_safety_checks* " +
			"input[*].acknowledged_safety_checks* input[*].logprobs* " +
			"input[message].phase"},

	{true, "*.request", "*", "the other API has one word for both values",
		"input[message].role tools[web_search].type tools[web_search_preview].type"},
	{true, "anthropic.request", "*", "the bytes of the image say it", "*[image].source.media_type"},

	{true, "interactions.request", "*", "the bytes of the file say it", "*.mime_type"},
	{false, "interactions.request", "*", "the client cites what the model has cited: the model gets its text",
		"*.annotations*"},

	{true, "*.answer", "*", "an answer without calls, or without a stop sequence, ends as any other",
		"choices[].finish_reason stop_reason"},
	{true, "responses.answer", "gemini", "edgelingua has the bytes of a token from its text",
		"*.logprobs[].bytes *.top_logprobs[].bytes"},
	{true, "anthropic.answer", "gemini", "only a web search has a form there, whatever its name",
		"content[server_tool_use].name"},
	{true, "*.answer", "*", "clients get the model's name that they sent",
		"model modelVersion"},
	{true, "*.answer", "*", "edgelingua writes the member from others",
		"object role type *total_tokens *.totalTokenCount output_text choices[].index candidates[].index " +
			"candidates[].content.role stop_sequence " +
			"incomplete_details.reason output[web_search_call].action.query " +
			"candidates[].groundingMetadata.groundingSupports[].segment.partIndex"},
	{true, "*.answer", "*", "edgelingua names the items, and says their states itself",
		"output[*].id output[*].status output[message].phase steps[google_search_*].*id"},
	{true, "*.answer", "*", "the answer has a time of its own, and so has the response's header",
		"created created_at completed_at updated createTime"},
	{true, "*.answer", "*", "the client knows what its request said",
		"instructions background conversation* max_output_tokens max_tool_calls " +
			"previous_response_id prompt prompt_cache_key prompt_cache_options* " +
			"prompt_cache_retention reasoning safety_identifier temperature text top_logprobs " +
			"top_p user metadata labels agent agent_config cached_content environment " +
			"environment_id generation_config input previous_interaction_id response_format " +
			"response_mime_type response_modalities safety_settings system_instruction tools " +
			"webhook_config steps image image.* tool_choice parallel_tool_calls " +
			"steps[function_result].* steps[user_input].*"},
	{true, "interactions.answer", "*", "repeats a part of the steps",
		"output_audio output_image output_video"},
	{true, "*.answer", "*", "a part of a number that the client gets",
		"usage.* usageMetadata.* candidates[].tokenCount"},
	{true, "*.answer", "*", "the token's text and its probability say it", "*.tokenId *.logProbabilitySum"},
	{true, "*.answer", "*", "the client gets the search, the call or the citation in its API's form",
		"content[text].citations[*].* content[web_search_tool_result].* output[mcp_call].* " +
			"output[tool_search_call].* output[web_search_call].* *.url_citation.* " +
			"*.annotations[url_citation].* " +
			"candidates[].groundingMetadata.groundingSupports*"},
	{true, "interactions.answer", "*", "the client gets the error's code and message",
		"steps[model_output].error.details"},
	{true, "gemini.answer", "*", "the client gets the whole call",
		"*.willContinue"},
}

// Remark is a reason why members are carried that leave no trace in a translated body.
type Remark struct {
	Root, Why string
	Paths     []string
}

// Remarks returns the reasons for members that are carried without a trace.
func Remarks() (all []Remark) {
	for _, e := range effects {
		all = append(all, Remark{e.root, e.why, strings.Fields(e.paths)})
	}
	return all
}

// effectOf returns the first entry of effects for a member, and the pattern that matches it, or nil.
func effectOf(root, path, other string) (*effect, string) {
	for i := range effects {
		s := &effects[i]
		if !matches(s.root, root) || !matches(s.other, other) {
			continue
		}
		for pattern := range strings.FieldsSeq(s.paths) {
			if matches(pattern, path) {
				return s, pattern
			}
		}
	}
	return nil, ""
}

// matches reports whether a pattern matches all of a text.
func matches(pattern, text string) bool {
	head, rest, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, head)
	for ; ok; text = text[1:] {
		if matches(rest, text) {
			return true
		}
		if text == "" {
			break
		}
	}
	return false
}
