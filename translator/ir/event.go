package ir

// EventKind is the place of an event in the grammar.
type EventKind uint8

const (
	Start      EventKind = iota + 1 // the answer begins: ID, Model, Usage as far as known
	BlockStart                      // a content block opens: Block, and CallID, Name for tool calls
	Delta                           // a piece of the open block: Delta, Text or Raw
	BlockStop                       // the open block is complete
	Finish                          // the answer is complete: Stop, StopSequence, Usage
	Failure                         // the answer is not complete and never will be: Err
)

// BlockKind says what a content block holds.
type BlockKind uint8

const (
	TextBlock           BlockKind = iota + 1
	ReasoningBlock                // text or summary, and a signature that proves its origin
	RedactedBlock                 // reasoning that only its vendor can read: one Opaque delta
	RefusalBlock                  // the model's words on why it does not answer
	ToolCallBlock                 // a call of a client's function: CallID, Name; its deltas are JSON text of one object
	CustomToolCallBlock           // a call with free text instead of JSON: CallID, Name
	ServerToolBlock               // a tool that the upstream runs by itself: use or result, one Opaque delta
)

// DeltaKind says what a Delta adds to the open block.
type DeltaKind uint8

const (
	TextDelta      DeltaKind = iota + 1 // Text: more of the block's text, arguments or input
	SignatureDelta                      // Text: the signature of the reasoning block
	CitationDelta                       // Raw: one citation of the text block, in the decoder's protocol
	OpaqueDelta                         // Raw: a whole vendor block
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

// Event is one step of an answer. The fields that a kind does not name are zero.
type Event struct {
	Kind         EventKind
	Block        BlockKind
	Delta        DeltaKind
	Stop         StopReason
	ID           Escaped // Start: the upstream's id of the answer
	Model        Escaped // Start: the model that the upstream names
	CallID       Escaped // BlockStart of a tool call
	Name         Escaped // BlockStart of a tool call
	Text         Escaped // Delta
	Raw          Raw     // Delta
	StopSequence Escaped // Finish with Stop StopSequence, where known
	Usage        Usage   // Start, Finish
	Err          *Error  // Failure
}

// Sink takes events one by one. An event and what it points at belong to the caller and are good until Event returns.
type Sink interface {
	Event(ev *Event)
}
