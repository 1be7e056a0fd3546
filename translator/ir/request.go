package ir

// Role is who speaks in a message.
type Role uint8

const (
	User Role = iota + 1 // also carries tool results
	Assistant
	System // system and developer; may stand anywhere
)

// ContentKind says what a content block of a message holds.
type ContentKind uint8

const (
	TextContent       ContentKind = iota + 1 // Text
	ImageContent                             // Source
	DocumentContent                          // Source
	ToolCallContent                          // ID, Name, Input
	ToolResultContent                        // ID, Parts, IsError
	ReasoningContent                         // Text, Signature
	RedactedContent                          // Raw
	RefusalContent                           // Text
	OpaqueContent                            // Raw: a block of the client's protocol that the hub has no name for
)

// Pos is where a content block stands in the client's body, for paths; -1 where a level does not exist. Message -1 is the
// prompt that stands outside the messages.
type Pos struct {
	Message, Block, Part int
}

// Content is one content block of a message.
type Content struct {
	Kind      ContentKind
	At        Pos
	Text      Escaped
	ID        Escaped // tool call and result
	Name      Escaped // tool call
	Input     Raw     // tool call: its arguments, a JSON object
	Signature Escaped
	IsError   bool
	Parts     []Content // tool result; document whose text comes in parts: text, and opaque for what is none
	Source    Source
	Raw       Raw
}

// Source is where an image or a document comes from: Data (base64) with MediaType, or URL, or the plain Text of a
// document, or the Parts of its Content.
type Source struct {
	MediaType, Data, URL, Text, Title Escaped
	Context                           Escaped // what the client says of a document, for the model
}

// Message is one turn, or a part of one.
type Message struct {
	Role    Role
	Content []Content
}

// Tool is a tool that the client offers and the model may see.
type Tool struct {
	At          int     // its place among the client's tools
	Type        Escaped // "" for a function; else the vendor's name of a tool that only it knows, and Raw is the definition
	Name        Escaped
	Description Escaped
	Schema      Raw // JSON Schema of its arguments, an object; "" where the client gave none
	Strict      Tri
	Raw         Raw
}

// Tri is a flag that a client may leave out.
type Tri int8

const (
	Unset Tri = iota
	True
	False
)

// ToolMode is how freely the model may call tools.
type ToolMode uint8

const (
	ToolsUnset ToolMode = iota
	ToolsAuto
	ToolsRequired
	ToolsNone
	ToolsNamed // ToolChoice.Name
)

// ToolChoice is a client's tool_choice.
type ToolChoice struct {
	Mode ToolMode
	Name Escaped
}

// Format is the JSON Schema that the answer's text must follow. Schema "" asks for free text.
type Format struct {
	Name   Escaped // "" where the client gave none
	Schema Raw
	Strict Tri
}

// Field names what a target may not know, for paths: each client has its own name and place for it.
type Field uint8

const (
	FieldMaxTokens Field = iota + 1
	FieldTemperature
	FieldTopP
	FieldTopK
	FieldStop
	FieldEffort
	FieldUserID
	FieldParallel
	FieldToolChoice
	FieldFormat
)

// Request is what a client asks for. Its strings are views into the client's body. Sampling numbers stay as they were
// written; "" is absent.
type Request struct {
	Client      Client  // whose body it was; names the paths
	Model       Escaped // what the upstream is asked for; the client's own name until someone maps it
	Stream      bool
	StreamUsage bool // the client wants usage at the end of a stream
	Messages    []Message
	Tools       []Tool
	ToolChoice  ToolChoice
	Parallel    Tri   // may the model call several tools at once
	MaxTokens   int64 // 0: the client set no limit
	Temperature Raw
	TopP        Raw
	TopK        Raw
	Stop        []Escaped
	Effort      Escaped // none, minimal, low, medium, high, xhigh, max; "" where the client did not say
	EffortPath  string  // where Effort was read
	UserID      Escaped
	Format      Format
}

// Path returns the path of a content block in the client's body.
func (r *Request) Path(p Pos) string {
	return string(r.Client.AppendPath(nil, p))
}

// FieldPath returns the path of a field in the client's body.
func (r *Request) FieldPath(f Field) string {
	return r.Client.FieldPath(r, f)
}
