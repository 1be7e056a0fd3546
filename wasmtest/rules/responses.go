package rules

// Sources for OpenAI's Responses API.
var (
	responseTypes = Source{"openai 7.55.0, ResponseCreateParams", read}
	responseDocs  = Source{"developers.openai.com/api/reference/resources/responses", known}
	mcpLabels     = Source{"ComposioHQ/composio, an example of the Agents SDK; fhswf/openai-ui#159", read}
)

var responses = []Rule{
	{"members", "a member that the API does not know, as stop", "", Drop, responseTypes},
	{"items", "an item of an unknown type", "", Repair, responseTypes},
	{"stored", "references to stored items, where nothing is stored", "", Repair, responseDocs},
	{"roles", "a role that the API does not know", "", Refuse, responseTypes},
	{"parts", "a part in the form of another API, or of another role", "", Repair, responseTypes},
	{"image-form", "an image's URL in an object", "", Repair, responseTypes},
	{"image-type", "an image that is not PNG, JPEG, GIF or WebP", "", Drop,
		Source{"open-webui/open-webui#30100", read}},
	{"file-name", "a file without a name", "", Repair, responseTypes},
	{"item-id", "an id of an item twice, or with another prefix than its type's", "", Repair,
		Source{"vercel/ai#13307", read}},
	{"call-id", "a call_id with more than 64 characters", "", Repair,
		Source{"AnswerDotAI/fastllm#45", read}},
	{"call-id-unique", "the same call_id twice", "", Repair,
		Source{"alvesvaren/zod-to-openai-tool#263", read}},
	{"tool-name", "a name of a tool or namespace outside ^[a-zA-Z0-9_-]{1,64}$", "", Repair, responseTypes},
	{"arguments", "arguments that are not a string", "", Repair, responseTypes},
	{"results", "a call without one output of its type, or an output without its call", "", Repair,
		Source{"developers.openai.com/api/docs/guides/function-calling", known}},
	{"reasoning", "reasoning that the API did not encrypt, or under another id", "", Drop,
		Source{"developers.openai.com/api/docs/guides/reasoning", known}},
	{"reasoning-order", "reasoning without the item after it, or a call without its reasoning", "", Repair,
		Source{"developers.openai.com/api/docs/guides/reasoning", known}},
	{"chosen-tool", "a choice of a tool that is not offered", "", Refuse, responseDocs},
	{"tool-form", "a tool of another API", "", Repair, responseTypes},
	{"tool-unique", "two tools with one name", "", Drop, responseDocs},
	{"schema-strict", "keywords, optional properties and open objects in a strict schema", "", Repair,
		outputs},
	{"limit", "max_output_tokens below 16", "", Repair, responseDocs},
	{"format-name", "a schema of the answer without a name", "", Repair, responseTypes},
	{"format-root", "a schema of the answer that does not describe objects", "", Drop, formatRoot},
	{"custom", "a custom tool in the form of Chat Completions", "", Repair, responseTypes},
	{"namespace", "a namespace without tools or description, or with a tool twice", "", Repair,
		Source{"openai 7.55.0, NamespaceTool", read}},
	{"deferred", "deferred tools without tool_search, or tool_search without deferred tools", "", Repair,
		Source{"developers.openai.com/api/docs/guides/tools-tool-search", known}},
	{"additional-tools", "additional_tools that are not the developer's", "", Repair,
		Source{"openai 7.55.0, ResponseInputItem.AdditionalTools", read}},
	{"compaction", "a compaction that the API did not encrypt, or a trigger that is not last", "", Repair,
		responseDocs},
	{"metadata", "more than 16 metadata, or longer ones than 512 characters", "", Drop,
		Source{"openai 7.55.0, Shared.Metadata", read}},
	{"mcp", "an MCP server without TLS", "", Drop, Source{"openai 7.55.0, Tool.Mcp", read}},
	{"mcp-label", "a label of an MCP server outside ^[a-zA-Z][a-zA-Z0-9_-]*$", "", Repair, mcpLabels},
	{"file-type", "a file whose data URL has no media type", "", Drop, responseTypes},
	{"phases", "a phase where the model has none, or a missing phase where it has", "by model", Repair,
		Source{"openai 7.55.0, ResponseOutputMessage.phase", read}},
}
