package ir

// Hosted is a call that an upstream made by itself and has a form in another API: a search for
// tools, or a call of a tool at an MCP server.
type Hosted struct {
	Kind   ToolKind  // ToolSearchTool, MCPTool, WebFetchTool, or WebSearchTool for a search of the history
	ID     Escaped   // of the call, "" where the upstream gave none
	Server Escaped   // MCPTool: MCP.Label of the server
	Name   Escaped   // MCPTool: the name that the server has for its tool
	Input  Raw       // an object
	URL    Escaped   // WebFetchTool: where the page was at last, behind redirects
	Title  Escaped   // WebFetchTool: of the page, "" for none
	At     int64     // WebFetchTool: when it was fetched, in seconds since 1970
	Pages  []Escaped // WebSearchTool: the URLs of what was found
	Found  []Escaped // ToolSearchTool: Tool.Name of the tools that were found
	// MCPTool and WebSearchTool: the text that the tool returned. WebFetchTool: the page's text
	Output Escaped
	Failed bool   // the call has failed, and Output says why
	Code   string // WebFetchTool: why it has failed, as FetchNotAllowed; "" where it has not
	Done   bool   // the result is known
	// WebSearchTool and WebFetchTool: it was run here, or translated, so that no vendor knows it
	Made bool
	// Found has other names than the client's body: the result goes to no upstream as it stands
	Named bool
}

// MCP is a server of the Model Context Protocol whose tools the upstream calls by itself.
type MCP struct {
	Label       Escaped
	URL         Escaped
	Token       Escaped   // a secret: it goes to the upstream, and never back to the client
	Description Escaped   // of the server; "" for none
	Allowed     []Escaped // the only tools that the model may call; nil: all
	OwnOnly     bool      // the client says more of the server than other APIs have a form for
}
