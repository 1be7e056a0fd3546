// Package policy changes requests by the settings of an endpoint, whichever API the upstream has:
// it renames tools, changes ids of calls and schemas of arguments, and hides tools from the model.
// A policy has no state: the same request always gives the same result, and parts of an answer that
// the client sends back are changed by the same rules.
package policy

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Policy says how to change requests. The zero value changes nothing.
type Policy struct {
	ShrinkRequired  bool // parameters that may be left out (see rewriter) are not required
	NoStrict        bool // "strict" of tools and formats is not sent
	StripFormats    bool // string formats unknown to strict modes are removed from schemas
	PrefixIDs       bool // the client sees call ids with its own vendor's prefix, as toolu_
	Tools           []Tool
	Drop            []string // names of tools hidden from the model
	Guidance        string   // text after the system prompt; "" for none
	LegacyFunctions bool     // the upstream knows functions, not tools: see ir.Target
	NoCaching       bool     // no cache breakpoints are sent: see ir.Target
	LoopGuard       bool     // the worker calls Loop for each request; the request itself is unchanged

	Descriptions     Cut       // of the descriptions of tools, and in their schemas
	ToolDescriptions []ToolCut // exceptions for single tools
}

// Tool is an entry of the option tool_map: the upstream's name for a client's tool.
type Tool struct {
	Name   string  // the client's name, as in ir.Tool.Name
	As     string  // the upstream's name
	Params []Param // the top-level parameters with another name upstream
}

// Param is a parameter: From is the client's name, To the upstream's.
type Param struct{ From, To string }

// Changes reports whether the policy changes requests.
func (p *Policy) Changes() bool {
	return p.ShrinkRequired || p.NoStrict || p.StripFormats || p.PrefixIDs || len(p.Tools) > 0 ||
		len(p.Drop) > 0 || p.Guidance != "" ||
		p.LegacyFunctions || p.NoCaching || p.Cuts()
}

// Apply returns the request for the upstream instead of r. r is unchanged, and both share unchanged
// parts. Dropped tools are added to lost; other changes are no losses, because they only rename,
// loosen or shorten parts of the client's request. An error means that the endpoint's settings give
// two tools, or two parameters of a tool, the same name.
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
// tool that loses a required parameter is no longer strict.
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
			Message: "this endpoint's tool_map renames a parameter of the tool to the name of another " +
				"parameter: " + double}
	}
	if p.NoStrict || shrunk {
		t.Strict = ir.Unset
	}
	t.Raw = redefined(&was, t)
	return nil
}

// redefined returns Tool.Raw with the changes to description, schema and "strict". "" stays "".
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
