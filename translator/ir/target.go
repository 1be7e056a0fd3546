package ir

// Thinking is the form in which a Messages or Gemini upstream is asked to reason.
type Thinking uint8

const (
	NoThinking Thinking = iota // the upstream is asked nothing
	// {"type":"enabled","budget_tokens":n}. Gemini: thinkingBudget, 0 if Efforts contains "none"
	BudgetThinking
	AdaptiveThinking // {"type":"adaptive"}, and output_config.effort if in Efforts
	// like AdaptiveThinking, but the model refuses {"type":"disabled"}. Gemini: thinkingLevel, one
	// of Efforts
	AlwaysThinking
)

// ThinkingSwitch says how a request to a Chat upstream turns thinking off.
type ThinkingSwitch uint8

const (
	EffortSwitch    ThinkingSwitch = iota // with effort "none", if Efforts contains "none"
	ObjectSwitch                          // "thinking":{"type":"disabled"}: DeepSeek, Z.ai, Moonshot
	FlagSwitch                            // "enable_thinking":false: Alibaba's Model Studio (DashScope)
	TemplateSwitch                        // "chat_template_kwargs": vLLM, SGLang, llama.cpp
	ArgumentSwitch                        // "chat_template_args": Baseten
	ReasoningSwitch                       // "reasoning":{"enabled":false}: Together
)

// Prefill says how an OpenAI-like upstream is asked to continue the assistant's last message, the
// beginning of the answer.
type Prefill uint8

const (
	// only by that message: llama.cpp, Ollama, Groq and OpenRouter document that they continue the
	// message; others may start a new answer
	UnknownPrefill Prefill = iota
	NoPrefill              // not possible: the upstream starts a new answer
	PrefixPrefill          // Chat: "prefix":true in the message. Mistral refuses the message without it
)

// ReasoningEcho says where a Chat upstream expects the reasoning of earlier turns.
type ReasoningEcho uint8

const (
	NoEcho ReasoningEcho = iota // nowhere
	// in reasoning_content of the assistant message. DeepSeek, Kimi and GLM refuse a message
	// without it
	EchoContent
	EchoDetails   // reasoning_details of the assistant message: OpenRouter
	EchoExtra     // in extra_content of the tool call that followed the reasoning: Google
	EchoReasoning // reasoning of the assistant message: vLLM since 0.16
	EchoBoth      // in reasoning_content and reasoning, if only the model is known and not the server
)

// ResultImages says where a Chat upstream accepts the images of tool results.
type ResultImages uint8

const (
	UserTurnImages ResultImages = iota // in a user message after the results
	NativeImages                       // in the tool message
	RefuseImages                       // nowhere
)

// Images says which images an OpenAI-like upstream accepts.
type Images uint8

const (
	AnyImages    Images = iota // all that are images, except SVG
	CommonImages               // JPEG, PNG, GIF and WebP
	PlainImages                // JPEG and PNG
)

// Structured says how to get an answer in a format from an upstream without a format parameter.
type Structured uint8

const (
	ByInstruction Structured = iota // the system prompt describes the format
	// the model must call a tool, and the arguments of the call are the answer; if a tool is
	// impossible, as ByInstruction
	ByTool
	Unstructured // not at all: the format is lost
)

// Target says what one upstream accepts. The zero value is the safe set, accepted by every server
// of the protocol; package target has more about many servers. If a field's comment names
// protocols, the field concerns only upstreams of those protocols.
type Target struct {
	// the host is a model vendor's own, and no table has the model: the facts are those of its family
	// or of the host, so they may be wrong
	UnknownModel bool

	// upper bound of the client's token limit, sent to a Messages upstream even if the client set no
	// limit; 0: unknown
	MaxOutputTokens int64
	// Chat: the limit is called max_completion_tokens instead of max_tokens
	MaxCompletionTokens bool

	// accepted values of reasoning effort; empty: no effort is sent
	Efforts []string
	// the model reasons unless the request turns its thinking off
	Thinks bool
	// the model reasons only if the request has an effort
	ThinksOnRequest bool
	// Chat: tools are refused together with reasoning, so a request with tools has effort "none"
	NoToolEffort bool
	// Messages and Gemini: how reasoning is requested
	Thinking Thinking
	// Chat: how thinking is turned off
	ThinkingSwitch ThinkingSwitch
	// Chat: where the reasoning of earlier turns is sent back
	ReasoningEcho ReasoningEcho
	// Chat: the model writes its reasoning at the start of the text, in <think>...</think> or
	// <reasoning>...</reasoning>
	ThinkTags bool
	// clients see the model's reasoning, even without asking for it: stronger than
	// Request.HideThoughts
	ShowThoughts bool

	// Messages and Chat: which cache breakpoints are sent
	Caching Caching

	// Messages and Chat: a tool_choice that requires a call is refused; Chat: while the model thinks
	NoForcedTool bool
	// Chat: a tool_choice with a tool's name is refused, while a demand for any call is accepted
	NoNamedTool bool
	// parallel_tool_calls is accepted
	ParallelFlag bool
	// Gemini, and Chat with EchoExtra: calls are accepted without the signature that Google's models
	// require
	UnsignedCalls bool
	// Chat: call ids must have exactly nine letters and digits, as at Mistral
	ShortCallIDs bool
	// the text of an answer may contain tool calls, which are extracted: see package textcalls
	TextCalls bool
	// Chat: functions and function_call are accepted instead of tools and tool_calls
	LegacyFunctions bool
	// the upstream can search the web itself
	WebSearch bool
	// Messages and Responses: the upstream can search deferred tools itself
	ToolSearch bool
	// the same, but only for requests of the API's own clients: Claude on other servers, and models
	// that are newer than our tables
	OwnToolSearch bool

	// Messages and Responses: the upstream can run code that calls the client's tools
	Programs bool

	// "strict" on tools is accepted
	Strict bool
	// schemas of tools are reduced to the subset of JSON Schema that strict modes accept
	StrictSubset bool
	// tools are refused if their schema's root is not an object, or has a union or a reference
	PlainRoot bool
	// tools are refused if a property in their schemas has a key that does not match
	// ^[a-zA-Z0-9_.-]{1,64}$
	PlainKeys bool
	// Chat and Responses: schemas are refused if "required" has a name that "properties" lacks
	DefinedRequired bool
	// Chat: names of tools must match Moonshot's pattern (ToolName), and schemas must be in Moonshot's
	// subset (package schema, Flavored)
	Flavored bool
	// the upstream accepts no JSON Schema for the answer
	NoFormat bool
	// the upstream accepts no format for the answer together with tools
	FormatOrTools bool
	// the replacement for an unsupported format
	Structured Structured

	// Chat: an answer may have the older form of Cloudflare's models, "response" and "tool_calls"
	// instead of choices
	FlatAnswers bool
	// Chat: a message with null content is refused
	TextContent bool
	// images and audio are refused, anywhere in the request
	TextOnly bool
	// Chat: a user message directly after a tool message is refused
	AssistantAfterTool bool
	// Chat and Gemini: where the images of tool results are sent
	ResultImages ResultImages
	// Responses: audio is refused
	NoAudio bool
	// Chat and Responses: which images are accepted
	Images Images
	// Chat: a message with nothing but an empty text is refused
	NoEmptyText bool
	// PDFs are accepted. Chat: as content parts of type "file"
	Files bool
	// Chat: the URL of a PDF is accepted in such a part. Gemini: URLs of files are accepted
	FileURLs bool
	// Messages: requests of other APIs' clients name this version of the API; "": the oldest
	Version string
	// Messages: the model accepts speed "fast"
	Fast bool
	// Messages: Anthropic's own service, which stores its users' files, runs code in containers,
	// judges the member speed, and knows the newest version of the API
	StoredFiles bool
	// Messages and Chat: messages with role "system" are accepted anywhere among the others
	SystemTurns bool
	// Responses: tools of the types custom and namespace are accepted, and others that only OpenAI
	// defines and the client runs
	CustomTools bool
	// Responses: the model expects the phase of each assistant message back
	Phases bool
	// Messages and Responses: the upstream compacts conversations for clients of its own API, and
	// reads its own compactions
	OwnCompaction bool
	// how to ask for a continuation of the last message
	Prefill Prefill

	// temperature, top_p and top_k are refused
	NoSampling bool
	// a temperature above 1.5 is refused
	CoolTemperature bool
	// Chat and Responses: top_k is accepted
	TopK bool
	// Chat and Gemini: presence_penalty and frequency_penalty are refused
	NoPenalties bool
	// Chat: the seed is called random_seed
	RandomSeed bool
	// stop sequences are refused
	NoStop bool
	// the maximum number of stop sequences; 0: unknown
	MaxStops int
	// logprobs and top_logprobs are refused
	NoLogprobs bool
	// Chat: stream_options.include_usage is not sent
	OmitStreamUsage bool

	// Gemini: Vertex AI, which refuses some fields of the Gemini API
	VertexAI bool
	// the fields of OpenAI's own service are accepted: service_tier, verbosity, metadata,
	// prompt_cache_key, allowed_tools, custom tools, ...
	OpenAI bool

	// RefuseLossy and ReportLossy are not about the upstream: they are the owner's policy for losses
	// (the option "lossy" of the worker). With neither, a loss that changes the request's meaning is
	// reported like any other, and a request is refused only if all of its tools, or the tool that
	// it requires, would be lost.

	// losses of meaning are refused with their path: see Lost.AddOrRefuse
	RefuseLossy bool
	// a request is sent, and its losses reported, even if all of its tools or its required tool are
	// lost
	ReportLossy bool
}

// WantsText reports whether the upstream expects the text of its unsigned reasoning back.
func (t *Target) WantsText() bool {
	return t.ReasoningEcho == EchoContent || t.ReasoningEcho >= EchoReasoning
}

// maxOpenAIStops is the number of stop sequences accepted by OpenAI's own service ("Up to 4
// sequences", Chat reference).
const maxOpenAIStops = 4

// AcceptsStops reports whether the upstream accepts n stop sequences.
func (t *Target) AcceptsStops(n int) bool {
	return !t.NoStop && (!t.OpenAI || n <= maxOpenAIStops) && (t.MaxStops == 0 || n <= t.MaxStops)
}
