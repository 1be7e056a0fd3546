package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// offer reads what the model may call and how freely: tools, the older functions, and the search of the web.
func (d *requestDecoder) offer() *ir.Error {
	q := d.request
	tools, functions := jsonr.NewReader(string(d.tools)), jsonr.NewReader(string(d.functions))
	n := tools.Len() + functions.Len()
	if err := d.meet(n); err != nil {
		return err
	}
	if d.search != "" {
		n++
	}
	q.Tools = make([]ir.Tool, 0, n)
	n = 0
	for tools.OpenArray(); tools.Element(); n++ {
		if err := d.tool(&tools, n); err != nil {
			return err
		}
	}
	q.Legacy = n == 0 && functions.Len() > 0
	n = 0
	for functions.OpenArray(); functions.Element(); n++ {
		t := ir.Tool{At: ir.Pos{Message: -1, Block: n, Part: atFunctions}}
		if err := d.definition(&functions, &t, ""); err != nil {
			return err
		}
		q.Tools = append(q.Tools, t)
	}
	if d.search != "" {
		d.webSearch()
	}
	if q.Legacy {
		q.Parallel = ir.False // an answer has room for one call
	}
	if d.toolChoice == "" {
		return d.legacyChoice()
	}
	if d.functionCall != "" {
		d.lost.Add("function_call")
	}
	return d.choice()
}

// toolPath returns the path of a field of a tool.
func toolPath(t *ir.Tool, field string) string {
	return string(Client{}.AppendToolPath(nil, t.At)) + field
}

// tool reads one element of "tools". Codex gives the name beside the function once more; what Cursor and others send has the
// members of a function or of a custom tool right in the tool, or no type.
func (d *requestDecoder) tool(r *jsonr.Reader, n int) *ir.Error {
	t := ir.Tool{At: ir.Pos{Message: -1, Block: n, Part: -1}}
	if r.Kind() != jsonr.Object {
		return openai.WrongType(toolPath(&t, ""), "an object", r.Kind())
	}
	whole, more := *r, false
	var kind, name ir.Escaped
	var function, custom ir.Raw
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "name":
			name, _ = jsonr.Text(r.Value())
		case "function":
			function = r.Value()
		case "custom":
			custom = r.Value()
		case "cache_control":
			t.Cache = ir.Breakpoint(r)
		default:
			more = true
		}
	}
	inside, field := function, ".function"
	switch kind {
	case "function", "":
	case "custom":
		t.Kind = ir.CustomTool
		inside, field = custom, ".custom"
	default:
		t.Kind, t.Type, t.Name, t.Raw = ir.VendorTool, kind, name, whole.Value()
		d.request.Tools = append(d.request.Tools, t)
		return nil
	}
	if jsonr.KindOf(inside) == jsonr.Object {
		if more {
			d.loseBeside(whole, &t)
		}
		whole = jsonr.NewReader(string(inside))
	} else {
		field = ""
	}
	if err := d.definition(&whole, &t, field); err != nil {
		return err
	}
	d.request.Tools = append(d.request.Tools, t)
	return nil
}

// loseBeside notes what stands beside the function or custom tool inside a tool, but for what says the same once more.
func (d *requestDecoder) loseBeside(r jsonr.Reader, t *ir.Tool) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "type", "name", "description", "parameters", "strict", "function", "custom", "cache_control":
		default:
			d.loseOfTool(t, "", key, r.Value())
		}
	}
}

// loseOfTool notes a member of a tool, or of its field, unless it asks for nothing.
func (d *requestDecoder) loseOfTool(t *ir.Tool, field, key string, v ir.Raw) {
	if member := d.lost.Member(key, v); member != "" {
		d.lost.Add(toolPath(t, field+member))
	}
}

// definition reads the members of a function or of a custom tool. input_schema is another API's name of parameters.
func (d *requestDecoder) definition(r *jsonr.Reader, t *ir.Tool, field string) *ir.Error {
	if r.Kind() != jsonr.Object {
		return openai.WrongType(toolPath(t, field), "an object", r.Kind())
	}
	for r.OpenObject(); r.Member(); {
		key, kind := r.Key(), r.Kind()
		if kind == jsonr.Null {
			continue
		}
		if key == "cache_control" {
			t.Cache = ir.Breakpoint(r)
			continue
		}
		want, v := jsonr.Missing, r.Value()
		switch key {
		case "name":
			t.Name, _ = jsonr.Text(v)
			want = jsonr.String
		case "description":
			t.Description, _ = jsonr.Text(v)
			want = jsonr.String
		case "parameters", "input_schema":
			t.Schema, want = v, jsonr.Object
		case "strict":
			t.Strict, want = ir.False, jsonr.Bool
			if v == "true" {
				t.Strict = ir.True
			}
		case "format":
			t.Grammar = openai.Grammar(v)
		case "type":
		default:
			d.loseOfTool(t, field, key, v)
		}
		if want != jsonr.Missing && want != kind {
			return openai.WrongType(toolPath(t, field+"."+key), openai.KindName(want), kind)
		}
	}
	if t.Name == "" {
		return openai.Missing(toolPath(t, field+".name"))
	}
	return nil
}

// webSearch reads "web_search_options". The place has one level less in the hub.
func (d *requestDecoder) webSearch() {
	t := ir.Tool{Kind: ir.WebSearchTool, Name: "web_search", At: ir.Pos{Message: -1, Block: -1, Part: atWebSearch}}
	r := jsonr.NewReader(string(d.search))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "search_context_size":
			t.Search.ContextSize, _ = jsonr.Text(r.Value())
		case "user_location":
			if location := r.Value(); jsonr.Asks(location) {
				t.Search.Location = flatLocation(location)
			}
		default:
			d.lose("web_search_options", &r)
		}
	}
	d.request.Tools = append(d.request.Tools, t)
}

// flatLocation returns {"type":"approximate","approximate":{"city":...}} as {"type":"approximate","city":...}.
func flatLocation(v ir.Raw) ir.Raw {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "approximate" && r.Kind() == jsonr.Object {
			inside := r.Value()
			if !jsonr.Asks(inside) {
				return ""
			}
			return `{"type":"approximate",` + inside[1:]
		}
	}
	return v
}

// choice reads "tool_choice": a word, or an object that names tools.
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
			allowed = r.Value()
		case "name":
			name, _ = jsonr.Text(r.Value())
		default:
			d.lose(path, &r)
		}
	}
	switch {
	case kind == "auto" || kind == "none" || kind == "required":
		c.Mode = openai.ToolMode(kind)
		return nil
	case !ok && kind == "allowed_tools":
		return d.allowed(allowed)
	case !ok && (kind == "function" || kind == "custom"):
		if inside := nameIn(allowed); inside != "" {
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

// allowed reads {"mode","tools":[{"type":"function","function":{"name"}}]}.
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
			n, err := d.count(&r)
			if err != nil {
				return err
			}
			c.Allowed = make([]ir.Escaped, 0, n)
			for r.OpenArray(); r.Element(); {
				name := toolName(r.Value())
				if name == "" {
					return openai.Missing(path + ".tools[" + strconv.Itoa(len(c.Allowed)) + "].function.name")
				}
				c.Allowed = append(c.Allowed, name)
			}
		default:
			d.lose(path, &r)
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

// toolName returns the name in {"type":"function","function":{"name"}} and its like.
func toolName(v ir.Raw) (name ir.Escaped) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "name":
			name, _ = jsonr.Text(r.Value())
		case "function", "custom":
			if inside := nameIn(r.Value()); inside != "" {
				return inside
			}
		}
	}
	return name
}

// nameIn returns the member "name" of an object.
func nameIn(v ir.Raw) (name ir.Escaped) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "name" {
			name, _ = jsonr.Text(r.Value())
		}
	}
	return name
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
		if c.Name = nameIn(v); c.Name == "" {
			return openai.Missing("function_call.name")
		}
		c.Mode = ir.ToolsNamed
	}
	return nil
}
