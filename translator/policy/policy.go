// Package policy is what an endpoint does to requests, whichever API its upstream has: it changes
// names of tools, ids of calls and schemas of arguments, and hides tools from the model. A policy
// keeps no state: the same request always becomes the same one, and what the client sends back of
// an answer is changed again by the same rules.
package policy

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Policy is what to do. The zero value does nothing.
type Policy struct {
	ShrinkRequired  bool // parameters of tools that may be left out (see rewriter) are not required
	NoStrict        bool // the upstream is not told "strict" of tools and formats
	StripFormats    bool // schemas lose the formats of strings that strict modes don't know
	PrefixIDs       bool // the client sees ids of calls with the prefix of its own vendor's, as toolu_
	Tools           []Tool
	Drop            []string // names of tools that the model does not get to see
	Guidance        string   // text behind the system prompt; "" for none
	LegacyFunctions bool     // the upstream knows functions, not tools: see ir.Target
	NoCaching       bool     // the upstream is not told what to cache: see ir.Target
	LoopGuard       bool     // the worker asks Loop of each request; the request itself is not changed

	Descriptions     Cut       // of the descriptions of tools, and those in their schemas
	ToolDescriptions []ToolCut // what holds for single tools in its place
}

// Tool says what a tool of the client's is called upstream: an entry of the option tool_map.
type Tool struct {
	Name   string  // the client's name, as ir.Tool.Name has it
	As     string  // the upstream's name
	Params []Param // the top-level parameters that have another name upstream
}

// Param is a parameter: From is the client's name, To the upstream's.
type Param struct{ From, To string }

// Changes reports whether the policy changes requests.
func (p *Policy) Changes() bool {
	return p.ShrinkRequired || p.NoStrict || p.StripFormats || p.PrefixIDs || len(p.Tools) > 0 ||
		len(p.Drop) > 0 || p.Guidance != "" ||
		p.LegacyFunctions || p.NoCaching || p.Cuts()
}

// Apply returns the request for the upstream in place of r. r stays as it is, and both share what
// is not changed. Dropped tools are added to lost; other changes are no losses, since they only
// rename, loosen or shorten what the client has asked for. The error is one of the endpoint's
// settings: two tools, or two parameters of a tool, would have one name.
func (p *Policy) Apply(r *ir.Request, lost *ir.Lost) (*ir.Request, *ir.Error) {
	sent := *r
	sent.Tools = append([]ir.Tool(nil), r.Tools...)
	sent.Messages = append([]ir.Message(nil), r.Messages...)
	if len(p.Drop) > 0 {
		p.drop(&sent, lost)
	}
	if p.Guidance != "" {
		Guide(&sent, jsonw.Escape(p.Guidance))
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

// tool changes the definition of a tool. Strict modes demand that all parameters are required: a
// tool that loses a required one is not strict any more.
func (p *Policy) tool(r *ir.Request, t *ir.Tool) *ir.Error {
	was, double, shrunk := *t, "", false
	follow := rules{required: p.ShrinkRequired, formats: p.StripFormats, drop: p.Drop}
	cut := p.cutOf(t)
	if t.Field != "" {
		follow.cut, follow.bytes = cut, &r.CutDescriptions
	}
	if m := p.named(t); m != nil {
		follow.params = m.Params
	}
	t.Description = unmentioned(t.Description, p.Drop)
	if isDescribed(&was) {
		said := cut.of(t.Description)
		r.CutDescriptions += int64(len(t.Description) - len(said))
		t.Description = said
	}
	if t.Schema, shrunk, double = rewritten(t.Schema, follow); double != "" {
		return &ir.Error{Kind: ir.InvalidRequest, Path: t.At.String(),
			Message: "this endpoint's tool_map gives a parameter of the tool the name of another one: " +
				double}
	}
	if p.NoStrict || shrunk {
		t.Strict = ir.Unset
	}
	t.Raw = redefined(&was, t)
	return nil
}

// redefined returns Tool.Raw with the description, schema and "strict" that have changed. "" stays "".
func redefined(was, is *ir.Tool) ir.Raw {
	var e jsonr.Edits
	r := jsonr.NewReader(string(was.Raw))
	for r.OpenObject(); r.Member(); {
		start := r.Offset()
		switch value := r.Value(); {
		case r.Key() == "description" && is.Description != was.Description:
			e.Add(start, r.Offset(), `"`+string(is.Description)+`"`)
		case value == was.Schema && is.Schema != was.Schema:
			e.Add(start, r.Offset(), string(is.Schema))
		case r.Key() == "strict" && is.Strict != was.Strict:
			e.Add(start, r.Offset(), "false")
		}
	}
	return e.Apply(was.Raw)
}

// history gives the calls and results of the history the upstream's names and ids.
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
			case ir.OpaqueContent:
				if c.Hosted != nil {
					c.Hosted = p.renameFound(c.Hosted)
				}
				continue
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
		case ir.OpaqueContent:
			if content[i].Hosted != nil {
				return true
			}
		}
	}
	return false
}
