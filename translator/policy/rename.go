package policy

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// named returns the entry of tool_map for a tool, or nil. A tool run by a vendor keeps its name.
func (p *Policy) named(t *ir.Tool) *Tool {
	if !t.Kind.RunByClient() {
		return nil
	}
	return p.find(t.Name)
}

// find returns the entry of tool_map for the tool with the given name, or nil.
func (p *Policy) find(name ir.Escaped) *Tool {
	if len(p.Tools) == 0 {
		return nil
	}
	plain := jsonw.Unescape(name)
	for i := range p.Tools {
		if p.Tools[i].Name == plain {
			return &p.Tools[i]
		}
	}
	return nil
}

// rename gives the request's tools and tool_choice the upstream's names. A renamed tool of a type
// defined by the client's vendor and run by the client, as local_shell, becomes a plain function:
// the type is only valid with the original name.
func (p *Policy) rename(r *ir.Request) *ir.Error {
	var renamed []*ir.Tool
	names := map[ir.Escaped]ir.Escaped{} // from the client's names to the upstream's
	for i := range r.Tools {
		t := &r.Tools[i]
		if m := p.named(t); m != nil {
			name := jsonw.Escape(m.As)
			names[t.Name] = name
			t.Name, t.Type, t.Raw = name, "", ""
			renamed = append(renamed, t)
		}
	}
	for _, t := range renamed {
		for i := range r.Tools {
			if other := &r.Tools[i]; other != t && other.Name == t.Name {
				return &ir.Error{Kind: ir.InvalidRequest, Path: t.At.String(),
					Message: "this endpoint's tool_map renames the tool to the name of another tool: " +
						jsonw.Unescape(t.Name)}
			}
		}
	}
	if len(renamed) == 0 {
		return nil
	}
	choice := r.ToolChoice
	r.ToolChoice = ir.ToolChoice{Mode: choice.Mode, Name: choice.Name}
	if name, ok := names[choice.Name]; ok {
		r.ToolChoice.Name = name
	}
	for _, allowed := range choice.Allowed {
		if name, ok := names[allowed]; ok {
			allowed = name
		}
		r.ToolChoice.Allowed = append(r.ToolChoice.Allowed, allowed)
	}
	return nil
}

// renameCall gives a call of the history the upstream's names of its tool and parameters.
func (p *Policy) renameCall(c *ir.Content) {
	m := p.find(c.Name)
	if m == nil {
		return
	}
	c.Name = jsonw.Escape(m.As)
	if c.Kind == ir.ToolCallContent {
		c.Input = renamedMembers(c.Input, m.Params, false)
	}
}

// renameFound returns a tool search with the upstream's names of the found tools.
func (p *Policy) renameFound(h *ir.Hosted) *ir.Hosted {
	renamed := *h
	renamed.FoundTools = append([]ir.Escaped(nil), h.FoundTools...)
	for i, name := range renamed.FoundTools {
		if m := p.find(name); m != nil {
			renamed.FoundTools[i], renamed.Named = jsonw.Escape(m.As), true
		}
	}
	return &renamed
}

// renamedMembers returns object, the arguments of a call, with the other side's names of its
// members: the upstream's or, if back is true, the client's. If an undeclared member already has
// the new name of a declared one, the undeclared member gets the declared one's old name.
func renamedMembers(object jsonw.Raw, params []Param, back bool) jsonw.Raw {
	// A model that knows the tool from elsewhere may write a parameter by both names. The declared
	// name counts.
	r := jsonr.NewReader(string(object))
	if r.Kind() != jsonr.Object {
		return object
	}
	taken := map[string]bool{}
	for r.OpenObject(); r.Member(); {
		if to, ok := renamedParam(params, r.Key(), back); ok {
			taken[to] = true
		}
	}
	if len(taken) == 0 {
		return object
	}
	var e jsonr.Edits
	r = jsonr.NewReader(string(object))
	end := r.Offset() + 1 // index after the previous member
	for r.OpenObject(); r.Member(); end = r.Offset() {
		name := r.Key()
		to, ok := renamedParam(params, name, back)
		if !ok && taken[name] {
			for from, more := name, true; more; {
				to, ok = from, true
				from, more = renamedParam(params, from, !back)
			}
		}
		if ok {
			from, until := jsonr.KeyOf(string(object), end, &r)
			e.Add(from, until, literal(to))
		}
		r.Value()
	}
	return e.Apply(object)
}

// renamedParam returns the other side's name of a parameter; ok is false if both sides have the
// same name.
func renamedParam(params []Param, name string, back bool) (to string, ok bool) {
	for _, p := range params {
		switch {
		case back && p.To == name:
			return p.From, true
		case !back && p.From == name:
			return p.To, true
		}
	}
	return "", false
}

// literal returns s as a JSON string literal.
func literal(s string) string { return string(jsonw.AppendString(nil, s)) }

// renamedNames returns a JSON list of parameter names, as in "required", with the upstream's names.
func renamedNames(list string, params []Param) string {
	var e jsonr.Edits
	r := jsonr.NewReader(list)
	for r.OpenArray(); r.Element(); {
		start := r.Offset()
		name, _ := jsonr.Text(r.Value())
		if to, ok := renamedParam(params, jsonw.Unescape(name), false); ok {
			e.Add(start, r.Offset(), literal(to))
		}
	}
	return string(e.Apply(jsonw.Raw(list)))
}

// doubleName returns the name of an unrenamed property that another property is renamed to, or "".
// With such a name, the two could not be distinguished in the arguments of a call.
func doubleName(properties *jsonr.Reader, params []Param) string {
	for properties.OpenObject(); properties.Member(); {
		name := properties.Key()
		if _, renamed := renamedParam(params, name, false); renamed {
			continue
		}
		if _, taken := renamedParam(params, name, true); taken {
			return name
		}
	}
	return ""
}
