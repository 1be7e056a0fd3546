package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// openCall opens a call of the client's tool. If the call has no id (FAULTS 15), openCall makes one
// from the id of the message and the number of the block: the same answer always has the same ids.
//
//go:noinline
func (d *decoder) openCall(c *block, n int, f *startFields) {
	if f.name == "" {
		d.out.Fail(failure.Unreadable("a tool call has no name"))
		return
	}
	if f.toolset { // only this API names the vendor's toolset of a tool
		d.lost.Add("content[].toolset_name")
	}
	d.setCaller(f.caller)
	if f.id == "" {
		f.id = "toolu_" + ir.Identifier(jsonw.View(d.id), 32) + "_" + ir.Escaped(strconv.Itoa(n))
	}
	d.called = true
	d.out.BeginCall(ir.ToolCallBlock, "", f.id, d.names.Restore(f.name))
	if !isEmpty(f.input) {
		d.buffer(c, f.input)
	}
}

// isEmpty reports whether an object is missing, null or {}.
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

// isServers reports whether a block is a call of one of the upstream's own tools, or its result.
func (f *startFields) isServers() bool {
	return f.kind == "server_tool_use" || f.kind == "mcp_tool_use" || f.kind == "container_upload" ||
		strings.HasSuffix(string(f.kind), "_tool_result")
}

// raw returns the block of a server's tool in the form of a plain answer: with the input from the
// deltas.
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
