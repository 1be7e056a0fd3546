package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// hostedItem reads an item about a call run by the upstream, if other APIs have a form for the
// call: mcp_call, or the two items of a tool search, tool_search_call and tool_search_output, which
// has the result. search is the call of the search, or nil if it was not read. For any other item,
// and for a result without its search, hostedItem returns nil.
func hostedItem(item ir.Raw, search *ir.Hosted) *ir.Hosted {
	h, kind, reason := ir.Hosted{Input: "{}"}, ir.Escaped(""), ir.Escaped("")
	var tools ir.Raw
	incomplete := false
	r := jsonr.NewReader(string(item))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "id":
			h.ID, _ = jsonr.Text(r.Value())
		case "server_label":
			h.Server, _ = jsonr.Text(r.Value())
		case "name":
			h.Name, _ = jsonr.Text(r.Value())
		case "arguments":
			if r.Kind() == jsonr.Object {
				h.Input = r.Value()
			} else if text, ok := jsonr.Text(r.Value()); ok {
				h.Input = openai.Arguments(text)
			}
		case "output":
			h.Output, _ = jsonr.Text(r.Value())
		case "tools":
			tools = r.Value()
		case "status":
			incomplete = r.Value() == `"incomplete"`
		case "error":
			if v := r.Value(); jsonr.Asks(v) {
				h.Failed, reason = true, reasonOf(v)
			}
		}
	}
	switch kind {
	case "mcp_call":
		if h.Server == "" || h.Name == "" { // other APIs require both
			return nil
		}
		h.Kind, h.Done = ir.MCPTool, true
		if h.Failed && h.Output == "" {
			h.Output = reason
		}
	case "tool_search_call":
		h.Kind = ir.ToolSearchTool
	case "tool_search_output":
		if search == nil {
			return nil
		}
		search.Done, search.Failed = true, incomplete
		search.FoundTools = foundIn(tools)
		return search
	default:
		return nil
	}
	return &h
}

// foundIn returns the names of the tools in a list, including tools in namespaces.
func foundIn(list ir.Raw) []ir.Escaped {
	names := make([]ir.Escaped, 0, countTools(list))
	tools := jsonr.NewReader(string(list))
	for tools.OpenArray(); tools.Element(); {
		var kind, name ir.Escaped
		var inner ir.Raw
		for tools.OpenObject(); tools.Member(); {
			switch tools.Key() {
			case "type":
				kind, _ = jsonr.Text(tools.Value())
			case "name":
				name, _ = jsonr.Text(tools.Value())
			case "tools":
				inner = tools.Value()
			}
		}
		if kind != "namespace" {
			names = append(names, name)
			continue
		}
		r := jsonr.NewReader(string(inner))
		for r.OpenArray(); r.Element(); {
			names = append(names, flat(name, nameIn(&r)))
		}
	}
	return names
}

// hosted retains an item about a call run by an upstream, both unchanged and in the hub's form for
// other APIs. The result of a search belongs to the last preceding search.
func (d *requestDecoder) hosted(kind ir.Escaped, whole ir.Raw, at ir.Pos) {
	h := hostedItem(whole, d.searching)
	d.searching = nil
	if kind == "tool_search_call" {
		d.searching = h
	}
	d.take(modelSpeaker)
	d.content = append(d.content, ir.Content{Kind: ir.OpaqueContent, At: at, Raw: whole, Hosted: h,
		Returned: h != nil && kind != "tool_search_call"})
}

// reasonOf returns the error text of an mcp_call: the texts of its content, or its message, or else
// the whole error as JSON.
func reasonOf(v ir.Raw) (words ir.Escaped) {
	texts := make([]byte, 0, len(v))
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "message":
			words, _ = jsonr.Text(r.Value())
		case "content":
			for r.OpenArray(); r.Element(); {
				for r.OpenObject(); r.Member(); {
					if text, _ := jsonr.Text(r.Value()); r.Key() == "text" {
						texts = append(texts, text...)
					}
				}
			}
		}
	}
	switch {
	case len(texts) > 0:
		return jsonw.View(texts)
	case words != "":
		return words
	}
	return quote(v)
}
