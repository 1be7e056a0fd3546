package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// toolSearch is what the names and the types of Anthropic's searches for tools begin with;
// searchTools is the one that takes a query in words.
const (
	toolSearch  = "tool_search_tool_"
	searchTools = toolSearch + "bm25"
)

// appendHostedCall appends the block of a call that an upstream made by itself: server_tool_use of
// a search for tools, which is called name, or mcp_tool_use, or server_tool_use of a page that was
// fetched. Without whole its input is {}, since a stream brings the input in a delta.
func appendHostedCall(dst []byte, h *ir.Hosted, id []byte, name ir.Escaped, whole bool) []byte {
	if h.Kind == ir.MCPTool {
		dst = jsonw.AppendTextMember(dst, `{"type":"mcp_tool_use","id":`, jsonw.View(id))
		dst = jsonw.AppendTextMember(dst, `,"name":`, h.Name)
		dst = jsonw.AppendTextMember(dst, `,"server_name":`, h.Server)
	} else {
		dst = jsonw.AppendTextMember(dst, `{"type":"server_tool_use","id":`, jsonw.View(id))
		dst = jsonw.AppendTextMember(dst, `,"name":`, name)
	}
	dst = append(dst, `,"input":`...)
	if whole {
		dst = jsonw.AppendFlat(dst, h.Input)
	} else {
		dst = append(dst, `{}`...)
	}
	return append(dst, '}')
}

// appendHostedResult appends the block of its result: tool_search_tool_result or mcp_tool_result.
// knows says of a name whether the request has a tool of that name: Anthropic refuses a reference
// to any other one.
func appendHostedResult(dst []byte, h *ir.Hosted, id []byte, knows func(ir.Escaped) bool) []byte {
	if h.Kind == ir.MCPTool {
		dst = jsonw.AppendTextMember(dst, `{"type":"mcp_tool_result","tool_use_id":`, jsonw.View(id))
		dst = strconv.AppendBool(append(dst, `,"is_error":`...), h.Failed)
		if h.Output == "" {
			return append(dst, `,"content":[]}`...)
		}
		dst = jsonw.AppendTextMember(dst, `,"content":[{"type":"text","text":`, h.Output)
		return append(dst, `}]}`...)
	}
	dst = jsonw.AppendTextMember(dst, `{"type":"tool_search_tool_result","tool_use_id":`, jsonw.View(id))
	dst = append(dst, `,"content":{"type":"tool_search_tool_search_result","tool_references":[`...)
	separator := `{"type":"tool_reference","tool_name":`
	for _, name := range h.Found {
		if knows(name) {
			dst = append(jsonw.AppendTextMember(dst, separator, toolName(name)), '}')
			separator = `,{"type":"tool_reference","tool_name":`
		}
	}
	return append(dst, `]}}`...)
}

// hostedID returns an id of this API for a call that an upstream made by itself: it begins with
// srvtoolu_ or mcptoolu_. n is the number of the call, for one without an id.
func hostedID(h *ir.Hosted, n int64) []byte {
	prefix := searchID
	if h.Kind == ir.MCPTool {
		prefix = "mcptoolu_"
	}
	if h.ID == "" {
		return strconv.AppendInt([]byte(prefix), n, 10)
	}
	id := []byte(ir.AnswerID(prefix, h.ID))
	for i, c := range id {
		if c == '-' {
			id[i] = '_'
		}
	}
	return id
}
