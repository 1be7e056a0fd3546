package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// openCall opens a tool call. A call without an id gets one that follows from the id of the answer.
func (d *decoder) openCall(c *block, n int, f *startFields) {
	if f.name == "" {
		d.fail(failure.Unreadable("a tool call without a name"))
		return
	}
	if f.toolset { // which group of the vendor's tools it is from
		d.lost.Add("content[].toolset_name")
	}
	if f.id == "" {
		f.id = "toolu_" + ir.Identifier(jsonw.View(d.id), 32) + "_" + ir.Escaped(strconv.Itoa(n))
	}
	d.called = true
	d.out.BeginCall(ir.ToolCallBlock, "", f.id, d.names.Restore(f.name))
	if !isEmpty(f.input) {
		d.keep(c, f.input)
	}
}

// isEmpty reports whether a call's input is missing, null or {}.
func isEmpty(v ir.Raw) bool {
	r := jsonr.NewReader(string(v))
	switch r.Kind() {
	case jsonr.Missing, jsonr.Null:
		return true
	case jsonr.Object:
		r.OpenObject()
		return !r.Member()
	}
	return false
}

// isServers reports whether a block is the use of a tool that the upstream runs, or what that returned.
func (f *startFields) isServers() bool {
	return f.kind == "server_tool_use" || f.kind == "mcp_tool_use" || f.kind == "container_upload" ||
		strings.HasSuffix(string(f.kind), "_tool_result")
}

// raw returns a server tool's block with the input that has come behind its start.
func (c *block) raw() ir.Raw {
	if len(c.input) == 0 {
		return c.start
	}
	b := make([]byte, 0, len(c.start)+len(c.input)+16)
	lead := byte('{')
	r := jsonr.NewReader(string(c.start))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "input" {
			continue
		}
		b = append(b, lead)
		b = jsonw.AppendString(b, r.Key())
		b = append(b, ':')
		b = append(b, r.Value()...)
		lead = ','
	}
	b = append(b, lead)
	b = append(b, `"input":`...)
	b = jsonr.AppendObject(b, jsonw.View(c.input))
	b = append(b, '}')
	return ir.Raw(jsonw.View(b))
}
