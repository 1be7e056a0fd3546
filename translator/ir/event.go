package ir

// EventKind is the place of an event in the grammar.
type EventKind uint8

const (
	Start EventKind = iota + 1 // the answer begins: ID, Model, Created, Usage as far as known
	// a content block opens: Block; ID where the upstream gave the item one; CallID and Name for
	// tool calls
	BlockStart
	Delta // more of the open block: Delta, and the field that Delta names
	// nothing more comes for the open block. Where the next event is a Failure, or a Finish at a
	// limit, the block was cut
	BlockStop
	Finish  // the answer is complete: Stop, StopSequence, Usage
	Failure // the answer is not complete and never will be: Err
)

// BlockKind says what a content block holds, and which deltas it takes.
type BlockKind uint8

const (
	TextBlock BlockKind = iota + 1 // TextDelta, CitationDelta, LogprobsDelta
	// TextDelta: the reasoning's text or a summary, as far as the vendor shows it; then at most one
	// SignatureDelta
	ReasoningBlock
	// reasoning that only its vendor can read: one SignatureDelta, no text
	RedactedBlock
	RefusalBlock // TextDelta: in the model's words, why it does not answer
	// a call of a client's function: CallID, Name; the TextDeltas are the JSON text of one object
	ToolCallBlock
	// a call of a client's tool that takes free text instead of JSON: CallID, Name; TextDelta
	CustomToolCallBlock
	// a search that the upstream ran by itself: TextDelta, the query; then a CitationDelta for each
	// result
	WebSearchBlock
	// a call that the upstream made by itself, with its result: one HostedDelta
	HostedBlock
	// the call or the result of any other tool that the upstream ran by itself: one OpaqueDelta
	ServerToolBlock
	// a summary in place of the conversation up to here: one SummaryDelta. It comes right behind
	// Start
	CompactionBlock
)

// DeltaKind says what a Delta adds to the open block.
type DeltaKind uint8

const (
	TextDelta DeltaKind = iota + 1 // Text: more of the block's text, arguments or input
	// Text: the whole signature, or all of the redacted reasoning; Origin: the protocol whose
	// vendor made it
	SignatureDelta
	CitationDelta // Citation
	// Raw: a list that says how likely the tokens of the TextDelta behind it are, as the OpenAI
	// APIs have it
	LogprobsDelta
	OpaqueDelta // Raw: a whole block in the upstream's own protocol
	HostedDelta // Hosted
	// Text: the whole summary; Sealed: what the client is to give back; Usage: of the call that has
	// made it
	SummaryDelta
)

// Phase says what a message of the assistant's is to the turn that it stands in.
type Phase uint8

const (
	NoPhase     Phase = iota // unknown
	Commentary               // said on the way: the model goes on behind it, with a call or with more to say
	FinalAnswer              // what the turn ends with
)

// StopReason says why a complete answer ended.
type StopReason uint8

const (
	EndTurn StopReason = iota + 1
	MaxTokens
	StopSequence
	ToolUse
	Refusal // the model refused, or a filter stopped the answer
	PauseTurn
	ContextWindow // the answer ended because the context window is full
	// the client wants to go on by itself from the CompactionBlock, which is all that there is: see
	// Compaction.Pause
	Compacted
)

// Usage counts tokens. Input excludes the tokens that were read from the prompt cache (CacheRead)
// or written to it (CacheWrite); Output includes Reasoning. A negative count is unknown.
type Usage struct {
	Input, CacheRead, CacheWrite, Output, Reasoning int64
}

// NoUsage has every count unknown: the upstream did not say.
var NoUsage = Usage{-1, -1, -1, -1, -1}

// SetPrompt sets Input from n, the count of the whole prompt with its cached tokens, and from the
// two cache counts, which must be set before. A negative n is unknown and changes nothing.
func (u *Usage) SetPrompt(n int64) {
	if n >= 0 {
		u.Input = max(n-max(u.CacheRead, 0)-max(u.CacheWrite, 0), 0)
	}
}

// Plus returns the counts of two calls together. A count that is unknown of one of them is that of
// the other.
func (u *Usage) Plus(v *Usage) Usage {
	return Usage{plus(u.Input, v.Input), plus(u.CacheRead, v.CacheRead), plus(u.CacheWrite, v.CacheWrite),
		plus(u.Output, v.Output), plus(u.Reasoning, v.Reasoning)}
}

func plus(a, b int64) int64 {
	if a < 0 || b < 0 {
		return max(a, b)
	}
	return a + b
}

// Prompt returns the count of the whole prompt with its cached tokens. Counts that are unknown are
// taken as 0.
func (u *Usage) Prompt() int64 {
	return max(u.Input, 0) + max(u.CacheRead, 0) + max(u.CacheWrite, 0)
}

// Citation is a source on the web that a text cites or a search found. A citation of anything else
// (a document, a file) has only Raw, and only goes to a client of the upstream's own protocol.
type Citation struct {
	URL, Title Escaped
	Age        Escaped // a search's result: how old the page is, "" where nobody says
	Sealed     Escaped // a search's result: the envelope of its text, see Finding
	Quote      Escaped // the cited words of the source, "" where the upstream gave none
	// the characters (not bytes) of the block's text that cite the source, End exclusive; -1 where
	// the upstream did not say
	Start, End int64
	Raw        Raw // the citation as the upstream sent it
}

// Event is one step of an answer. Which fields a kind uses is said at the kinds and here; the
// others are zero.
type Event struct {
	Kind  EventKind
	Block BlockKind
	Delta DeltaKind
	Stop  StopReason
	// Start: the upstream's id of the answer; BlockStart: its id of the item, where it has one
	ID    Escaped
	Model Escaped // Start: the model that the upstream names
	// Start: when the answer was made, in seconds since 1970; 0 where the upstream did not say
	Created int64
	CallID  Escaped // BlockStart of a tool call
	Name    Escaped // BlockStart of a tool call: the client's name of the tool
	// BlockStart of a text or a refusal: the first one of a message. Without it one that follows
	// another goes on with that message
	Apart bool
	// BlockStart and BlockStop of a text or a refusal: the phase of its message, as far as the
	// upstream has said
	Phase    Phase
	Text     Escaped   // Delta: see DeltaKind
	Sealed   Escaped   // Delta, SummaryDelta
	Origin   string    // Delta, SignatureDelta: the name of the protocol whose vendor can read Text
	Citation *Citation // Delta, CitationDelta
	// Delta, OpaqueDelta and LogprobsDelta; Finish with Refusal: stop_details of Messages, an
	// object, where a filter has stopped the answer
	Raw Raw
	// Finish: context_management of Messages, an object, from an upstream that has edited the
	// history itself
	Edits        Raw
	Hosted       *Hosted // Delta, HostedDelta
	StopSequence Escaped // Finish with StopSequence: which sequence it was, where known
	Usage        Usage   // Start, Finish; Delta, SummaryDelta
	Tier         Tier    // Start, Finish: as far as known
	// BlockStop of a WebSearchBlock: why the search has failed, as SearchUnavailable; "": it has
	// not
	Code string
	Err  *Error // Failure
}

// Sink takes the events of an answer one by one. The event and everything that it points at belong
// to the caller: Event copies what it keeps.
type Sink interface {
	Event(ev *Event)
}
