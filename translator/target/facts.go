package target

// Facts are the flags of a Target.
type Facts uint64

const (
	CompletionTokens   Facts = 1 << iota // Chat: the limit is called max_completion_tokens
	ToolsWithoutEffort                   // Chat: functions are refused beside a reasoning effort
	Files                                // documents are taken as files
	FileURLs                             // Chat and Gemini: documents are taken as URLs of files
	SystemTurns                          // Messages: role system is taken among the messages
	Parallel                             // parallel_tool_calls is taken
	Search                               // Messages, Responses and Gemini: the upstream can search the web
	ChatSearch                           // Chat: the upstream can search the web
	ToolSearch                           // Messages and Responses: the upstream can search deferred tools
	// the model's calls and formats hold to a schema that is marked strict
	Strict
	PlainRoot       // the root of a schema may be nothing but an object
	DefinedRequired // "required" of a schema may name nothing but properties
	NoFormat        // no schema is taken for the answer's text
	AnswerTool      // where no schema is taken, a forced tool can hold the answer
	NoSampling      // temperature, top_p and top_k are refused
	TopK            // Chat: top_k is taken
	// Chat and Gemini: presence_penalty and frequency_penalty are refused
	NoPenalties
	RandomSeed // Chat: the seed is called random_seed
	// a last message of the assistant's is not gone on from: ir.NoPrefill
	Anew
	Prefix       // Chat: it is, as ir.PrefixPrefill says
	NoStop       // stop sequences are refused
	NoLogprobs   // logprobs are refused
	IsOpenAI     // OpenAI's own service
	UsageUnasked // Chat: a stream has usage unasked, and stream_options is refused
	Budget       // Messages and Gemini: thinking takes a number of tokens
	Adaptive     // Messages: thinking can be adaptive
	// Messages: thinking can't be disabled. Gemini: thinking takes a level
	AlwaysThinks
	ThinkingObject // Chat: thinking is turned off as ir.ObjectSwitch says
	ThinkingFlag   // Chat: thinking is turned off as ir.FlagSwitch says
	NoForcedTool   // no call of a tool can be demanded
	EchoContent    // Chat: reasoning goes back as ir.EchoContent says
	EchoBoth       // Chat: reasoning goes back as ir.EchoBoth says
	EchoDetails    // Chat: reasoning goes back as ir.EchoDetails says
	EchoExtra      // Chat: reasoning goes back as ir.EchoExtra says
	// Gemini, and Chat beside EchoExtra: a call is taken without its thought signature
	Unsigned
	ShortCallIDs // Chat: ids of calls have nine letters and digits
	ThinkTags    // Chat: its text begins with reasoning in tags: ir.Target.ThinkTags
	// Chat: answers may be flat, and content is a text: ir.Target.FlatAnswers, TextContent
	Cloudflare
	ThinkingTemplate // Chat: thinking is turned off as ir.TemplateSwitch says
	// Messages and Chat: cache_control is taken with all of its members, and is placed where the
	// client has none
	Caching
	Breakpoints // Chat: cache_control is taken with all of its members
)
