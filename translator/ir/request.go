package ir

// Role is who speaks in a message.
type Role uint8

const (
	User Role = iota + 1 // tool results stand in its messages, too
	Assistant
	System // the roles system and developer; such a message may stand anywhere
)

// ContentKind says what a content block of a message holds: which fields of Content are set.
type ContentKind uint8

const (
	TextContent     ContentKind = iota + 1 // Text
	ImageContent                           // Source
	DocumentContent                        // Source
	ToolCallContent                        // ID, Name, Input
	// ID, Name, Text: the call of a CustomTool, with free text in place of arguments
	CustomCallContent
	ToolResultContent // ID, Parts, IsError: what a call of either kind has returned
	// Text; Origin, ItemID and Signature where the vendor has signed it
	ReasoningContent
	// Origin, ItemID, Signature: reasoning that only its vendor can read
	RedactedContent
	RefusalContent // Text
	// Raw: the value of "input_audio" of the OpenAI APIs, {"data","format"}
	AudioContent
	// Raw: a block or item of the client's API that the hub has no name for; Text: what it says to
	// other APIs
	OpaqueContent
)

// IsCall reports whether a block is a tool call.
func (k ContentKind) IsCall() bool { return k == ToolCallContent || k == CustomCallContent }

// IsReasoning reports whether a block is reasoning.
func (k ContentKind) IsReasoning() bool { return k == ReasoningContent || k == RedactedContent }

// Content is one content block of a message.
type Content struct {
	Kind    ContentKind
	IsError bool // tool result: the call has failed
	// text of the assistant's: it goes on with the block in front of it, with nothing between them
	Continues bool
	Phase     Phase // text or refusal of the assistant's: that of its message, where the client says one
	// text of the user's: the summary of what was said before, see Summary. Opaque: such a summary,
	// which only its vendor can read
	Summary bool
	ByTool  bool // content of the user's that the result of a tool had: the user has not written it
	// opaque, with Hosted: the result is known, and this is the block to write the call and its
	// result for
	Returned bool
	At       Pos
	Text     Escaped
	ID       Escaped // tool call and tool result: the id of the call
	Name     Escaped // tool call: Tool.Name of the tool that is called
	Input    Raw     // tool call: its arguments, a JSON object
	// reasoning: the protocol whose vendor made Signature; "": there is none, or one of unknown
	// origin, which no upstream gets
	Origin    string
	ItemID    Escaped // reasoning: the vendor's id of the item
	Signature Escaped // reasoning: as the vendor gave it. Summary: what is sealed
	// of a tool result: its blocks. Of a document whose text comes in parts: text blocks, and
	// opaque ones for what is no text
	Parts  []Content
	Source Source
	// opaque block: all of it. Text: the list of its citations, as a client of Responses sent it
	Raw Raw
	// opaque: the call that the block holds, or, where Returned is set, whose result it holds; nil
	// for any other block
	Hosted *Hosted
	// the breakpoint of the prompt cache that the client has set behind the block, an object; ""
	// for none. See Caching
	Cache Raw
}

// Message is what one role says, one or several of them a turn.
type Message struct {
	Role    Role
	Content []Content
}

// ToolKind says who runs a tool and what its call holds.
type ToolKind uint8

const (
	FunctionTool  ToolKind = iota // the client runs it; its call holds a JSON object that follows Schema
	CustomTool                    // the client runs it; its call holds free text that follows Grammar
	WebSearchTool                 // the upstream searches the web by itself, as Search says
	WebFetchTool                  // the upstream fetches pages of the web by itself, as Search says
	// the upstream searches the Deferred tools by itself, and the model may call those that it
	// finds
	ToolSearchTool
	MCPTool    // the upstream calls the tools of a server by itself, as MCP says
	VendorTool // its vendor has defined it and runs it; here only Type and Raw are known
)

// RunByClient reports whether the client runs the tool: the model calls it by its name.
func (k ToolKind) RunByClient() bool { return k == FunctionTool || k == CustomTool }

// Tool is a tool that the client offers and the model may see.
type Tool struct {
	Kind   ToolKind
	Strict Tri
	// defer_loading: where the upstream has a ToolSearchTool, it hides the tool until that finds
	// it; where it has none, the model sees the tool at once
	Deferred bool
	At       Pos
	// the vendor's type of a tool that it has defined, as bash_20250124; "" for a function or
	// custom tool of the client's own
	Type        Escaped
	Name        Escaped // unique in the request; of any length and of any characters
	Namespace   Escaped // the name of the namespace (of Responses) that the tool stands in; "" for none
	Local       Escaped // the tool's name in its namespace. Name is made of both
	Description Escaped
	Examples    Raw // input_examples of Messages, an array; "" for none
	Schema      Raw // JSON Schema of its arguments, an object; "" where the client gave none
	// the path of Schema below At, as ".input_schema"; "" where the client did not write it
	Field string
	// what the free text must look like: the value of "format" of the OpenAI APIs; "" for any text
	Grammar Raw
	Search  Search
	MCP     *MCP // of an MCPTool
	Raw     Raw  // where Type is set: the whole definition, for upstreams of the client's own protocol
	Cache   Raw  // as Content.Cache
}

// Search says how the upstream is to search the web, or to fetch pages.
type Search struct {
	Allowed, Blocked []Escaped // the only domains to search or to fetch from, and domains to leave out
	// where the user is, an object {"type":"approximate","city":...}; "" where the client does not
	// say
	Location    Raw
	MaxUses     int64   // how many searches or pages at most; 0: any number
	MaxTokens   int64   // of a WebFetchTool: how many tokens of a page at most; 0: as many as usual
	OwnSources  bool    // of a WebFetchTool: the client says itself whose URLs may be fetched
	Cites       bool    // of a WebFetchTool: the model is to cite from pages
	ContextSize Escaped // search_context_size: low, medium, high, or ""
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
	ToolsNamed // the model has to call ToolChoice.Name
)

// ToolChoice is a client's tool_choice.
type ToolChoice struct {
	Mode ToolMode
	Name Escaped
	// Tool.Name of those that the model may call; empty: all. With names in it Mode is ToolsAuto or
	// ToolsRequired
	Allowed []Escaped

	set map[Escaped]bool // Allowed as a set: made by the first call of Allows where the list is long
}

// Format is what the answer's text must look like: JSON that follows Schema, an object; any JSON
// object where Schema is "" and Object is true; free text where neither is set.
type Format struct {
	Name        Escaped // the schema's name; "" where the client gave none
	Description Escaped
	Schema      Raw
	Strict      Tri
	Object      bool
	Enforced    bool // the client's API has no flag "strict": every schema is, and Strict is True
	// the path of the object that holds the schema as its member "schema", as "text.format", or of
	// the schema itself where Bare is set
	At   string
	Bare bool
}

// SchemaPath returns the path of the schema.
func (f *Format) SchemaPath() string {
	if f.Bare {
		return f.At
	}
	return f.At + ".schema"
}

// Field names a field of a request that an upstream may not take. Each client's API has a path of
// its own for it: see Client.FieldPath.
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
	FieldPresence
	FieldFrequency
	FieldSeed
	FieldTopLogprobs

	Fields // the length of an array that is indexed by Field
)

// Member is one member of a JSON object.
type Member struct {
	Key   string
	Value Raw
}

// Request is what a client asks for. Its strings are views into the client's body, which must not
// change as long as it is used. Numbers of sampling stand as the client wrote them. "" is a field
// that the client has not sent.
type Request struct {
	API *API // the client's, which knows the paths of fields
	// the name that the upstream gets: the client's, unless the caller sets another
	Model Escaped
	// when the request came, in seconds since 1970, for answers that must have a time. Set by the
	// caller
	Received int64
	// returns the time in seconds since 1970, for answers that say when they were complete; nil:
	// Received. Set by the caller
	Now         func() int64
	Stream      bool
	StreamUsage bool // the client wants to know the usage at the end of a stream
	Messages    []Message
	Tools       []Tool
	// mcp_servers of Messages that a tool of the kind MCPTool names, as the client wrote them
	Servers     []Raw
	ToolChoice  ToolChoice
	Parallel    Tri    // whether the model may call several tools at once
	Legacy      bool   // a Chat client that declares "functions": calls go to it as function_call
	MaxTokens   int64  // in tokens; 0: the client has set no limit
	LimitPath   string // the member that MaxTokens was read from, where the API has two for it; else ""
	Temperature Raw
	TopP        Raw
	TopK        Raw
	Presence    Raw // presence_penalty, not 0
	Frequency   Raw // frequency_penalty, not 0
	Seed        Raw
	Stop        []Escaped
	// none, minimal, low, medium, high, xhigh, max, ultra; "" where the client did not say
	Effort     Escaped
	EffortPath string // where Effort was read, or would stand
	// thinking.budget_tokens of Messages, in tokens; 0 for none. Effort is then what the budget
	// amounts to
	Budget   int64
	Adaptive bool    // thinking of Messages is "adaptive": the model decides how much it reasons
	Display  Escaped // thinking.display of Messages, for upstreams of the same API
	// the client does not want to read how the model reasons: package translator keeps that back
	HideThoughts bool
	// how the client wants to see the reasoning: auto, concise, detailed; "" where it did not say
	Summary       Escaped
	UserID        Escaped
	PrivateUserID bool   // UserID names a device and a session, so it is told to no other vendor
	UserIDPath    string // the member that UserID was read from, where the API has two for it; else ""
	// an object that the client's vendor keeps with the answer; models don't see it
	Metadata    Raw
	ServiceTier Escaped // auto, default, flex, priority, ...
	Verbosity   Escaped // low, medium, high
	// prompt_cache_key of the OpenAI APIs: requests with one key share a prompt cache
	CacheKey       Escaped
	CacheRetention Escaped // prompt_cache_retention of the OpenAI APIs: how long they keep the prompt
	Session        Escaped // the client's id of the conversation, "" where it gave none
	// cache_control of the request itself: a breakpoint behind the last block that can have one; ""
	// for none
	Cache      Raw
	Compaction *Compaction // nil: the client asks for none
	// what is done to the history before the model reads it; nil: the client asks for nothing of
	// that
	Edits  *Edits
	Format Format
	// the member by which the client asks how likely the answer's tokens are, as "logprobs"; "": it
	// does not ask
	Logprobs    string
	TopLogprobs Raw // how many of the likeliest tokens it wants in each place; "" for none
	// members of the body that only upstreams of the client's own API can be told, by their paths
	Own  []Member
	Echo []Member // the members of the request that Responses repeats in its answer
	// previous_response_id, a JSON string: the stored answer that this request goes on from; "" for
	// none. Set by the caller
	Previous Raw
	Keep     *Keep // how the answer is stored; nil: it is not. Set by the caller
	// keeps long texts out of the upstream's body; nil: the body is whole. Set by the caller
	Apart *Apart

	CutDescriptions int64 // by how many bytes a policy has cut descriptions of tools
}

// Time returns the time now, in seconds since 1970.
func (r *Request) Time() int64 {
	if r.Now == nil {
		return r.Received
	}
	return r.Now()
}

// Empty returns the refusal of a request whose messages say nothing.
func (r *Request) Empty() *Error {
	return &Error{Kind: InvalidRequest, Path: r.FieldPath(FieldMessages), Message: "all messages are empty"}
}

// FieldPath returns the path of a field in the client's body: of one that has two names there, the
// one that the client has used.
func (r *Request) FieldPath(f Field) string {
	switch {
	case f == FieldMaxTokens && r.LimitPath != "":
		return r.LimitPath
	case f == FieldEffort && r.EffortPath != "":
		return r.EffortPath
	case f == FieldUserID && r.UserIDPath != "":
		return r.UserIDPath
	}
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

// UniqueTools removes each tool whose name a later one has too, and notes it in lost: the later one
// takes its place. Anthropic refuses such a list ("tools: Tool names must be unique."), OpenAI
// takes it, and the tool runners of their SDKs run the later one (openai/openai-agents-python#4116,
// anthropics/anthropic-sdk-python#1535).
func (r *Request) UniqueTools(lost *Lost) {
	places := make(map[Escaped]int, len(r.Tools))
	n := 0
	for i := range r.Tools {
		t := &r.Tools[i]
		if first, ok := places[t.Name]; ok && t.Name != "" {
			lost.Add(r.Tools[first].At.String())
			r.Tools[first] = *t
			continue
		}
		places[t.Name] = n
		if n < i {
			r.Tools[n] = *t
		}
		n++
	}
	r.Tools = r.Tools[:n]
}

// OnlyTool returns the name of the one tool that the model can have called, as an upstream knows it
// by a name of at most max characters: the tool that it has to call, or the only one that the
// client runs. It is nil where there are several.
func (r *Request) OnlyTool(max int) []byte {
	name := Escaped("")
	if r.ToolChoice.Mode == ToolsNamed {
		name = r.ToolChoice.Name
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		if r.ToolChoice.Mode == ToolsNamed || !t.Kind.RunByClient() || !r.Allows(t.Name) {
			continue
		}
		if name != "" {
			return nil
		}
		name = t.Name
	}
	if name == "" {
		return nil
	}
	return []byte(Identifier(name, max))
}

// ToolsByName returns the tools by their names, of several with one name the first.
func (r *Request) ToolsByName() map[Escaped]*Tool {
	index := make(map[Escaped]*Tool, len(r.Tools))
	for i := len(r.Tools) - 1; i >= 0; i-- {
		index[r.Tools[i].Name] = &r.Tools[i]
	}
	return index
}

// Allows reports whether ToolChoice.Allowed lets the model call a tool of that name. Allowed may
// not change after the first call.
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
