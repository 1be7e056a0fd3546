package rules

// Sources for Google's APIs.
var (
	geminiTypes       = Source{"@google/genai 3.1.0, GenerateContentParameters", read}
	signatureDocs     = Source{"ai.google.dev/gemini-api/docs/thought-signatures", read}
	interactionsTypes = Source{"@google/genai 3.1.0, CreateModelInteraction", read}
)

var gemini = []Rule{
	{"members", "a member that the API does not know", "", Drop, geminiTypes},
	{"schema-keywords", "a keyword of JSON Schema in parameters", "", Repair,
		Source{"zed-industries/zed#44875, glowingjade/obsidian-smart-composer#455", read}},
	{"contents", "no contents, a content without parts, or a part without data", "", Repair,
		quoted("googleapis/js-genai#912", "contents is not specified")},
	{"roles", "a role except user and model", "", Refuse,
		quoted("mem0ai/mem0#6393", "Please use a valid role: user, model")},
	{"empty-text", "an empty text without a signature", "", Repair,
		Source{"glowingjade/obsidian-smart-composer#218", read}},
	{"first-user", "a first content that is not the user's", "", Repair,
		Source{"google-gemini/gemini-cli#11814", read}},
	{"tool-name", "a name of a function outside ^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$", "", Repair,
		Source{"google-gemini/gemini-cli#2966", read}},
	{"tool-unique", "two functions with one name", "", Drop,
		quoted("googleapis/dotnet-genai#189", "Duplicate function declaration found")},
	{"one-schema", "parameters and parametersJsonSchema together", "", Repair, geminiTypes},
	{"results", "another number of responses than of calls, or other parts beside them", "", Repair,
		Source{"google-gemini/gemini-cli#16415", read}},
	{"last-call", "calls at the end", "", Repair, Source{"crewAIInc/crewAI#6973", read}},
	{"call-place", "a call in a content that is not the model's", "", Repair,
		quoted("google-gemini/generative-ai-js, src/methods/chat-session-helpers.ts",
			"Content with role 'user' can't contain 'functionCall' part")},
	{"response-form", "a response that is not an object", "", Repair, geminiTypes},
	{"signatures", "a call without its signature, or a signature of another vendor", "Gemini 3 and later",
		Repair, signatureDocs},
	{"call-ids", "ids of calls", "models before Gemini 3", Repair,
		Source{"google-gemini/gemini-cli#13972", read}},
	{"vertex-members", "store and serviceTier", "aiplatform.googleapis.com", Drop,
		Source{"@google/genai 3.1.0, generateContentConfigToVertex; googleapis/python-genai#2433", read}},
	{"image-type", "an image that is not PNG, JPEG, WebP, HEIC or HEIF", "", Drop,
		Source{"microsoft/vscode#286628", read}},
}

var interactions = []Rule{
	{"members", "a member that the API does not know", "", Drop, interactionsTypes},
	{"steps", "a step of another API", "", Repair, interactionsTypes},
	{"empty-text", "an empty text", "", Repair, interactionsTypes},
	{"stored", "a conversation that Google stores", "every request", Repair, interactionsTypes},
	{"required-list", "an empty list in required", "", Repair, interactionsTypes},
	{"tool-unique", "two functions with one name", "", Drop,
		Source{"googleapis/dotnet-genai#189, of generateContent", read}},
	{"choice", "a tool choice without functions", "", Repair, interactionsTypes},
	{"chosen-tool", "a choice of a function that is not offered", "", Refuse, interactionsTypes},
	{"first-user", "a first step that is not the user's", "", Repair,
		Source{"google-gemini/gemini-cli#11814, of generateContent", read}},
	{"last-model", "a last step that is the model's", "", Repair,
		Source{"langchain-ai/langchain-google#1897", read}},
	{"results", "results in another order than their calls, or a call without a result", "", Repair,
		interactionsTypes},
	{"call-id-unique", "the same id of a call twice", "", Repair, interactionsTypes},
	{"signatures", "a call without a signed thought", "", Repair, signatureDocs},
}
