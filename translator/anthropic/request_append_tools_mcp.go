package anthropic

import "edgelingua/translator/ir"

// toolset writes the tool for an MCP server ("MCP connector", "MCP toolset configuration"). If the
// client allows only some of the server's tools, the toolset turns the others off.
func (w *requestWriter) toolset(t *ir.Tool) {
	m := t.MCP
	w.Raw(`{"type":"` + mcpToolset + `","mcp_server_name":`)
	w.Literal(m.Label)
	separator := `,"default_config":{`
	if m.Allowed != nil {
		w.Next(&separator)
		w.Raw(`"enabled":false`)
	}
	if t.Deferred && w.searches() {
		w.Next(&separator)
		w.Raw(`"defer_loading":true`)
	}
	if separator == `,` {
		w.Raw(`}`)
	}
	separator = `,"configs":{`
	for _, name := range m.Allowed {
		w.Next(&separator)
		w.Literal(name)
		w.Raw(`:{"enabled":true}`)
	}
	if separator == `,` {
		w.Raw(`}`)
	}
	w.Raw(`}`)
}

// isServer reports whether a tool is a server without a toolset, from a client of this API: only
// "mcp_servers" describes the server.
func isServer(t *ir.Tool) bool { return t.Kind == ir.MCPTool && t.Raw == "" }

// servers writes "mcp_servers": the servers of the written tools.
func (w *requestWriter) servers() {
	separator := `,"mcp_servers":[`
	for _, server := range w.Request.Servers {
		w.Next(&separator)
		w.Raw(string(server))
	}
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		if w.own || t.Kind != ir.MCPTool || !w.accepts(t) || !w.Request.Allows(t.Name) {
			continue
		}
		w.Next(&separator)
		w.Raw(`{"type":"url","name":`)
		w.Literal(t.MCP.Label)
		w.Raw(`,"url":`)
		w.Literal(t.MCP.URL)
		w.Member(`,"authorization_token":`, t.MCP.Token)
		w.Raw(`}`)
		if t.MCP.Description != "" {
			w.Lost.Add(t.At.Path(".server_description"))
		}
	}
	if separator == `,` {
		w.Raw(`]`)
	}
}
