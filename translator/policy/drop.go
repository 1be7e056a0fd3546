package policy

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// drop removes tools, and their names from system messages. Calls of these tools and their results
// stay in the history: upstreams accept calls of tools that they are not offered.
func (p *Policy) drop(r *ir.Request, lost *ir.Lost) {
	kept := r.Tools[:0]
	for _, t := range r.Tools {
		if p.drops(t.Name) {
			lost.Add(t.At.String())
			continue
		}
		kept = append(kept, t)
	}
	r.Tools = kept
	p.choose(r, lost)
	for i := range r.Messages {
		if m := &r.Messages[i]; m.Role == ir.System {
			m.Content = append([]ir.Content(nil), m.Content...)
			for c := range m.Content {
				m.Content[c].Text = unmentioned(m.Content[c].Text, p.Drop)
			}
		}
	}
}

// drops reports whether the tool with the given name is dropped.
func (p *Policy) drops(name ir.Escaped) bool {
	plain := jsonw.Unescape(name)
	for _, dropped := range p.Drop {
		if dropped == plain {
			return true
		}
	}
	return false
}

// choose changes a tool_choice that can't be met any more: to "auto" if a dropped tool is required,
// or any tool and none is left; to "none" if all allowed tools are dropped.
func (p *Policy) choose(r *ir.Request, lost *ir.Lost) {
	c := &r.ToolChoice
	allowed := c.Allowed
	*c = ir.ToolChoice{Mode: c.Mode, Name: c.Name}
	for _, name := range allowed {
		if !p.drops(name) {
			c.Allowed = append(c.Allowed, name)
		}
	}
	switch {
	case len(allowed) > 0 && len(c.Allowed) == 0:
		c.Mode = ir.ToolsNone
	case c.Mode == ir.ToolsNamed && p.drops(c.Name), c.Mode == ir.ToolsRequired && len(r.Tools) == 0:
		c.Mode, c.Name = ir.ToolsAuto, ""
	default:
		return
	}
	lost.Add(r.FieldPath(ir.FieldToolChoice))
}

// Guide appends a text to the system prompt of r, after the last block. The caller must own
// r.Messages.
func Guide(r *ir.Request, words ir.Escaped) {
	// The text is in every request, since a prompt that changes is lost to the cache. There is no
	// default text: only the endpoint's owner knows what the model should do instead of a dropped
	// tool.
	text := ir.Content{Kind: ir.TextContent, Text: words}
	n := 0
	for n < len(r.Messages) && r.Messages[n].Role == ir.System {
		n++
	}
	if n == 0 {
		r.Messages = append([]ir.Message{{Role: ir.System, Content: []ir.Content{text}}}, r.Messages...)
		return
	}
	prompt := &r.Messages[n-1]
	prompt.Content = append(append([]ir.Content(nil), prompt.Content...), text)
}
