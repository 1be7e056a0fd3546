package ledger

import "strings"

// silence is a reason why no report of losses names some members.
type silence struct {
	here  bool   // edgelingua itself acts on the member; false: the member is lost
	root  string // the API and request or answer, "*" for all
	other string // the other side, "*" for all
	why   string
	paths string // separated by blanks; "*" stands for any characters
}

// unreported has the members without a place in reports of losses. A report names changes of an
// answer's meaning. These members would be in every report, and would say nothing.
var unreported = []silence{
	{true, "*.request", "*", "the endpoint chooses the model",
		"model"},
	{true, "*.request", "*", "edgelingua ends the answer at the sequence itself",
		"stop stop_sequences generationConfig.stopSequences"},
	{true, "*.request", "*", "the path or another form of the request says it",
		"stream stream_options stream_options.include_usage"},
	{true, "*.request", "*", "it is the only or the usual value",
		"n generationConfig.candidateCount parallel_tool_calls contents[].role " +
			"tools[web_search].external_web_access service_tier output_format " +
			"mcp_servers[url].tool_configuration.enabled *.strict tools[shell].environment"},
	{true, "anthropic.request", "*", "edgelingua edits or summarizes the history itself",
		"context_management.*"},
	{true, "responses.request", "*", "edgelingua summarizes the history itself",
		"context_management context_management[].*"},
	{true, "anthropic.request", "*", "edgelingua shows or hides the reasoning itself",
		"thinking.display"},
	{true, "anthropic.request", "*", "the effort that the model accepts, or the usual one, is the same",
		"thinking thinking.budget_tokens"},
	{true, "*.request", "*", "the effort that the model accepts, or the usual one, is the same",
		"reasoning_effort reasoning reasoning.effort input[configuration_update].reasoning* " +
			"generationConfig.thinkingConfig*"},
	{true, "anthropic.request", "*", "edgelingua leaves the message out itself when its time is over",
		"messages[].clear_at"},
	{true, "*.request", "*", "the model sees the tool once a message or a search names the tool",
		"*.defer_loading"},
	{true, "gemini.request", "*", "the place of the call or the bytes of the file say it",
		"*.functionCall.id *.functionResponse.id *.functionResponse.name *.mimeType"},
	{true, "chat.request", "*", "the place of the call says it",
		"messages[].name"},
	{true, "gemini.request", "*", "the upstream's usual mode checks arguments, and clients see the searches",
		"toolConfig.functionCallingConfig.mode toolConfig.includeServerSideToolInvocations"},

	{false, "*.request", "*", "it only affects the vendor's bill",
		"*cache_control *cache_control.ttl *prompt_cache_breakpoint " +
			"*prompt_cache_breakpoint.ttl prompt_cache_options* prompt_cache_key " +
			"prompt_cache_retention"},
	{false, "*.request", "*", "padding of a stream, which no client reads",
		"stream_options.include_obfuscation"},
	{false, "anthropic.request", "*", "it only sets how Anthropic splits arguments into deltas",
		"*.eager_input_streaming"},
	{false, "anthropic.request", "*", "the client itself, which runs the tool, acts on it",
		"tools[computer_*].display_number tools[text_editor_*].max_characters"},
	{false, "anthropic.request", "*", "only the vendor of the summary reads it",
		"messages[].content[compaction].*"},
	{false, "anthropic.request", "*", "the tools of an MCP server are unknown here",
		"messages[].content[tool_addition].tool.name"},
	{false, "*.request", "*", "names a thing that the model does not see",
		"response_format.json_schema.name text.format.name *.displayName input[*].id " +
			"input[function_call_output].name input[function_call_output].namespace"},
	{false, "responses.request", "*", "records of the client or of OpenAI, which no model sees",
		"input[*].status input[*].async input[*].environment* input[*].execution " +
			"input[*].max_output_length input[*].pending_safety_checks* " +
			"input[*].acknowledged_safety_checks* input[*].logprobs* input[*].annotations " +
			"input[message].phase"},
	{false, "responses.request", "*", "the answer has no such items without their tools",
		"include"},
	{false, "responses.request", "*", "all reasoning is sent anyway",
		"reasoning.context"},
	{false, "gemini.request", "*", "only a signature makes it reasoning of a model",
		"contents[].parts[].thought"},
	{false, "gemini.request", "*", "it counts only with the mode ANY or VALIDATED",
		"toolConfig.functionCallingConfig.allowedFunctionNames"},

	{true, "*.answer", "*", "clients get the model's name that they sent",
		"model modelVersion"},
	{true, "*.answer", "*", "edgelingua writes the member from others",
		"*total_tokens *.totalTokenCount output_text choices[].index candidates[].index " +
			"candidates candidates[].content.role usageMetadata stop_sequence " +
			"incomplete_details.reason"},
	{false, "*.answer", "*", "the client's API has no place for the time",
		"created created_at completed_at updated createTime"},
	{false, "*.answer", "*", "repeats the request, or names its stored parts",
		"instructions background conversation* max_output_tokens max_tool_calls " +
			"previous_response_id prompt prompt_cache_key prompt_cache_options* " +
			"prompt_cache_retention reasoning safety_identifier temperature text top_logprobs " +
			"top_p user metadata labels agent agent_config cached_content environment " +
			"environment_id generation_config input previous_interaction_id response_format " +
			"response_mime_type response_modalities safety_settings system_instruction tools " +
			"webhook_config output_audio output_image output_video steps image"},
	{false, "*.answer", "*", "comes only if the request asks for it, which is reported there",
		"moderation prompt_cache_diagnostics* diagnostics.* candidates[].continuationToken " +
			"continuation_token continuation_ids errors*"},
	{false, "*.answer", "*", "only details of the usage, or of another vendor's bill",
		"usage usage.* usageMetadata.* tool_usage* candidates[].tokenCount"},
	{false, "*.answer", "*", "about the vendor's service, and not about the answer",
		"system_fingerprint modelStatus* candidates[].avgLogprobs candidates[].safetyRatings* " +
			"promptFeedback.safetyRatings candidates[].finishMessage *.tokenId " +
			"*.logProbabilitySum"},
	{false, "*.answer", "*", "the citation or the search has a form of its own there",
		"content[text].citations[*].* content[web_search_tool_result].* output[mcp_call].* " +
			"output[tool_search_call].* output[web_search_call].* *.url_citation.* " +
			"*.annotations[url_citation].* steps[google_search_*].* " +
			"candidates[].groundingMetadata.groundingSupports*"},
	{false, "*.answer", "*", "names an item, or its state before the answer's end",
		"output[*].id output[*].status output[*].async output[message].phase"},
	{false, "interactions.answer", "*", "repeats the request, or is no text of a summary",
		"steps[function_result].* steps[user_input].* steps[thought].summary"},
	{false, "anthropic.answer", "*", "how much an edit of the history has removed",
		"context_management.applied_edits*"},
	{false, "gemini.answer", "*", "only a thought with text is shown",
		"*.parts[].thought *.willContinue"},
}

// indexOf returns the index of the first entry of unreported for a member, or -1.
func indexOf(root, path, other string) int {
	for i, s := range unreported {
		if !matches(s.root, root) || !matches(s.other, other) {
			continue
		}
		for pattern := range strings.FieldsSeq(s.paths) {
			if matches(pattern, path) {
				return i
			}
		}
	}
	return -1
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
