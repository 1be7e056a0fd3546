package ir

// Thinking is the form in which a Messages or a Gemini upstream is asked to reason.
type Thinking uint8

const (
	NoThinking Thinking = iota // the upstream is asked nothing
	// {"type":"enabled","budget_tokens":n}. Gemini: thinkingBudget, of 0 where Efforts holds "none"
	BudgetThinking
	AdaptiveThinking // {"type":"adaptive"}, and output_config.effort where Efforts holds it
	// as AdaptiveThinking, but the model refuses {"type":"disabled"}. Gemini: thinkingLevel, one of
	// Efforts
	AlwaysThinking
)

// ThinkingSwitch says how a Chat upstream is told not to think.
type ThinkingSwitch uint8

const (
	EffortSwitch   ThinkingSwitch = iota // by the effort "none", where Efforts holds that
	ObjectSwitch                         // "thinking":{"type":"disabled"}: DeepSeek, Z.ai, Moonshot
	FlagSwitch                           // "enable_thinking":false: Alibaba's Model Studio (DashScope)
	TemplateSwitch                       // "chat_template_kwargs": vLLM, SGLang, llama.cpp
)

// Prefill says how an OpenAI-like upstream is told to go on from the assistant's last message, the
// beginning of its answer.
type Prefill uint8

const (
	// by that message alone: llama.cpp, Ollama, Groq and OpenRouter document that; others may
	// answer anew
	UnknownPrefill Prefill = iota
	NoPrefill              // it can't be: the upstream answers anew
	PrefixPrefill          // Chat: "prefix":true in the message, without which Mistral refuses it
)

// ReasoningEcho says where a Chat upstream wants the reasoning of earlier turns.
type ReasoningEcho uint8

const (
	NoEcho ReasoningEcho = iota // nowhere
	// reasoning_content of the assistant message, which refuses a message without: DeepSeek, Kimi,
	// GLM
	EchoContent
	EchoDetails   // reasoning_details of the assistant message: OpenRouter
	EchoExtra     // extra_content of the tool call that it came with: Google
	EchoReasoning // reasoning of the assistant message: vLLM since 0.16
	EchoBoth      // both of these, where only the model is known and not the server
)

// ResultImages says where a Chat upstream takes the images of tool results.
type ResultImages uint8

const (
	UserTurnImages ResultImages = iota // in a user message behind the results
	NativeImages                       // in the tool message
	RefuseImages                       // nowhere
)

// Structured says how an upstream that can't be asked for a format is brought to answer in it.
type Structured uint8

const (
	ByInstruction Structured = iota // the system prompt says what the answer must look like
	// the model has to call a tool whose arguments are the answer; where that can't be, as
	// ByInstruction
	ByTool
	Unstructured // not at all: the format is lost
)

// Target says what one upstream accepts. The zero value is the safe set that any server of the
// protocol takes; package target knows more about many servers. A field with "Chat" or "Messages"
// in its comment only concerns upstreams of that protocol.
type Target struct {
	// upper bound of the client's token limit, sent to a Messages upstream also where the client
	// set none; 0: unknown
	MaxOutputTokens int64
	// Chat: the limit is called max_completion_tokens instead of max_tokens
	MaxCompletionTokens bool
	Efforts             []string // accepted values of reasoning effort; empty: no effort is sent
	// Chat: refuses tools together with reasoning, so a request with tools asks for effort "none"
	NoToolEffort   bool
	Thinking       Thinking       // Messages and Gemini
	ThinkingSwitch ThinkingSwitch // Chat
	Caching        Caching        // Messages and Chat
	NoForcedTool   bool           // Messages: refuses a tool_choice that demands a call
	ReasoningEcho  ReasoningEcho  // Chat
	// Gemini, and Chat with EchoExtra: takes calls without the signature that Google's models
	// demand
	UnsignedCalls bool
	// Chat: call ids have exactly nine letters and digits, as Mistral demands
	ShortCallIDs bool
	// Chat: the model writes its reasoning at the start of the text, in <think>...</think> or
	// <reasoning>...</reasoning>
	ThinkTags bool
	// tool calls that stand in the text of its answers are found there: see package textcalls
	TextCalls bool
	// Chat: an answer may have the older form of Cloudflare's models, "response" and "tool_calls"
	// in place of choices
	FlatAnswers  bool
	TextContent  bool         // Chat: refuses a message whose content is null
	ResultImages ResultImages // Chat and Gemini
	Files        bool         // Chat: takes PDFs as content parts of type "file"
	// Chat: takes the URL of a PDF in such a part. Gemini: takes URLs of files
	FileURLs    bool
	StoredFiles bool // Messages: Anthropic's own service, which stores its users' files
	// Messages and Responses: compacts conversations by itself for clients of its own API, and
	// reads what it has made of them
	OwnCompaction bool
	// Responses: the model wants the phase of each message of the assistant's back
	Phases bool
	// Messages and Chat: takes messages with role "system" anywhere among the others
	SystemTurns  bool
	ParallelFlag bool // takes parallel_tool_calls
	WebSearch    bool // can search the web by itself
	ToolSearch   bool // Messages and Responses: can search deferred tools by itself
	Strict       bool // takes "strict" on tools
	// tools' schemas are cut down to the subset of JSON Schema that strict modes take
	StrictSubset bool
	// refuses tools whose schema is not an object at its root, or has a union or a reference there
	PlainRoot bool
	// Chat and Responses: refuses schemas whose "required" names what is not in "properties"
	DefinedRequired bool
	NoFormat        bool       // can't be made to answer by a JSON Schema
	Structured      Structured // where a format can't be asked for
	NoSampling      bool       // refuses temperature, top_p and top_k
	TopK            bool       // Chat and Responses: takes top_k
	NoPenalties     bool       // Chat and Gemini: refuses presence_penalty and frequency_penalty
	RandomSeed      bool       // Chat: the seed is called random_seed
	Prefill         Prefill
	NoStop          bool // refuses stop sequences
	MaxStops        int  // how many stop sequences it takes at most; 0: nobody says
	NoLogprobs      bool // refuses logprobs and top_logprobs
	VertexAI        bool // Gemini: Vertex AI, which refuses some of what the Gemini API takes
	// takes what only OpenAI's own service knows: service_tier, verbosity, metadata,
	// prompt_cache_key, allowed_tools, custom tools, ...
	OpenAI          bool
	LegacyFunctions bool // Chat: knows functions and function_call instead of tools and tool_calls
	OmitStreamUsage bool // Chat: stream_options.include_usage is not sent
	ShowThoughts    bool // clients see how the model reasons, whether or not they ask for that
	// what would lose meaning is refused with its path, instead of being reported as lost
	RefuseLossy bool
	// a request is sent, and its losses reported, also where it loses all of its tools or the one
	// that it demands
	ReportLossy bool
}

// WantsText reports whether the upstream wants the text of its reasoning back that it has not signed.
func (t *Target) WantsText() bool {
	return t.ReasoningEcho == EchoContent || t.ReasoningEcho >= EchoReasoning
}

// maxOpenAIStops is how many stop sequences OpenAI's own service takes ("Up to 4 sequences", Chat
// reference).
const maxOpenAIStops = 4

// TakesStops reports whether the upstream takes n stop sequences.
func (t *Target) TakesStops(n int) bool {
	return !t.NoStop && (!t.OpenAI || n <= maxOpenAIStops) && (t.MaxStops == 0 || n <= t.MaxStops)
}
