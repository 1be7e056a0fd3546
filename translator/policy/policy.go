// Package policy is what an endpoint does to requests, whatever its upstream: names and ids of tools, the schemas of their
// arguments, and which of them the model gets to see. A policy is a pure function: the same request becomes the same one, every
// time, and what the client sends back of an answer says by itself what it stood for.
package policy

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Policy is what to do. The zero value does nothing.
type Policy struct {
	ShrinkRequired  bool // of the parameters of tools only those stay required that are
	NoStrict        bool // tools and formats are not strict
	StripFormats    bool // formats of strings that strict modes don't know go out of schemas
	PrefixIDs       bool // the client sees ids of calls as its own vendor makes them
	Tools           []Tool
	Drop            []string // names of tools that the model does not get to see
	Guidance        string   // what is said behind the system prompt
	LegacyFunctions bool     // the upstream knows functions, not tools: see ir.Target
	NoCaching       bool     // the upstream is not told what to cache: see ir.Target
	LoopGuard       bool     // whoever answers the client asks Loop: nothing is changed
}

// Tool is what one tool of the client's is called upstream.
type Tool struct {
	Name   string // the client's name of it; of a tool in a namespace ir.Tool.Name
	As     string
	Params []Param // its top-level parameters that have another name there
}

// Param is one parameter.
type Param struct{ From, To string }

// Changes reports whether the policy changes requests.
func (p *Policy) Changes() bool {
	return p.ShrinkRequired || p.NoStrict || p.StripFormats || p.PrefixIDs || len(p.Tools) > 0 || len(p.Drop) > 0 || p.Guidance != "" ||
		p.LegacyFunctions || p.NoCaching
}

// Apply returns what the upstream is to be asked in place of r, which stays as it is: both share what is the same. Tools that are
// dropped are added to lost; what else is changed is the same in the endpoint's words. An error is a name that two tools, or two
// parameters, would have.
func (p *Policy) Apply(r *ir.Request, lost *ir.Lost) (*ir.Request, *ir.Error) {
	sent := *r
	sent.Tools = append([]ir.Tool(nil), r.Tools...)
	sent.Messages = append([]ir.Message(nil), r.Messages...)
	if len(p.Drop) > 0 {
		p.drop(&sent, lost)
	}
	if p.Guidance != "" {
		p.guide(&sent)
	}
	if p.NoStrict {
		sent.Format.Strict = ir.Unset
	}
	if p.StripFormats {
		sent.Format.Schema, _, _ = rewritten(sent.Format.Schema, rules{formats: true})
	}
	for i := range sent.Tools {
		if err := p.tool(&sent, &sent.Tools[i]); err != nil {
			return nil, err
		}
	}
	if err := p.rename(&sent); err != nil {
		return nil, err
	}
	if len(p.Tools) > 0 || p.PrefixIDs {
		p.history(&sent)
	}
	return &sent, nil
}

// tool changes the definition of a tool. Strict modes demand that all parameters are required: where that is no longer so, the tool
// is not strict.
func (p *Policy) tool(r *ir.Request, t *ir.Tool) *ir.Error {
	was, double, shrunk := *t, "", false
	follow := rules{required: p.ShrinkRequired, formats: p.StripFormats, drop: p.Drop}
	if m := p.named(t); m != nil {
		follow.params = m.Params
	}
	t.Description = unmentioned(t.Description, p.Drop)
	if t.Schema, shrunk, double = rewritten(t.Schema, follow); double != "" {
		return &ir.Error{Kind: ir.InvalidRequest, Path: r.ToolPath(t), Message: "this endpoint's tool_map gives a parameter of the tool the name of another one: " + double}
	}
	if p.NoStrict || shrunk {
		t.Strict = ir.Unset
	}
	t.Raw = redefined(&was, t)
	return nil
}

// redefined returns the definition of a tool that goes as it stands, with what of it has changed.
func redefined(was, is *ir.Tool) ir.Raw {
	var e edits
	r := jsonr.NewReader(string(was.Raw))
	for r.OpenObject(); r.Member(); {
		start := r.Offset()
		switch value := r.Value(); {
		case r.Key() == "description" && is.Description != was.Description:
			e.add(start, r.Offset(), `"`+string(is.Description)+`"`)
		case value == was.Schema && is.Schema != was.Schema:
			e.add(start, r.Offset(), string(is.Schema))
		case r.Key() == "strict" && is.Strict != was.Strict:
			e.add(start, r.Offset(), "false")
		}
	}
	return e.apply(was.Raw)
}

// history changes the calls and results of the history.
func (p *Policy) history(r *ir.Request) {
	for m := range r.Messages {
		content := r.Messages[m].Content
		if !holdsCalls(content) {
			continue
		}
		content = append([]ir.Content(nil), content...)
		for i := range content {
			c := &content[i]
			switch c.Kind {
			case ir.ToolCallContent, ir.CustomCallContent:
				p.renameCall(c)
			case ir.ToolResultContent:
			default:
				continue
			}
			if p.PrefixIDs {
				c.ID = ownID(c.ID, r.API.CallIDPrefix)
			}
		}
		r.Messages[m].Content = content
	}
}

func holdsCalls(content []ir.Content) bool {
	for i := range content {
		switch content[i].Kind {
		case ir.ToolCallContent, ir.CustomCallContent, ir.ToolResultContent:
			return true
		}
	}
	return false
}
