package ir

// Role is the author of a message.
type Role uint8

const (
	User Role = iota + 1 // tool results are in the user's messages, too
	Assistant
	System // the roles system and developer; such messages may be anywhere in the list
)

// ContentKind says what a content block of a message holds, and so which fields of Content are set.
type ContentKind uint8

const (
	TextContent     ContentKind = iota + 1 // Text
	ImageContent                           // Source
	DocumentContent                        // Source
	ToolCallContent                        // ID, Name, Input
	// ID, Name, Text: the call of a CustomTool, with free text instead of arguments
	CustomCallContent
	ToolResultContent // ID, Parts, IsError: the result of a call of either kind
	// Text; Origin, ItemID and Signature if the vendor signed the reasoning
	ReasoningContent
	// Origin, ItemID, Signature: reasoning readable only by its vendor
	RedactedContent
	RefusalContent // Text
	// Raw: the value of "input_audio" of the OpenAI APIs, {"data","format"}
	AudioContent
	// Raw: a block or item of the client's API without a name in the hub; Text: its text for other
	// APIs
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
	// text of the assistant: the continuation of the previous block, with nothing between the two
	Continues bool
	Phase     Phase // text or refusal of the assistant: the phase of its message, if the client sent one
	// text of the user: the summary of an earlier conversation, see Summary. Opaque: such a
	// summary, readable only by its vendor
	Summary bool
	Caller  Raw // call and result: who called, for upstreams of the client's own API; "" if not sent
	// call: the program that called, if an upstream of another API ran the program; else nil
	Program *Hosted
	ByTool  bool // content of the user that a tool result contained: the user did not write it
	// opaque, with Hosted: the result is known, and the call and its result are to be written for
	// this block
	Returned bool
	At       Pos
	Text     Escaped
	ID       Escaped // tool call and tool result: the id of the call
	Name     Escaped // tool call: Tool.Name of the called tool
	Input    Raw     // tool call: the arguments, a JSON object
	// reasoning: the protocol of the vendor that made Signature. "": no signature, or one of
	// unknown origin, which is sent to no upstream
	Origin string
	ItemID Escaped // reasoning: the vendor's id of the item
	// reasoning: the vendor's signature. Summary: the sealed text, Unsealed or "" (compaction.go)
	Signature Escaped
	// tool result: its blocks. A document with its text in parts: text blocks, and opaque blocks
	// for parts without text
	Parts  []Content
	Source Source
	// opaque: the whole block. Text: the list of its citations, as sent by a client of Responses
	Raw Raw
	// opaque: the call in the block or, if Returned is set, the call whose result is in the block;
	// nil for any other block
	Hosted *Hosted
	// the breakpoint of the prompt cache that the client set after the block, an object; "" for
	// none. See Caching
	Cache Raw
}

// Message is one message of a role. A turn is all messages until the next change between the
// assistant and everyone else (NextSpeaker); it may have several messages.
type Message struct {
	Role    Role
	Content []Content
}

// ToolKind says who runs a tool and what its call holds.
type ToolKind uint8

const (
	FunctionTool  ToolKind = iota // the client runs the tool; a call holds a JSON object that follows Schema
	CustomTool                    // the client runs the tool; a call holds free text that follows Grammar
	WebSearchTool                 // the upstream searches the web itself, with the options in Search
	WebFetchTool                  // the upstream fetches webpages itself, with the options in Search
	// the upstream searches the Deferred tools itself, and the model may call the tools found
	ToolSearchTool
	MCPTool // the upstream itself calls the tools of the server in MCP
	// the upstream asks another model for advice, with the options in Search
	AdvisorTool
	// the upstream runs code that the model writes, and the code calls tools of the client: see
	// Tool.Callers
	ProgramTool
	VendorTool // defined and run by its vendor; only Type and Raw are known
)

// RunByClient reports whether the client runs the tool: the model calls the tool by its name.
func (k ToolKind) RunByClient() bool { return k == FunctionTool || k == CustomTool }

// Tool is a tool offered by the client.
type Tool struct {
	Kind   ToolKind
	Strict Tri
	// defer_loading: an upstream with a ToolSearchTool hides the tool from the model until a search
	// finds the tool. For other upstreams, package stages does the same
	Deferred  bool
	ByPattern bool // of a ToolSearchTool: the model searches by a regular expression, not by words
	At        Pos
	// the vendor's type of a tool defined by the vendor, as bash_20250124; "" for the client's own
	// function or custom tool
	Type        Escaped
	Name        Escaped // unique in the request; of any length and of any characters
	Namespace   Escaped // the name of the tool's namespace (of Responses); "" for none
	Local       Escaped // the tool's name in its namespace. Name combines both
	Description Escaped
	Examples    Raw // input_examples of Messages, an array; "" for none
	// allowed_callers of the client's API: code that the vendor runs may call the tool, if the request
	// has a ProgramTool. "" for none, or only the model itself
	Callers Raw
	Schema  Raw // JSON Schema of the arguments, an object; "" if the client gave none
	// the path of Schema below At, as ".input_schema"; "" if the client did not write the schema
	Field string
	// the form of the free text: the value of "format" of the OpenAI APIs; "" for any text
	Grammar Raw
	Search  Search
	MCP     *MCP // of an MCPTool
	Raw     Raw  // if Type is set: the whole definition, for upstreams of the client's own protocol
	Cache   Raw  // as Content.Cache
}

// Search says how the upstream is to search the web, or to fetch pages.
type Search struct {
	Allowed, Blocked []Escaped // the only domains to search or to fetch from, and domains to leave out
	// the paths of both lists below Tool.At, as ".filters.allowed_domains"
	AllowedField, BlockedField string
	// the user's location, an object {"city":...}, perhaps with a type; "" if unknown
	Location      Raw
	LocationField string // the path of Location's members below Tool.At, as ".user_location"
	MaxUses       int64  // how many searches, pages or consultations at most; 0: any number
	// of a WebFetchTool: how many tokens of a page at most; of an AdvisorTool: of an advice. 0: as many as
	// usual
	MaxTokens   int64
	OwnSources  bool    // of a WebFetchTool: the client itself decides whose URLs may be fetched
	Cites       bool    // of a WebFetchTool: the model is to cite from pages
	ContextSize Escaped // search_context_size: low, medium, high, or ""
	// the paths of members without a place here, below Tool.At; only other APIs lose these members
	Others []string
}

// Tri is an optional flag.
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
	// Tool.Name of the tools that the model may call; empty: all. If there are names, Mode is
	// ToolsAuto or ToolsRequired
	Allowed []Escaped

	set map[Escaped]bool // Allowed as a set, built by the first call of Allows for a long list
}

// Format is the required form of the answer's text: JSON that follows Schema, an object; any JSON
// object if Schema is "" and Object is true; free text if neither is set.
type Format struct {
	Name        Escaped // the schema's name; "" if the client gave none
	Description Escaped
	Schema      Raw
	Strict      Tri
	Object      bool
	Choice      bool // the text is one of Schema's strings, without quotes (Gemini's text/x.enum)
	Enforced    bool // the client's API has no flag "strict": every schema is strict, and Strict is True
	// the name of the API whose rules for strict schemas the client follows: a vendor of the API
	// gets the schema as it is; "": no such rules
	Rules string
	// the path of the object with the schema as its member "schema", as "text.format". If Bare is
	// set: the path of the schema itself
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

// Field is a field of a request that an upstream may not accept. The path of the field differs
// between the clients' APIs: see Client.FieldPath.
type Field uint8

const (
	FieldMaxTokens Field = iota + 1
	FieldTemperature
	FieldTopP
	FieldTopK
	FieldStop
	FieldEffort
	FieldReasoningSummary
	FieldUserID
	FieldMetadata
	FieldServiceTier
	FieldSpeed
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

	Fields // the length of an array indexed by Field
)

// Member is one member of a JSON object.
type Member struct {
	Key   string
	Value Raw
}

// Request is a client's request. Its strings are views of the client's body, which must not change
// while the Request is in use. Sampling parameters are numbers as the client wrote them. "" means
// that the client did not send the field.
type Request struct {
	API *API // the client's API, for the paths of fields
	// the model's name for the upstream: the client's, unless the caller sets another
	Model Escaped
	// when the request arrived, in seconds since 1970, for answers with a time. Set by the caller
	Received int64
	// returns the current time in seconds since 1970, for answers with their completion time; nil:
	// Received. Set by the caller
	Now         func() int64
	Stream      bool
	StreamUsage bool // the client requests the usage at the end of a stream
	Messages    []Message
	Tools       []Tool
	// the entries of mcp_servers of Messages that a tool of the kind MCPTool names, as the client
	// wrote them
	Servers     []Raw
	ToolChoice  ToolChoice
	Parallel    Tri    // whether the model may call several tools at once
	Legacy      bool   // a Chat client with "functions": its calls are sent as function_call
	MaxTokens   int64  // in tokens; 0: the client has set no limit
	LimitPath   string // the member with MaxTokens, if the API has two for it; else ""
	Temperature Raw
	TopP        Raw
	TopK        Raw
	Presence    Raw // presence_penalty; "" also for 0, which is the default everywhere
	Frequency   Raw // frequency_penalty; "" also for 0
	Seed        Raw
	Stop        []Escaped
	// none, minimal, low, medium, high, xhigh, max, ultra; "" if not sent
	Effort     Escaped
	EffortPath string // where Effort was read, or would be
	// thinking.budget_tokens of Messages, in tokens; 0 for none. Effort is then the effort for this
	// budget
	Budget   int64
	Adaptive bool    // thinking of Messages is "adaptive": the model decides how much to reason
	Display  Escaped // thinking.display of Messages, for upstreams of the same API
	// the client asked for no reasoning: package stages withholds the reasoning, unless
	// Target.ShowThoughts
	HideThoughts bool
	// how to summarize the reasoning: auto, concise, detailed; "" if not sent
	ReasoningSummary     Escaped
	ReasoningSummaryPath string // the member with ReasoningSummary, if the API has several for it; else ""
	// Responses: the earlier reasoning that OpenAI shows the model: auto, current_turn, all_turns
	ReasoningContext Escaped
	UserID           Escaped
	PrivateUserID    bool   // UserID names a device and a session, so no other vendor is sent the id
	UserIDPath       string // the member with UserID, if the API has two for it; else ""
	// an object that the client's vendor stores with the answer, invisible to models. A Messages
	// upstream is sent its user_id
	Metadata    Raw
	ServiceTier Escaped // auto, default, flex, priority, fast, ...
	Fast        bool    // speed of Messages is "fast"
	Verbosity   Escaped // low, medium, high
	// prompt_cache_key of the OpenAI APIs: requests with the same key share a prompt cache
	CacheKey       Escaped
	CacheRetention Escaped // prompt_cache_retention of the OpenAI APIs: how long the prompt is cached
	Session        Escaped // the client's id of the conversation, or ""
	// cache_control of the request itself: a breakpoint after the last block that can have one; ""
	// for none
	Cache      Raw
	Compaction *Compaction // nil: the client asks for none
	// edits of the history before the model reads it; nil: none
	Edits  *Edits
	Format Format
	// the member with which the client requests log probabilities, as "logprobs"; "": not requested
	Logprobs    string
	TopLogprobs Raw // the requested number of alternatives for each token; "" for none
	// members of the body that can be sent only to upstreams of the client's own API. Key is the
	// member's path
	Own  []Member
	Echo []Member // the members of the request that Responses repeats in its answer
	// previous_response_id, a JSON string: the stored answer that this request continues; "" for
	// none. Set by the caller
	Previous Raw
	// the programs of the history that upstreams of other APIs ran
	Programs   []*Hosted
	AnswerCopy *AnswerCopy // how the answer is stored; nil: not stored. Set by the caller
	// keeps long texts out of the upstream's body; nil: the body is whole. Set by the caller
	LongTexts *LongTexts

	CutDescriptions int64 // by how many bytes a policy has cut descriptions of tools
}

// Time returns the time now, in seconds since 1970.
func (r *Request) Time() int64 {
	if r.Now == nil {
		return r.Received
	}
	return r.Now()
}

// Empty returns the error for a request with only empty messages.
func (r *Request) Empty() *Error {
	return &Error{Kind: InvalidRequest, Path: r.FieldPath(FieldMessages), Message: "all messages are empty"}
}

// FieldPath returns the path of a field in the client's body. If the API has two names for the
// field, FieldPath returns the name that the client used.
func (r *Request) FieldPath(f Field) string {
	switch {
	case f == FieldMaxTokens && r.LimitPath != "":
		return r.LimitPath
	case f == FieldEffort && r.EffortPath != "":
		return r.EffortPath
	case f == FieldReasoningSummary && r.ReasoningSummaryPath != "":
		return r.ReasoningSummaryPath
	case f == FieldUserID && r.UserIDPath != "":
		return r.UserIDPath
	}
	return r.API.Client.FieldPath(r, f)
}

// Tool returns the tool with the given name, or nil if the client offers none.
func (r *Request) Tool(name Escaped) *Tool {
	for i := range r.Tools {
		if r.Tools[i].Name == name {
			return &r.Tools[i]
		}
	}
	return nil
}

// UniqueTools keeps only the last tool of each name, at the first one's position, and notes the
// others in lost. Anthropic refuses duplicates ("tools: Tool names must be unique."), OpenAI
// accepts them, and the tool runners of their SDKs run the last one
// (openai/openai-agents-python#4116, anthropics/anthropic-sdk-python#1535).
//
//go:noinline
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

// OnlyTool returns the upstream's name, of at most max characters, of the only tool that the model
// can have called: the tool required by ToolChoice, or else the only allowed tool run by the
// client. OnlyTool returns nil if there are several, or none.
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

// ToolsByName returns the tools by their names. If several have the same name, the first one
// counts.
func (r *Request) ToolsByName() map[Escaped]*Tool {
	index := make(map[Escaped]*Tool, len(r.Tools))
	for i := len(r.Tools) - 1; i >= 0; i-- {
		index[r.Tools[i].Name] = &r.Tools[i]
	}
	return index
}

// Allows reports whether ToolChoice.Allowed lets the model call the tool with the given name.
// Allowed must not change after the first call.
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
