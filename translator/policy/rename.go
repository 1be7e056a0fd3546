package policy

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// named returns what tool_map says of a tool, nil where it says nothing. What a vendor runs itself has the name that it has.
func (p *Policy) named(t *ir.Tool) *Tool {
	if t.Kind != ir.FunctionTool && t.Kind != ir.CustomTool {
		return nil
	}
	return p.find(t.Name)
}

//go:noinline
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

// rename gives the tools of a request, and the choice among them, the upstream's names. A tool that the client's vendor has a
// type for is a function under any other name.
func (p *Policy) rename(r *ir.Request) *ir.Error {
	var renamed []*ir.Tool
	names := map[ir.Escaped]ir.Escaped{} // the upstream's by the client's
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
				return &ir.Error{Kind: ir.InvalidRequest, Path: t.At.String(), Message: "this endpoint's tool_map gives the tool the name of another one: " + jsonw.Unescape(t.Name)}
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

// renameCall gives a call of the history the names that its tool has upstream.
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

// renamedMembers returns an object with other names of its members; back says that they are the upstream's. A member that nobody
// has declared may have the name that another one gets: then it gets the one that is free.
func renamedMembers(object jsonw.Raw, params []Param, back bool) jsonw.Raw {
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
	var e edits
	r = jsonr.NewReader(string(object))
	end := r.Offset() + 1 // of the member before
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
			from, until := keyOf(string(object), end, &r)
			e.add(from, until, literal(to))
		}
		r.Value()
	}
	return e.apply(object)
}

//go:noinline
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

//go:noinline
func literal(s string) string { return string(jsonw.AppendString(nil, s)) }

// renamedNames returns a list of names of parameters with those of the upstream.
func renamedNames(list string, params []Param) string {
	var e edits
	r := jsonr.NewReader(list)
	for r.OpenArray(); r.Element(); {
		start := r.Offset()
		name, _ := jsonr.Text(r.Value())
		if to, ok := renamedParam(params, jsonw.Unescape(name), false); ok {
			e.add(start, r.Offset(), literal(to))
		}
	}
	return string(e.apply(jsonw.Raw(list)))
}

// doubleName returns a new name that a property which keeps its own has already, "" where there is none: in an answer nobody
// could tell the two apart.
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
