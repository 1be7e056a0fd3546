package responses

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// choice reads "tool_choice" (API reference, "Create a model response", tool_choice): a word, or an
// object that names tools.
func (d *requestDecoder) choice() *ir.Error {
	const path = "tool_choice"
	v := d.toolChoice
	if v == "" {
		return nil
	}
	c := &d.request.ToolChoice
	kind, isWord := jsonr.Text(v)
	if !isWord && jsonr.KindOf(v) != jsonr.Object {
		return openai.WrongType(path, "one of a string or object", jsonr.KindOf(v))
	}
	var name, namespace, word, label ir.Escaped
	var allowed ir.Raw
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "name":
			name, _ = jsonr.Text(r.Value())
		case "namespace":
			namespace, _ = jsonr.Text(r.Value())
		case "server_label":
			label, _ = jsonr.Text(r.Value())
		case "mode":
			word, _ = jsonr.Text(r.Value())
		case "tools":
			allowed = r.Value()
		case "function", "custom": // the form of Chat Completions
			if kind == "" {
				kind = ir.Escaped(r.Key())
			}
			if inside := openai.NameIn(r.Value()); inside != "" {
				name = inside
			}
		default:
			d.lost.AddMember(path, &r)
		}
	}
	switch {
	case kind == "auto" || kind == "none" || kind == "required" || kind == "any":
		// any: Mistral's word for required
		c.Mode = openai.ToolMode(kind)
		return nil
	case isWord:
		return openai.Unsupported(path, kind, "'none', 'auto', and 'required'")
	case kind == "" && name == "":
		return openai.Missing(path + ".type")
	case kind == "allowed_tools":
		return d.allow(word, allowed)
	}
	if name == "" && (kind == "function" || kind == "custom") {
		return openai.Missing(path + ".name")
	}
	if kind == mcp && name != "" { // restricts the choice to one of the server's tools
		d.lost.Add(path + ".name")
	}
	c.Mode, c.Name = ir.ToolsNamed, d.named(kind, name, namespace, label)
	return nil
}

// allow reads the mode and the tools of
// {"type":"allowed_tools","mode","tools":[{"type":"function","name"}]}. A namespace in the list
// allows all tools in it.
func (d *requestDecoder) allow(word ir.Escaped, tools ir.Raw) *ir.Error {
	c := &d.request.ToolChoice
	if word != "auto" && word != "required" {
		return openai.Unsupported("tool_choice.mode", word, "'auto' and 'required'")
	}
	r := jsonr.NewReader(string(tools))
	n := r.Len()
	if n == 0 {
		return openai.Missing("tool_choice.tools")
	}
	if err := d.items.Meet(n); err != nil {
		return err
	}
	c.Mode, c.Allowed = openai.ToolMode(word), make([]ir.Escaped, 0, n)
	offered, i := d.request.ToolsByName(), 0
	for r.OpenArray(); r.Element(); i++ {
		var kind, name, namespace, label ir.Escaped
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "type":
				kind, _ = jsonr.Text(r.Value())
			case "name":
				name, _ = jsonr.Text(r.Value())
			case "namespace":
				namespace, _ = jsonr.Text(r.Value())
			case "server_label":
				label, _ = jsonr.Text(r.Value())
			case "function", "custom": // the form of Chat Completions
				if inside := openai.NameIn(r.Value()); inside != "" {
					name = inside
				}
			}
		}
		if name == "" && (kind == "function" || kind == "custom" || kind == "") {
			return openai.Missing("tool_choice.tools[" + strconv.Itoa(i) + "].name")
		}
		if kind == "namespace" && d.allowNamespace(name) {
			continue
		}
		meant := d.named(kind, name, namespace, label)
		if offered[meant] == nil {
			d.lost.Add("tool_choice.tools[" + strconv.Itoa(i) + "]")
		}
		c.Allowed = append(c.Allowed, meant)
	}
	return nil
}

// allowNamespace allows the tools in a namespace, and reports whether the namespace exists. A
// repeated namespace adds nothing, so the list of allowed tools is never longer than the client's
// list and the list of tools together.
func (d *requestDecoder) allowNamespace(name ir.Escaped) bool {
	d.index()
	names, ok := d.byNamespace[name]
	d.request.ToolChoice.Allowed = append(d.request.ToolChoice.Allowed, names...)
	if ok {
		d.byNamespace[name] = nil
	}
	return ok
}

// named returns the Tool.Name of the chosen tool. A choice names a function or a custom tool by its
// name, with or without the namespace, an MCP server by its label, and other tools by their type.
// If the tool is not offered, named returns the name in the choice.
func (d *requestDecoder) named(kind, name, namespace, label ir.Escaped) ir.Escaped {
	if kind == mcp && label != "" {
		return mcpName(label)
	}
	byName := kind == "function" || kind == "custom" || kind == ""
	d.index()
	if byName && namespace != "" {
		if name, ok := d.byLocal[namespace+ofNamespace+name]; ok {
			return name
		}
		return flat(namespace, name)
	}
	if !byName {
		if strings.HasPrefix(string(kind), "web_search") {
			kind = "web_search"
		}
		if name, ok := d.byType[kind]; ok {
			return name
		}
		return kind
	}
	if _, ok := d.known[name]; ok {
		return name
	}
	if local, ok := d.byLocal[name]; ok {
		return local
	}
	return name
}

// ofNamespace separates the names of a namespace and of a tool when both form one key. No escaped
// name contains it.
const ofNamespace = "\n"

// index maps words to names of tools: a tool's name within its namespace, with and without the
// namespace, a namespace, and a tool's type. Of several tools the first one counts. The maps are
// built only once.
func (d *requestDecoder) index() {
	if d.byLocal != nil {
		return
	}
	d.byLocal, d.byType = map[ir.Escaped]ir.Escaped{}, map[ir.Escaped]ir.Escaped{}
	d.byNamespace = map[ir.Escaped][]ir.Escaped{}
	for i := len(d.request.Tools) - 1; i >= 0; i-- {
		t := &d.request.Tools[i]
		if t.Local != "" {
			d.byLocal[t.Local], d.byLocal[t.Namespace+ofNamespace+t.Local] = t.Name, t.Name
		}
		if t.Kind == ir.WebSearchTool {
			d.byType["web_search"] = t.Name
		} else if t.Type != "" {
			d.byType[t.Type] = t.Name
		}
	}
	for i := range d.request.Tools {
		if t := &d.request.Tools[i]; t.Namespace != "" {
			d.byNamespace[t.Namespace] = append(d.byNamespace[t.Namespace], t.Name)
		}
	}
}
