package ledger

// reasonsInteractions has the reasons between Google's Interactions and the other APIs.
var reasonsInteractions = []reason{
	{"interactions", "anthropic chat responses gemini", "only what is documented is known",
		"novel *.novel"},
	{"interactions", "anthropic chat responses gemini", "only Google offers it",
		"labels safety_settings webhook_config generation_config.speech_config " +
			"tools[google_search].search_types input[function_call].signature"},
	{"interactions", "anthropic chat responses gemini",
		"the mode `validated` makes every schema strict; other APIs have a flag for each tool",
		"generation_config.tool_choice"},
	{"interactions", "anthropic chat responses gemini", "code that ran at Google has no form there",
		"input[code_execution_call] input[code_execution_result]"},
	{"interactions", "anthropic chat responses gemini",
		"a search that ran before has no form there: the texts after it have what was found",
		"input[google_search_call]"},
	{"interactions", "anthropic chat responses gemini", "only low and high have a form there, if any",
		"input[image].resolution"},
	{"interactions", "anthropic chat responses gemini", "only its vendor can read it", "input[thought]"},
	{"interactions", "anthropic chat responses gemini", "nothing is stored at an endpoint without a store",
		"store"},
	{"interactions", "anthropic chat responses gemini",
		"the model or the server has no such tool, and the endpoint runs none",
		"tools[google_search] tools[url_context]"},
	{"interactions", "anthropic chat responses gemini",
		"the model accepts no effort, or only others, of which it gets the nearest",
		"generation_config.thinking_level"},
	{"interactions", "anthropic gemini", "the model or the API shows no reasoning",
		"generation_config.thinking_summaries"},
	{"interactions", "anthropic responses", "the API has no penalties and no seed",
		"generation_config.presence_penalty generation_config.seed"},
	{"interactions", "anthropic", "models refuse it beside a temperature", "generation_config.top_p"},
	{"interactions", "chat responses", "OpenAI's APIs have no `top_k`", "generation_config.top_k"},
	{"interactions", "anthropic chat responses", "the API has no such tier", "service_tier"},
	{"interactions", "anthropic", "the API has no form for sound", "input[audio]"},
	{"interactions", "chat gemini", "the server accepts no files, or none by their URLs", "input[document]"},
	{"interactions", "gemini", "the model accepts no images by their URLs", "input[image]"},
	{"gemini", "interactions", "the API has no form for it",
		"contents[].parts[].videoMetadata generationConfig.audioTimestamp generationConfig.mediaResolution " +
			"generationConfig.speechConfig generationConfig.topK generationConfig.frequencyPenalty " +
			"generationConfig.presencePenalty generationConfig.logprobs generationConfig.responseLogprobs " +
			"labels safetySettings toolConfig.retrievalConfig tools[].functionDeclarations[].behavior " +
			"tools[].functionDeclarations[].response tools[].googleSearch.excludeDomains"},
	{"gemini", "interactions", "only what is documented is known",
		"generationConfig.enableEnhancedCivicAnswers"},
	{"gemini", "interactions", "Google gets signatures only in the API in which it made them",
		"contents[].parts[]"},
	{"gemini", "interactions", "models accept a level, if any, and no number of tokens",
		"generationConfig.thinkingConfig.thinkingBudget generationConfig.thinkingConfig.thinkingLevel " +
			"generationConfig.thinkingConfig.includeThoughts"},
	{"gemini", "interactions", "some models accept none beside tools", "generationConfig.responseSchema"},
	{"gemini", "interactions", "a client's own `VALIDATED` holds for all schemas",
		"toolConfig.functionCallingConfig.mode"},
	{"gemini", "interactions", "a tool that only generateContent has, or that the model does not run",
		"tools[]"},
	{"gemini", "interactions", "of two schemas one counts", "tools[].functionDeclarations[].parameters"},
	{"responses", "interactions", "the API tells no probabilities", "include[] top_logprobs"},
}
