package ir

// Thinking is how a Messages upstream is told to reason.
type Thinking uint8

const (
	NoThinking       Thinking = iota // not at all
	BudgetThinking                   // {"type":"enabled","budget_tokens":n}
	AdaptiveThinking                 // {"type":"adaptive"}, and output_config.effort where Efforts holds it
	AlwaysThinking                   // the same, and it can't be disabled
)

// ReasoningEcho is how a Chat upstream wants the reasoning of earlier turns back.
type ReasoningEcho uint8

const (
	NoEcho      ReasoningEcho = iota
	EchoContent               // reasoning_content of the assistant message: DeepSeek, Kimi, GLM
	EchoDetails               // reasoning_details of the assistant message: OpenRouter
	EchoExtra                 // extra_content of the tool call that it came with: Google
)

// ResultImages is what a Chat upstream takes of images in tool results.
type ResultImages uint8

const (
	UserTurnImages ResultImages = iota // in a user message behind the results
	NativeImages                       // in the tool message
	RefuseImages                       // nowhere
)

// Target is what one upstream accepts. The zero value is the safe set that any server of the protocol takes; package target
// knows more about some of them.
type Target struct {
	MaxOutputTokens     int64         // clamp the client's limit to this, and ask a Messages upstream for it where the client set none; 0: unknown
	MaxCompletionTokens bool          // Chat: the limit is called max_completion_tokens instead of max_tokens
	Efforts             []string      // accepted values of reasoning effort; empty: never send it
	NoToolEffort        bool          // Chat: refuses tools from a model that reasons; with tools, ask for effort "none"
	Thinking            Thinking      // Messages
	Caching             Caching       // Messages
	NoForcedTool        bool          // Messages: refuses a tool_choice that demands a call
	ReasoningEcho       ReasoningEcho // Chat
	UnsignedCalls       bool          // Chat, EchoExtra: takes calls that came without anything
	ShortCallIDs        bool          // Chat: the id of a call has nine letters and digits
	ThinkTags           bool          // Chat: the text begins with reasoning in <think>...</think>
	ResultImages        ResultImages  // Chat
	Files               bool          // Chat: takes PDFs as parts of type file
	SystemTurns         bool          // Messages and Chat: takes role "system" among the messages
	ParallelFlag        bool          // send parallel_tool_calls
	WebSearch           bool          // searches the web by itself
	Strict              bool          // takes strict on tools
	StrictSubset        bool          // schemas are cut down to what strict modes take
	PlainRoot           bool          // a tool's schema must be an object at its root, without a union or a reference there
	NoFormat            bool          // can't hold an answer to a JSON Schema
	NoSampling          bool          // refuses temperature, top_p and top_k
	NoStop              bool          // refuses stop sequences
	OpenAI              bool          // takes what only OpenAI's own service knows: service_tier, verbosity, metadata, prompt_cache_key, allowed_tools, custom tools, ...
	LegacyFunctions     bool          // Chat: knows functions and function_call, not tools and tool_calls
	OmitStreamUsage     bool          // Chat: do not ask for usage in streams
	RefuseLossy         bool          // refuse, with the path, what would lose meaning, instead of reporting it as lost
}

// maxOpenAIStops is how many stop sequences OpenAI's own service takes.
const maxOpenAIStops = 4

// TakesStops reports whether the upstream can be told of n stop sequences.
func (t *Target) TakesStops(n int) bool { return !t.NoStop && (!t.OpenAI || n <= maxOpenAIStops) }
