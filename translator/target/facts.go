package target

// Facts are the flags of a Target.
type Facts uint32

const (
	CompletionTokens   Facts = 1 << iota // Chat: the limit is called max_completion_tokens
	ToolsWithoutEffort                   // Chat: functions are refused beside a reasoning effort
	Files                                // documents are taken as files
	SystemTurns                          // Messages: role system is taken among the messages
	Parallel                             // parallel_tool_calls is taken
	Search                               // the upstream can search the web: Messages and Responses
	ChatSearch                           // the same for Chat
	Strict                               // strict schemas are held to
	PlainRoot                            // the root of a schema may be nothing but an object
	NoFormat                             // no schema is taken for the answer's text
	NoSampling                           // temperature, top_p and top_k are refused
	NoStop                               // stop sequences are refused
	IsOpenAI                             // OpenAI's own service
	UsageUnasked                         // Chat: usage comes unasked, and stream_options is refused
	Budget                               // Messages: thinking takes budget_tokens
	Adaptive                             // Messages: thinking can be adaptive
	AlwaysThinks                         // Messages: thinking can't be disabled
	NoForcedTool                         // no call of a tool can be demanded
	EchoContent                          // Chat: reasoning goes back as ir.EchoContent says
	EchoDetails                          // Chat: reasoning goes back as ir.EchoDetails says
	EchoExtra                            // Chat: reasoning goes back as ir.EchoExtra says
	Unsigned                             // Chat: a call is taken without what EchoExtra gives back
	ShortCallIDs                         // Chat: ids of calls have nine letters and digits
	Caching                              // Messages: whatever cache_control may say
)
