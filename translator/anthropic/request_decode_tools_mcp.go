package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// mcpToolset is the type of a tool that stands for a server in "mcp_servers".
const mcpToolset = "mcp_toolset"

// settleServers gives each mcp_toolset among the tools its server ("MCP connector"). A toolset without a server is left to Anthropic, and a
// server that no toolset names is lost.
func (d *requestDecoder) settleServers() {
	r := jsonr.NewReader(string(d.servers))
	for r.OpenArray(); r.Element(); {
		m, whole, kind := ir.MCP{}, r, ir.Escaped("")
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "type":
				kind, _ = jsonr.Text(r.Value())
			case "name":
				m.Label, _ = jsonr.Text(r.Value())
			case "url":
				m.URL, _ = jsonr.Text(r.Value())
			case "authorization_token":
				m.Token, _ = jsonr.Text(r.Value())
			default: // tool_configuration is the deprecated form of a toolset
				m.OwnOnly = m.OwnOnly || jsonr.Asks(r.Value())
			}
		}
		m.OwnOnly = m.OwnOnly || kind != "url"
		t := d.request.Tool(mcpName(m.Label))
		if t == nil || t.MCP != nil {
			d.lost.Add("mcp_servers")
			continue
		}
		t.Kind, t.MCP = ir.MCPTool, &m
		d.toolset(t)
		d.request.Servers = append(d.request.Servers, whole.Value())
	}
}

// mcpName returns Tool.Name of the tools of a server, which no other tool can have.
func mcpName(label ir.Escaped) ir.Escaped { return "mcp:" + label }

// toolset reads which tools of a server the model may call. Other APIs have a list of those that it may, and none of those that it may not.
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
