package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// mcpToolset is the type of a tool for a server in "mcp_servers".
const mcpToolset = "mcp_toolset"

// settleServers assigns each mcp_toolset among the tools its server ("MCP connector"). A toolset
// without a server is left to Anthropic. A server without a toolset becomes a tool itself, as in
// the deprecated beta mcp-client-2025-04-04, which the AI SDK uses. Of two servers with the same
// name the later one is lost.
//
//go:noinline
func (d *requestDecoder) settleServers() {
	named, alone, n := d.request.ToolsByName(), []ir.Tool(nil), 0
	r := jsonr.NewReader(string(d.servers))
	for r.OpenArray(); r.Element(); n++ {
		m, whole, kind, configured, off := ir.MCP{}, r, ir.Escaped(""), false, false
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "type":
				kind, _ = jsonr.Text(r.Value())
			case "name":
				m.Label, _ = jsonr.Text(r.Value())
				m.Label = jsonw.Escape(jsonw.Unescape(m.Label)) // as in typedTool
			case "url":
				m.URL, _ = jsonr.Text(r.Value())
			case "authorization_token":
				m.Token, _ = jsonr.Text(r.Value())
			case "tool_configuration": // the deprecated form of a toolset
				configured = r.Kind() == jsonr.Object
				off = configure(&r, &m) || off
			default:
				m.OwnOnly = m.OwnOnly || jsonr.Asks(r.Value())
			}
		}
		m.OwnOnly = m.OwnOnly || kind != "url"
		at, name := ir.Pos{Form: "mcp_servers[]", Index: ir.Index{n}}, mcpName(m.Label)
		t := named[name]
		switch {
		case t != nil && t.MCP != nil:
			d.lost.Add(at.String())
			continue
		case t != nil:
			m.OwnOnly = m.OwnOnly || configured
			t.Kind, t.MCP = ir.MCPTool, &m
			d.toolset(t)
		default:
			t = &ir.Tool{Kind: ir.MCPTool, At: at, Type: "mcp_servers", Name: name, MCP: &m}
			if named[name] = t; !off {
				alone = append(alone, *t)
			}
		}
		d.request.Servers = append(d.request.Servers, whole.Value())
	}
	d.request.Tools = append(d.request.Tools, alone...)
}

// configure reads the tool_configuration of a server, and reports whether it turns the server's
// tools off.
func configure(r *jsonr.Reader, m *ir.MCP) (off bool) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); {
		case key == "enabled":
			off = r.Value() == "false"
		case key == "allowed_tools" && r.Kind() == jsonr.Array:
			m.Allowed = make([]ir.Escaped, 0, 8)
			for r.OpenArray(); r.Element(); {
				name, _ := jsonr.Text(r.Value())
				m.Allowed = append(m.Allowed, name)
			}
		default:
			m.OwnOnly = m.OwnOnly || jsonr.Asks(r.Value())
		}
	}
	return off
}

// mcpName returns Tool.Name for a server's tools. No other tool can have this name.
func mcpName(label ir.Escaped) ir.Escaped { return "mcp:" + label }

// toolset reads the allow-list of a server's tools. Other APIs have an allow-list but no deny-list.
func (d *requestDecoder) toolset(t *ir.Tool) {
	m, all, some := t.MCP, true, make([]ir.Escaped, 0, 8)
	r := jsonr.NewReader(string(t.Raw))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type", "mcp_server_name", "cache_control":
		case "default_config":
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "enabled":
					all = r.Value() != "false"
				case "defer_loading":
					t.Deferred = r.Value() == "true" && d.searches
				default:
					m.OwnOnly = m.OwnOnly || jsonr.Asks(r.Value())
				}
			}
		case "configs":
			for r.OpenObject(); r.Member(); {
				name, on := jsonw.Escape(r.Key()), ir.Unset
				for r.OpenObject(); r.Member(); {
					switch v := r.Value(); {
					case r.Key() == "enabled" && v == "true":
						on = ir.True
					case r.Key() == "enabled":
						on = ir.False
					default:
						m.OwnOnly = m.OwnOnly || jsonr.Asks(v)
					}
				}
				if on == ir.True {
					some = append(some, name)
				}
				m.OwnOnly = m.OwnOnly || on == ir.False
			}
		default:
			m.OwnOnly = m.OwnOnly || jsonr.Asks(r.Value())
		}
	}
	if !all {
		m.Allowed = some
	}
}
