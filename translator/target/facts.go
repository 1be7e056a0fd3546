package target

// Facts are the flags of a Target.
type Facts uint64

const (
	CompletionTokens   Facts = 1 << iota // Chat: the limit is called max_completion_tokens
	ToolsWithoutEffort                   // Chat: functions are rejected together with a reasoning effort
	Files                                // documents are accepted as files
	FileURLs                             // Chat and Gemini: documents are accepted as URLs of files
	SystemTurns                          // Messages: role system is accepted among the messages
	Parallel                             // parallel_tool_calls is accepted
	Search                               // Messages, Responses and Gemini: the upstream can search the web
	ChatSearch                           // Chat: the upstream can search the web
	ToolSearch                           // Messages and Responses: the upstream can search deferred tools
	// Messages and Responses: the upstream runs code that calls the client's tools
	Programs
	// the model's calls and formats conform to a schema marked strict
	Strict
	PlainRoot       // the root of a schema must be a plain object: no union
	PlainKeys       // keys of properties in the schemas of tools: ir.Target.PlainKeys
	DefinedRequired // "required" of a schema may only list properties
	NoFormat        // no schema is accepted for the answer's text
	AnswerTool      // where no schema is accepted, a forced tool can carry the answer
	NoSampling      // temperature, top_p and top_k are rejected
	TopK            // Chat: top_k is accepted
	// Chat and Gemini: presence_penalty and frequency_penalty are rejected
	NoPenalties
	RandomSeed // Chat: the seed is called random_seed
	// a final assistant message is not continued: ir.NoPrefill
	Anew
	Prefix       // Chat: a final assistant message is continued, see ir.PrefixPrefill
	NoStop       // stop sequences are rejected
	NoLogprobs   // logprobs are rejected
	IsOpenAI     // OpenAI's own service
	UsageUnasked // Chat: a stream has usage by default, and stream_options is rejected
	Budget       // Messages and Gemini: thinking accepts a number of tokens
	Adaptive     // Messages: thinking can be adaptive
	// Messages: thinking can't be disabled. Gemini: thinking accepts a level
	AlwaysThinks
	ThinkingObject // Chat: thinking is turned off as in ir.ObjectSwitch
	ThinkingFlag   // Chat: thinking is turned off as in ir.FlagSwitch
	NoForcedTool   // a tool call can't be forced; Chat: while the model thinks
	EchoContent    // Chat: reasoning goes back as in ir.EchoContent
	EchoBoth       // Chat: reasoning goes back as in ir.EchoBoth
	EchoDetails    // Chat: reasoning goes back as in ir.EchoDetails
	EchoExtra      // Chat: reasoning goes back as in ir.EchoExtra
	// Gemini, and Chat with EchoExtra: a call is accepted without its thought signature
	Unsigned
	ShortCallIDs // Chat: call ids have nine letters and digits
	ThinkTags    // Chat: text begins with reasoning in tags: ir.Target.ThinkTags
	// Chat: answers may be flat, and content is a string: ir.Target.FlatAnswers, TextContent
	Cloudflare
	ThinkingTemplate // Chat: thinking is turned off as in ir.TemplateSwitch
	ThinkingArgument // Chat: thinking is turned on and off as in ir.ArgumentSwitch
	ThinkingMember   // Chat: thinking is turned off as in ir.ReasoningSwitch
	// Messages and Chat: cache_control is accepted with all members. The translator adds
	// breakpoints if the client has none
	Caching
	Breakpoints // Chat: cache_control is accepted with all members
	TextOnly    // images and audio are rejected
	Thinks      // the model reasons unless its thinking is turned off
	// the model reasons only if the request has an effort
	ThinksOnRequest
	// Chat: a user message directly after a tool message is rejected
	AssistantAfterTool
	CommonImages  // images except JPEG, PNG, GIF and WebP are rejected
	PlainImages   // images except JPEG and PNG are rejected
	Temperature15 // a temperature above 1.5 is rejected
	FourStops     // more than four stop sequences are rejected
	// Chat: a format is rejected together with tools
	FormatOrTools
	Filled      // Chat: a message with nothing but an empty text is rejected
	Flavored    // Chat: Moonshot's rules for the names and schemas of tools: ir.Target.Flavored
	NoAudio     // Responses: audio is rejected
	NoNamedTool // Chat: a tool call can be demanded, but not of a tool by name
)
