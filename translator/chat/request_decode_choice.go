package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// choice reads "tool_choice": a word, or an object with one tool or several.
//
//go:noinline
func (d *requestDecoder) choice() *ir.Error {
	const path = "tool_choice"
	v := d.toolChoice
	c := &d.request.ToolChoice
	kind, ok := jsonr.Text(v)
	if !ok && jsonr.KindOf(v) != jsonr.Object {
		return openai.WrongType(path, "one of a string or object", jsonr.KindOf(v))
	}
	var name ir.Escaped
	var allowed ir.Raw
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "function", "custom", "allowed_tools":
			if kind == "" {
				kind = ir.Escaped(r.Key())
			}
			allowed = r.Value()
		case "name":
			name, _ = jsonr.Text(r.Value())
		default:
			d.lost.AddMember(path, &r)
		}
	}
	if kind == "" && name != "" {
		kind = "function"
	}
	switch {
	case kind == "auto" || kind == "none" || kind == "required" || kind == "any":
		// any: Mistral's word for required
		c.Mode = openai.ToolMode(kind)
		return nil
	case !ok && kind == "allowed_tools":
		return d.allowed(allowed)
	case !ok && (kind == "function" || kind == "custom"):
		if inside := openai.NameIn(allowed); inside != "" {
			name = inside
		}
		if name == "" {
			return openai.Missing(path + "." + string(kind) + ".name")
		}
		c.Mode, c.Name = ir.ToolsNamed, name
		return nil
	case ok:
		return openai.Unsupported(path, kind, "'none', 'auto', and 'required'")
	}
	return openai.Unsupported(path+".type", kind, "'allowed_tools', 'function', and 'custom'")
}

// allowed reads the value of "allowed_tools":
// {"mode","tools":[{"type":"function","function":{"name"}}]}.
func (d *requestDecoder) allowed(v ir.Raw) *ir.Error {
	const path = "tool_choice.allowed_tools"
	c := &d.request.ToolChoice
	var word ir.Escaped
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "mode":
			word, _ = jsonr.Text(r.Value())
		case "tools":
			n, err := d.items.Count(&r)
			if err != nil {
				return err
			}
			c.Allowed = make([]ir.Escaped, 0, n)
			for r.OpenArray(); r.Element(); {
				name, member := toolName(r.Value())
				if name == "" {
					n := strconv.Itoa(len(c.Allowed))
					return openai.Missing(path + ".tools[" + n + "]." + member + ".name")
				}
				c.Allowed = append(c.Allowed, name)
			}
		default:
			d.lost.AddMember(path, &r)
		}
	}
	if word != "auto" && word != "required" {
		return openai.Unsupported(path+".mode", word, "'auto' and 'required'")
	}
	if len(c.Allowed) == 0 {
		return openai.Missing(path + ".tools")
	}
	c.Mode = openai.ToolMode(word)
	return nil
}

// toolName returns the name of a tool in allowed_tools: {"type":"function","function":{"name"}},
// the same with "custom", or only the name.
func toolName(v ir.Raw) (name ir.Escaped, member string) {
	member = "function"
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "name":
			name, _ = jsonr.Text(r.Value())
		case "function", "custom":
			member = r.Key()
			if inside := openai.NameIn(r.Value()); inside != "" {
				return inside, member
			}
		}
	}
	return name, member
}

// legacyChoice reads "function_call": a word, or {"name"}.
func (d *requestDecoder) legacyChoice() *ir.Error {
	v := d.functionCall
	c := &d.request.ToolChoice
	word, ok := jsonr.Text(v)
	switch {
	case v == "":
	case word == "auto" || word == "none":
		c.Mode = openai.ToolMode(word)
	case ok:
		return openai.Unsupported("function_call", word, "'none' and 'auto'")
	default:
		if c.Name = openai.NameIn(v); c.Name == "" {
			return openai.Missing("function_call.name")
		}
		c.Mode = ir.ToolsNamed
	}
	return nil
}
