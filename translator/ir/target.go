package ir

// Target is what one upstream accepts. The zero value is the safe set that any Chat Completions server takes.
type Target struct {
	MaxOutputTokens     int64    // clamp the client's limit to this; 0: leave it
	MaxCompletionTokens bool     // the limit is called max_completion_tokens instead of max_tokens
	Efforts             []string // accepted values of reasoning_effort; empty: never send it
	ParallelFlag        bool     // send parallel_tool_calls
	OmitStreamUsage     bool     // do not ask for usage in streams
	RefuseLossy         bool     // refuse, with the path, what would lose meaning, instead of reporting it as lost
}
