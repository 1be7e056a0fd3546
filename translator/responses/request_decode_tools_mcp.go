package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// mcp is the type of a tool that represents an MCP server.
const mcp = "mcp"

// mcpName returns the Tool.Name for an MCP server. No tool of a different kind can have this name.
func mcpName(label ir.Escaped) ir.Escaped { return "mcp:" + label }

// server reads a tool that represents an MCP server (API reference, tools, "MCP tool"). Other
// vendors lack OpenAI's connectors and tunnels, headers other than the token, and lists of
// read-only tools. They also call without asking. A server whose calls require the user's approval,
// which is the default, is therefore only sent to OpenAI.
func (d *requestDecoder) server(whole jsonr.Reader, t *ir.Tool) {
	m := &ir.MCP{OwnOnly: true}
	t.Kind, t.Type, t.MCP = ir.MCPTool, mcp, m
	again, more := whole, false
	t.Raw = again.Value()
	for whole.OpenObject(); whole.Member(); {
		switch whole.Key() {
		case "type", "defer_loading":
		case "server_label":
			m.Label, _ = jsonr.Text(whole.Value())
		case "server_url":
			m.URL, _ = jsonr.Text(whole.Value())
		case "authorization":
			m.Token, _ = jsonr.Text(whole.Value())
		case "server_description":
			m.Description, _ = jsonr.Text(whole.Value())
		case "require_approval":
			m.OwnOnly = whole.Value() != `"never"`
		case "allowed_tools":
			m.Allowed, more = allowedOf(whole.Here(), more)
		default:
			more = jsonr.Asks(whole.Value()) || more
		}
	}
	m.OwnOnly = m.OwnOnly || more || m.URL == ""
	t.Name = mcpName(m.Label)
}

// allowedOf reads allowed_tools: names, or {"tool_names":[...]}. The second result is true if more
// is true, or if allowed_tools has more than names.
func allowedOf(r jsonr.Reader, more bool) (list []ir.Escaped, also bool) {
	if r.Kind() == jsonr.Null {
		return nil, more
	}
	if r.Kind() == jsonr.Array {
		return texts(&r), more
	}
	for r.OpenObject(); r.Member(); {
		if r.Key() == "tool_names" && r.Kind() == jsonr.Array {
			list = texts(&r)
		} else {
			more = jsonr.Asks(r.Value()) || more
		}
	}
	return list, more
}

// withoutSecrets returns the tools for the answer, without the tokens and headers of MCP servers.
// OpenAI's answers omit them too ("MCP and Connectors", authentication), and answers are logged and
// stored.
func withoutSecrets(tools ir.Raw) ir.Raw {
	if !strings.Contains(string(tools), `"mcp"`) && !strings.Contains(string(tools), `\u`) {
		return tools
	}
	b, separator := make([]byte, 0, len(tools)), byte('[')
	r := jsonr.NewReader(string(tools))
	for r.OpenArray(); r.Element(); {
		b = append(b, separator)
		separator = ','
		if r.Kind() != jsonr.Object {
			b = append(b, r.Value()...)
			continue
		}
		lead := byte('{')
		for r.OpenObject(); r.Member(); {
			key, value := r.Key(), r.Value()
			if key == "authorization" || key == "headers" {
				continue
			}
			b = append(b, lead)
			lead = ','
			b = append(jsonw.AppendString(b, key), ':')
			b = append(b, value...)
		}
		if lead == '{' {
			b = append(b, lead)
		}
		b = append(b, '}')
	}
	if separator == '[' {
		return tools
	}
	return ir.Raw(jsonw.View(append(b, ']')))
}
