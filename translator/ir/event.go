package ir

// EventKind is the place of an event in the grammar.
type EventKind uint8

const (
	Start EventKind = iota + 1 // the answer begins: ID, Model, Created, Usage as far as known
	// a content block opens: Block; ID if the upstream gave the item one; CallID and Name for tool
	// calls
	BlockStart
	Delta // more of the open block: Delta, and the field for that kind of delta
	// the open block is complete. If the next event is a Failure, or a Finish at a limit, the block
	// was cut
	BlockStop
	Finish  // the answer is complete: Stop, StopSequence, Usage
	Failure // the answer is not complete and never will be: Err
)

// BlockKind is the kind of a content block. It determines which deltas the block accepts.
type BlockKind uint8

const (
	TextBlock BlockKind = iota + 1 // TextDelta, CitationDelta, LogprobsDelta
	// TextDelta: the reasoning's text or a summary, as far as the vendor shows it; then at most one
	// SignatureDelta
	ReasoningBlock
	// reasoning readable only by its vendor: one SignatureDelta, no text
	RedactedBlock
	RefusalBlock // TextDelta: the model's explanation why it does not answer
	// a call of a client's function: CallID, Name; the TextDeltas are the JSON text of one object
	ToolCallBlock
	// a call of a client's tool with free text instead of JSON: CallID, Name; TextDelta
	CustomToolCallBlock
	// a search by the upstream itself: TextDelta, the query; then a CitationDelta for each result
	WebSearchBlock
	// a call by the upstream itself, with its result: one HostedDelta. A program and its result are a
	// block each, since calls of the client's tools are between them, and often the end of the answer
	HostedBlock
	// the call or the result of any other tool run by the upstream: one OpaqueDelta
	ServerToolBlock
	// a summary that replaces the conversation up to here: one SummaryDelta. The block follows
	// Start directly
	CompactionBlock
)

// DeltaKind says what a Delta adds to the open block.
type DeltaKind uint8

const (
	TextDelta DeltaKind = iota + 1 // Text: more of the block's text, arguments or input
	// Text: the whole signature, or the whole redacted reasoning; Origin: who can read it, as in an
	// envelope (envelope.go)
	SignatureDelta
	CitationDelta // Citation
	// Raw: a list with the log probabilities of the following TextDelta's tokens, in the OpenAI
	// APIs' form
	LogprobsDelta
	OpaqueDelta // Raw: a whole block in the upstream's own protocol
	HostedDelta // Hosted
	// Text: the whole summary; Envelope: the form that the client is to give back, readable or
	// sealed (compaction.go); Usage: of the call that made the summary
	SummaryDelta
)

// Phase is the role of an assistant message in its turn.
type Phase uint8

const (
	NoPhase     Phase = iota // unknown
	Commentary               // an interim message: a call or more text of the model follows
	FinalAnswer              // the end of the turn
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
	// the client continues from the CompactionBlock, the only block of the answer: see
	// Compaction.Pause
	Compacted
)

// Usage counts tokens. Input excludes the tokens read from the prompt cache (CacheRead) or written
// to the cache (CacheWrite); Output includes Reasoning. A negative count is unknown.
type Usage struct {
	Input, CacheRead, CacheWrite, Output, Reasoning int64
}

// NoUsage has every count unknown: the upstream did not say.
var NoUsage = Usage{-1, -1, -1, -1, -1}

// SetPrompt sets Input from n, the count of the whole prompt including cached tokens. CacheRead and
// CacheWrite must be set before. A negative n is unknown and changes nothing.
func (u *Usage) SetPrompt(n int64) {
	if n >= 0 {
		u.Input = max(n-max(u.CacheRead, 0)-max(u.CacheWrite, 0), 0)
	}
}

// Plus returns the sum of two calls' counts. If a count is unknown in one call, the result has the
// other call's count.
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

// Prompt returns the count of the whole prompt including cached tokens. Unknown counts are taken as
// 0.
func (u *Usage) Prompt() int64 {
	return max(u.Input, 0) + max(u.CacheRead, 0) + max(u.CacheWrite, 0)
}

// Citation is a source on the web, cited by a text or found by a search. A citation of any other
// source (a document, a file) has only Raw, and is sent only to clients of the upstream's own
// protocol.
type Citation struct {
	URL, Title Escaped
	Age        Escaped // a search result's: how old the page is, "" if unknown
	Envelope   Escaped // a search result's: the text in an envelope: see HitEnvelope
	Quote      Escaped // the cited words of the source, "" if the upstream gave none
	// the range of characters (not bytes) in the block's text that cites the source, End exclusive;
	// -1 if the upstream gave no range
	Start, End int64
	Raw        Raw // the citation as the upstream sent it
}

// Event is one step of an answer. The comments on EventKind, BlockKind, DeltaKind and the fields
// say which fields a kind uses; all other fields are zero.
type Event struct {
	Kind  EventKind
	Block BlockKind
	Delta DeltaKind
	Stop  StopReason
	// Start: the upstream's id of the answer; BlockStart: its id of the item, if any
	ID    Escaped
	Model Escaped // Start: the model named by the upstream
	// Start: the answer's creation time, in seconds since 1970; 0 if the upstream did not say
	Created int64
	CallID  Escaped // BlockStart of a tool call
	Name    Escaped // BlockStart of a tool call: the client's name of the tool
	// BlockStart of a text or a refusal: the first block of a message. Without NewMessage, a block that
	// follows another one continues the same message
	NewMessage bool
	// BlockStart and BlockStop of a text or a refusal: the phase of its message, as far as known
	// from the upstream
	Phase    Phase
	Text     Escaped   // Delta: see DeltaKind
	Envelope Escaped   // Delta, SummaryDelta
	Origin   string    // Delta, SignatureDelta: the name of the protocol whose vendor can read Text
	Citation *Citation // Delta, CitationDelta
	// Delta, OpaqueDelta and LogprobsDelta. Finish with Refusal: stop_details of Messages, an
	// object, if a filter stopped the answer
	Raw Raw
	// Finish: context_management of Messages, an object, from an upstream that edited the history
	Edits Raw
	// BlockStart of a tool call: the object that names the caller, for clients of the upstream's own
	// API; "": the model itself
	Caller Raw
	// BlockStart of a tool call: the program that called, for clients of other APIs; nil: the model
	// itself
	Program *Hosted
	// Start, Finish: container of Messages, an object, as far as known, for clients of the API. The
	// client's next request must name the container if code in the container waits for a result
	Container Raw
	// Start, Finish: members that only clients of the upstream's own API read, as far as known, with an
	// open brace before them and none after; and the upstream's usage, an object. For other clients both
	// are ""
	Own, OwnUsage Raw
	Hosted        *Hosted // Delta, HostedDelta
	StopSequence  Escaped // Finish with StopSequence: the sequence, if known
	Usage         Usage   // Start, Finish; Delta, SummaryDelta
	Tier          Tier    // Start, Finish: as far as known
	// BlockStop of a WebSearchBlock: the search's failure, as SearchUnavailable; "": no failure
	Code string
	Err  *Error // Failure
}

// Sink receives the events of an answer one by one. The caller owns the event and all memory that
// the event refers to: Event must copy what the Sink retains.
type Sink interface {
	Event(ev *Event)
}
