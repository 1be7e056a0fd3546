package ir

import "strconv"

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
	CustomCallContent                        // ID, Name, Text: a call with free text in place of arguments
	ToolResultContent                        // ID, Parts, IsError; the answer to a call of either kind
	ReasoningContent                         // Text; Origin, ItemID, Signature where it has one
	RedactedContent                          // Origin, ItemID, Signature: reasoning that only its vendor can read
	RefusalContent                           // Text
	OpaqueContent                            // Raw: a block or item of the client's protocol that the hub has no name for; Text: what it says to others, if anything
)

// Pos is where something stands in the client's body, for paths; -1 where a level does not exist. For content: the message
// (or input item), its block, and the block's part. Message -1 is the prompt that stands outside the messages. For a tool: the
// message (or item) that brings it, -1 for the list of tools; its place there, in Block; its place inside a group of tools, in
// Part.
type Pos struct {
	Message, Block, Part int
}

// Content is one content block of a message.
type Content struct {
	Kind      ContentKind
	At        Pos
	Text      Escaped
	ID        Escaped // tool call and result: the id of the call
	Name      Escaped // tool call: the Name of the Tool
	Input     Raw     // tool call: its arguments, a JSON object
	Origin    string  // reasoning: the name of the protocol whose vendor can read Signature
	ItemID    Escaped // reasoning: the vendor's id of the item
	Signature Escaped // reasoning: as the vendor gave it
	IsError   bool
	Parts     []Content // tool result; document whose text comes in parts: text, and opaque for what is none
	Source    Source
	Raw       Raw
	Cache     Raw // the client's breakpoint of the prompt cache behind it, an object; "" for none. See Caching
}

// Source is where an image or a document comes from: Data (base64) with MediaType, or URL, or the plain Text of a
// document, or the Parts of its Content.
type Source struct {
	MediaType, Data, URL, Text, Title Escaped
	Context                           Escaped // what the client says of a document, for the model
	Detail                            Escaped // how closely an image is to be looked at: low, high, ...; "" or auto: as the model likes
}

// Message is one turn, or a part of one.
type Message struct {
	Role    Role
	Content []Content
}

// ToolKind says who runs a tool and what a call of it brings.
type ToolKind uint8

const (
	FunctionTool  ToolKind = iota // the client runs it, with a JSON object: Schema
	CustomTool                    // the client runs it, with free text: Grammar
	WebSearchTool                 // the upstream searches the web by itself: Search
	VendorTool                    // only its vendor knows what it is and runs it: Type, Raw
)

// Tool is a tool that the client offers and the model may see.
type Tool struct {
	Kind        ToolKind
	At          Pos
	Type        Escaped // a vendor's own name for a tool of this kind, as bash_20250124; "" for a plain function
	Name        Escaped // unique in the request; as long and in such characters as the client likes
	Namespace   Escaped // of a tool in a group: the group's name, and
	Local       Escaped // the tool's name in it. Name stands for both
	Description Escaped
	Schema      Raw // JSON Schema of its arguments, an object; "" where the client gave none
	Strict      Tri
	Deferred    bool // the client's own vendor is to search it for the model; any other one's model sees it
	Grammar     Raw  // what the free text must look like, as the OpenAI APIs say it in "format"; "" for any text
	Search      Search
	Raw         Raw // the definition as it stands, where Type is set: for an upstream of the client's own protocol
	Cache       Raw // as in Content
}

// Search says how an upstream is to search the web.
type Search struct {
	Allowed, Blocked []Escaped // domains
	Location         Raw       // {"type":"approximate","city":...}, the same in all protocols; "" where unknown
	MaxUses          int64     // 0: any number
	ContextSize      Escaped   // low, medium, high, or ""
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
	Mode    ToolMode
	Name    Escaped
	Allowed []Escaped // names of the tools that may be called, where not all that are offered may; Mode is ToolsAuto or ToolsRequired

	set map[Escaped]bool // Allowed, where it is long, once it has been asked for
}

// Format is what the answer's text must look like: JSON that follows Schema; where Schema is "" and Object is true, any JSON
// object; else free text.
type Format struct {
	Name        Escaped // "" where the client gave none
	Description Escaped
	Schema      Raw
	Strict      Tri
	Object      bool
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
	FieldSummary
	FieldUserID
	FieldMetadata
	FieldServiceTier
	FieldVerbosity
	FieldParallel
	FieldToolChoice
	FieldFormat
	FieldFormatDescription
	FieldMessages
)

// Member is one member of a JSON object.
type Member struct {
	Key   string
	Value Raw
}

// Request is what a client asks for. Its strings are views into the client's body. Sampling numbers stay as they were
// written; "" is absent.
type Request struct {
	API         *API    // whose body it was; its Client names the paths
	Model       Escaped // what the upstream is asked for; the client's own name until someone maps it
	Received    int64   // when, in seconds since 1970: what an answer says that must have a time. Set by the caller
	Stream      bool
	StreamUsage bool // the client wants usage at the end of a stream
	Messages    []Message
	Tools       []Tool
	ToolChoice  ToolChoice
	Parallel    Tri    // may the model call several tools at once
	Legacy      bool   // the client declares and gets calls in the older form of its API
	MaxTokens   int64  // 0: the client set no limit
	LimitPath   string // where MaxTokens was read, for clients that have two names for it
	Temperature Raw
	TopP        Raw
	TopK        Raw
	Stop        []Escaped
	Effort      Escaped // none, minimal, low, medium, high, xhigh, max, ultra; "" where the client did not say
	EffortPath  string  // where Effort was read
	Budget      int64   // how many tokens of reasoning, where the client gave a number; Effort is then what it amounts to
	Adaptive    bool    // the model is to decide how much it reasons
	Summary     Escaped // how much of its reasoning the client wants to see: auto, concise, detailed; "" where it did not say
	UserID      Escaped
	UserIDPath  string  // where UserID was read, for clients that have two names for it
	Metadata    Raw     // an object of the client's own, for its vendor's records
	ServiceTier Escaped // auto, default, flex, priority, ...
	Verbosity   Escaped // low, medium, high
	CacheKey    Escaped // which requests share a prompt cache
	Session     Escaped // the client's id of the conversation, "" where it gave none
	Cache       Raw     // a breakpoint behind the last block that can have one; "" for none
	Format      Format
	Echo        []Member // what the client's API repeats of a request in its answer
	Previous    Raw      // the id of the stored answer that the client goes on from, a string; "" where there is none. Set by the caller
	Keep        *Keep    // how the answer is stored; nil: it is not. Set by the caller
}

// AppendIndex appends [i] to a path, nothing for -1.
func AppendIndex(dst []byte, i int) []byte {
	if i < 0 {
		return dst
	}
	dst = append(dst, '[')
	dst = strconv.AppendInt(dst, int64(i), 10)
	return append(dst, ']')
}

// Path returns the path of a content block in the client's body.
func (r *Request) Path(p Pos) string {
	return string(r.API.Client.AppendPath(nil, p))
}

// Empty refuses a request that says nothing.
//
//go:noinline
func (r *Request) Empty() *Error {
	return &Error{Kind: InvalidRequest, Path: r.FieldPath(FieldMessages), Message: "all messages are empty"}
}

// ToolPath returns the path of a tool in the client's body.
func (r *Request) ToolPath(t *Tool) string {
	return string(r.API.Client.AppendToolPath(nil, t.At))
}

// FieldPath returns the path of a field in the client's body.
func (r *Request) FieldPath(f Field) string {
	return r.API.Client.FieldPath(r, f)
}

// Tool returns the tool with a name, nil where the client offers none.
func (r *Request) Tool(name Escaped) *Tool {
	for i := range r.Tools {
		if r.Tools[i].Name == name {
			return &r.Tools[i]
		}
	}
	return nil
}

// Allows reports whether the model may call a tool of that name, as far as ToolChoice.Allowed goes, which may not change once it
// has been asked.
func (r *Request) Allows(name Escaped) bool {
	c := &r.ToolChoice
	if len(c.Allowed) > 16 && c.set == nil {
		c.set = make(map[Escaped]bool, len(c.Allowed))
		for _, allowed := range c.Allowed {
			c.set[allowed] = true
		}
	}
	if c.set != nil {
		return c.set[name]
	}
	for _, allowed := range c.Allowed {
		if allowed == name {
			return true
		}
	}
	return len(c.Allowed) == 0
}
