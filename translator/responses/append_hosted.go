package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// appendHosted appends the item of a call run by an upstream: mcp_call or tool_search_call. id is
// the item's id, or "".
func appendHosted(dst []byte, h *ir.Hosted, id ir.Escaped) []byte {
	if h.Kind == ir.ToolSearchTool {
		dst = appendItemID(raw(dst,
			`{"type":"tool_search_call","execution":"server","call_id":null,"status":"completed"`), id)
		return append(jsonw.AppendFlat(raw(dst, `,"arguments":`), h.Input), '}')
	}
	dst = appendItemID(raw(dst, `{"type":"mcp_call"`), id)
	dst = jsonw.AppendTextMember(dst, `,"server_label":`, serverLabel(h.Server))
	dst = jsonw.AppendTextMember(dst, `,"name":`, h.Name)
	dst = jsonw.AppendQuotedRaw(raw(dst, `,"arguments":"`), h.Input)
	if h.Failed {
		dst = raw(dst, `","status":"failed","output":null,"error":{"type":"mcp_tool_execution_error",`+
			`"content":[{"type":"text","text":`)
		return raw(jsonw.AppendEscaped(dst, h.Output), `}]},"approval_request_id":null}`)
	}
	dst = jsonw.AppendTextMember(dst,
		`","status":"completed","error":null,"approval_request_id":null,"output":`, h.Output)
	return append(dst, '}')
}

// appendFoundHead appends a tool_search_output up to its tools. The API has no errors of searches.
func appendFoundHead(dst []byte, h *ir.Hosted, id ir.Escaped) []byte {
	dst = raw(dst, `{"type":"tool_search_output","execution":"server","call_id":null,"status":`)
	if h.Failed {
		dst = raw(dst, `"incomplete"`)
	} else {
		dst = raw(dst, `"completed"`)
	}
	return raw(appendItemID(dst, id), `,"tools":[`)
}

func appendItemID(dst []byte, id ir.Escaped) []byte {
	if id != "" {
		dst = jsonw.AppendTextMember(dst, `,"id":`, id)
	}
	return dst
}

// serverLabel returns the label of an MCP server: the client's name in the form of a tool's name,
// which begins with a letter ("Expected a string that matches the pattern '^[a-zA-Z][a-zA-Z0-9_-]*$'").
func serverLabel(name ir.Escaped) ir.Escaped {
	label := openai.ToolName(name)
	if c := label[0] | 0x20; 'a' <= c && c <= 'z' {
		return label
	}
	return "s" + ir.Identifier(name+" ", openai.MaxIdentifier-1)
}
