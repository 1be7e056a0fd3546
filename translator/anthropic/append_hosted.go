package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// toolSearch is the prefix of the names and types of Anthropic's searches for tools. searchTools is
// the search by a query in words.
const (
	toolSearch  = "tool_search_tool_"
	searchTools = toolSearch + "bm25"
)

// appendHostedCall appends the block of a call that ran at an upstream or here: mcp_tool_use, or
// server_tool_use of the tool called name (a search for tools, or the fetch of a webpage). If whole
// is false, its input is {}, since in a stream a delta follows with the input. caller is the member
// of a server_tool_use, "" for none: hosts of Claude may refuse it in requests.
func appendHostedCall(
	dst []byte, h *ir.Hosted, id []byte, name ir.Escaped, whole bool, caller string,
) []byte {
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
	if h.Kind != ir.MCPTool {
		dst = append(dst, caller...)
	}
	return append(dst, '}')
}

// appendHostedResult appends the block of the call's result: tool_search_tool_result or
// mcp_tool_result. knows reports whether the request has a tool with a name: Anthropic rejects
// references to unknown tools.
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
	if h.Failed {
		code := ir.Escaped(h.Code)
		if code == "" { // OpenAI has no codes
			code = ir.SearchUnavailable
		}
		dst = jsonw.AppendTextMember(dst,
			`,"content":{"type":"tool_search_tool_result_error","error_code":`, code)
		return append(jsonw.AppendTextMember(dst, `,"error_message":`, h.Output), `}}`...)
	}
	dst = append(dst, `,"content":{"type":"tool_search_tool_search_result","tool_references":[`...)
	separator := `{"type":"tool_reference","tool_name":`
	for _, name := range h.FoundTools {
		if knows(name) {
			dst = append(jsonw.AppendTextMember(dst, separator, toolName(name)), '}')
			separator = `,{"type":"tool_reference","tool_name":`
		}
	}
	return append(dst, `]}}`...)
}

// hostedID returns an id of this API for a call that ran at an upstream, with the prefix srvtoolu_
// or mcptoolu_. If the call has no id, n is its number.
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
