package ir

// EventKind is the place of an event in the grammar.
type EventKind uint8

const (
	Start      EventKind = iota + 1 // the answer begins: ID, Model, Created, Usage as far as known
	BlockStart                      // a content block opens: Block, ID, and CallID, Name for tool calls
	Delta                           // a piece of the open block: Delta, and what that names
	BlockStop                       // the open block is complete
	Finish                          // the answer is complete: Stop, StopSequence, Usage
	Failure                         // the answer is not complete and never will be: Err
)

// BlockKind says what a content block holds, and which deltas it takes.
type BlockKind uint8

const (
	TextBlock           BlockKind = iota + 1 // TextDelta, CitationDelta
	ReasoningBlock                           // TextDelta: what the vendor shows of it, its text or a summary; then at most one SignatureDelta
	RedactedBlock                            // reasoning that only its vendor can read: one SignatureDelta
	RefusalBlock                             // TextDelta: the model's words on why it does not answer
	ToolCallBlock                            // a call of a client's function: CallID, Name; the TextDeltas are the JSON text of one object
	CustomToolCallBlock                      // a call with free text in place of arguments: CallID, Name; TextDelta
	WebSearchBlock                           // a search that the upstream ran: TextDelta, the query; then a CitationDelta for each hit
	ServerToolBlock                          // any other tool that the upstream ran, use or result: one OpaqueDelta
)

// DeltaKind says what a Delta adds to the open block.
type DeltaKind uint8

const (
	TextDelta      DeltaKind = iota + 1 // Text: more of the block's text, arguments or input
	SignatureDelta                      // Text: the whole signature, or the whole of what is hidden; Origin: whose it is
	CitationDelta                       // Citation
	OpaqueDelta                         // Raw: a whole block of the upstream's protocol
)

// StopReason is why an answer is complete.
type StopReason uint8

const (
	EndTurn StopReason = iota + 1
	MaxTokens
	StopSequence
	ToolUse
	Refusal // refused or filtered
	PauseTurn
	ContextWindow // the context window is full
)

// Usage counts tokens. Input excludes what was read from and written to the cache; Reasoning is part of Output. A negative
// number is unknown; NoUsage is all unknown.
type Usage struct {
	Input, CacheRead, CacheWrite, Output, Reasoning int64
}

// NoUsage is the usage of an upstream that did not say.
var NoUsage = Usage{-1, -1, -1, -1, -1}

// SetPrompt sets Input to what a count of the whole prompt, cached tokens included, leaves for it; n is negative where unknown.
func (u *Usage) SetPrompt(n int64) {
	if n >= 0 {
		u.Input = max(n-max(u.CacheRead, 0)-max(u.CacheWrite, 0), 0)
	}
}

// Prompt returns the count of the whole prompt, as far as known.
func (u *Usage) Prompt() int64 {
	return max(u.Input, 0) + max(u.CacheRead, 0) + max(u.CacheWrite, 0)
}

// Citation is a source on the web that a text names or a search found. Citations of anything else are in Raw alone, as the
// upstream sent them, and only go to a client of its own protocol.
type Citation struct {
	URL, Title Escaped
	Quote      Escaped // the words of the source, where given
	Start, End int64   // which characters of the block's text it stands for; -1 where the upstream did not say
	Raw        Raw
}

// Event is one step of an answer. The fields that a kind does not name are zero.
type Event struct {
	Kind         EventKind
	Block        BlockKind
	Delta        DeltaKind
	Stop         StopReason
	ID           Escaped // Start: the upstream's id of the answer; BlockStart: its id of the item, where it has one
	Model        Escaped // Start: the model that the upstream names
	Created      int64   // Start: when, in seconds since 1970; 0 where the upstream did not say
	CallID       Escaped // BlockStart of a tool call
	Name         Escaped // BlockStart of a tool call: the client's name of the tool
	Text         Escaped // Delta
	Origin       string  // Delta: the name of the protocol whose vendor can read the signature
	Citation     *Citation
	Raw          Raw     // Delta
	StopSequence Escaped // Finish with Stop StopSequence, where known
	Usage        Usage   // Start, Finish
	Err          *Error  // Failure
}

// Sink takes events one by one. An event and what it points at belong to the caller and are good until Event returns.
type Sink interface {
	Event(ev *Event)
}
