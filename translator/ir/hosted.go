package ir

import "strings"

// Hosted is a call that the client does not run and that other APIs can express: the upstream's
// search for tools, its call of a tool at an MCP server, a web search or fetch, the consultation of
// an advisor, or a program. Fetches, searches and consultations may also have been run here, for an
// upstream without the tool: see Made.
type Hosted struct {
	// ToolSearchTool, MCPTool, WebFetchTool, AdvisorTool, ProgramTool, or, in the history,
	// WebSearchTool
	Kind       ToolKind
	ID         Escaped   // of the call, "" if the upstream gave none
	Server     Escaped   // MCPTool: MCP.Label of the server
	Name       Escaped   // MCPTool: the tool's name on the server
	Input      Raw       // an object
	URL        Escaped   // WebFetchTool: the page's final URL, after redirects
	Title      Escaped   // WebFetchTool: of the page, "" for none
	At         int64     // WebFetchTool: the time of the fetch, in seconds since 1970
	Pages      []Escaped // WebSearchTool: the URLs of the results
	FoundTools []Escaped // ToolSearchTool: Tool.Name of the found tools
	// MCPTool and WebSearchTool: the text returned by the tool. WebFetchTool: the page's text.
	// AdvisorTool: the advice, "" if only its vendor can read it. ProgramTool: what the program printed
	Output Escaped
	Failed bool // the call has failed, and Output says why
	// WebFetchTool and AdvisorTool: the reason of the failure, as FetchNotAllowed; ToolSearchTool: as
	// SearchInvalid; "" without a failure
	Code string
	Done bool // the result is known
	// WebSearchTool, WebFetchTool and AdvisorTool: the call was run here, or translated, so no vendor
	// knows the call
	Made bool
	// AdvisorTool: the model that was asked, its tokens, and why its answer ended
	Model Escaped
	Usage Usage
	Stop  StopReason
	// ProgramTool: the API whose vendor runs the program, "" if unknown; the vendor's id of the item; and
	// what the vendor needs to continue: OpenAI's fingerprint, or Anthropic's container
	Origin string
	Item   Escaped
	State  Escaped
	// the names in FoundTools differ from those of the client's body: the result is sent to no upstream
	// unchanged
	Named bool
}

// MCP is a server of the Model Context Protocol whose tools the upstream calls itself.
type MCP struct {
	Label       Escaped
	URL         Escaped
	Token       Escaped   // a secret: sent to the upstream, never back to the client
	Description Escaped   // of the server; "" for none
	Allowed     []Escaped // the only tools that the model may call; nil: all
	OwnOnly     bool      // the client configures the server in ways that other APIs can't express
}

// IsPortable reports whether another API can express the server. Each API requires TLS
// (BetaRequestMCPServerURLDefinition of @anthropic-ai/sdk; "MCP and Connectors" of OpenAI).
//
//go:noinline
func (m *MCP) IsPortable() bool {
	return !m.OwnOnly && m.Label != "" && strings.HasPrefix(string(m.URL), "https:")
}
