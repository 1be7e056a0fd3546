package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// hostedCall reads the call of a block server_tool_use or mcp_tool_use with a form in other APIs: a
// search for tools, or a call of a tool at an MCP server. It returns nil for other blocks.
func hostedCall(kind, id, name, server ir.Escaped, input ir.Raw) *ir.Hosted {
	h := ir.Hosted{ID: id, Input: input}
	switch {
	case kind == "server_tool_use" && strings.HasPrefix(string(name), toolSearch):
		h.Kind = ir.ToolSearchTool
	case kind == "mcp_tool_use" && name != "":
		h.Kind, h.Server, h.Name = ir.MCPTool, server, name
	default:
		return nil
	}
	if jsonr.KindOf(input) != jsonr.Object {
		h.Input = "{}"
	}
	return &h
}

// hostedResult reads the content of a block tool_search_tool_result or mcp_tool_result into its
// call.
func hostedResult(h *ir.Hosted, content ir.Raw, failed bool) {
	h.Failed, h.Done = failed, true
	if text, ok := jsonr.Text(content); ok {
		h.Output = text
	}
	r := jsonr.NewReader(string(content))
	for r.OpenObject(); r.Member(); { // of a search
		switch r.Key() {
		case "error_code":
			code, _ := jsonr.Text(r.Value())
			h.Failed, h.Code = true, string(code)
		case "error_message":
			h.Output, _ = jsonr.Text(r.Value())
		}
		if r.Key() != "tool_references" {
			continue
		}
		h.FoundTools = make([]ir.Escaped, 0, r.Len())
		for r.OpenArray(); r.Element(); {
			for r.OpenObject(); r.Member(); {
				if name, _ := jsonr.Text(r.Value()); r.Key() == "tool_name" {
					h.FoundTools = append(h.FoundTools, name)
				}
			}
		}
	}
	output := make([]byte, 0, len(content))
	list := jsonr.NewReader(string(content))
	for list.OpenArray(); list.Element(); { // of a tool at a server
		for list.OpenObject(); list.Member(); {
			if text, _ := jsonr.Text(list.Value()); list.Key() == "text" {
				if len(output) > 0 {
					output = append(output, `\n\n`...)
				}
				output = append(output, text...)
			}
		}
	}
	if len(output) > 0 {
		h.Output = jsonw.View(output)
	}
}

// maxRan is more than the number of parallel calls in any turn.
const maxRan = 256

// hosted sets the form for other APIs in b, an unchanged block: the call that ran at an upstream,
// or its result. A result belongs to the last call with the same id, among the last maxRan calls
// without a result.
func (d *requestDecoder) hosted(b *ir.Content, f *fields, server ir.Raw) *ir.Error {
	id, _ := jsonr.Text(f.id)
	name, _ := jsonr.Text(f.name)
	label, _ := jsonr.Text(server)
	h := hostedCall(f.kind, id, name, label, f.input)
	if f.kind == "server_tool_use" && name == advisor {
		h = &ir.Hosted{Kind: ir.AdvisorTool, ID: id, Input: "{}"}
	}
	if h != nil {
		b.Hosted = h
		d.ran = append(d.ran, h)
		return nil
	}
	id, _ = jsonr.Text(f.toolUseID)
	for i := len(d.ran) - 1; i >= max(0, len(d.ran)-maxRan); i-- {
		if h := d.ran[i]; h.ID == id {
			if f.kind == adviceResult {
				advisedBy(h, f.content)
			} else {
				hostedResult(h, f.content, f.isError == "true")
			}
			b.Hosted, b.Returned = h, true
			d.ran = append(d.ran[:i], d.ran[i+1:]...)
			return d.items.Meet(len(h.FoundTools))
		}
	}
	return nil
}
