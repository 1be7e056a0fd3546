package anthropic

import "edgelingua/translator/ir"

// toolset writes the tool that stands for a server ("MCP connector", "MCP toolset configuration").
// Of a client that allows only some of the server's tools the others are off.
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

// isServer reports whether a tool of a client of this API stands for a server that no toolset
// names: "mcp_servers" is all that says of it.
func isServer(t *ir.Tool) bool { return t.Kind == ir.MCPTool && t.Raw == "" }

// servers writes "mcp_servers": the servers of the tools that were written.
func (w *requestWriter) servers() {
	separator := `,"mcp_servers":[`
	for _, server := range w.Request.Servers {
		w.Next(&separator)
		w.Raw(string(server))
	}
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		if w.own || t.Kind != ir.MCPTool || !w.takes(t) || !w.Request.Allows(t.Name) {
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
