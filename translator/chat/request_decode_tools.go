package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// offer reads which tools the model may or must call: tools, functions (the older form),
// web_search_options, tool_choice and function_call.
func (d *requestDecoder) offer() *ir.Error {
	q := d.request
	tools, functions := jsonr.NewReader(string(d.tools)), jsonr.NewReader(string(d.functions))
	n := tools.Len() + functions.Len()
	if err := d.items.Meet(n); err != nil {
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
		t := ir.Tool{At: ir.Pos{Form: "functions[]", Index: ir.Index{n}}}
		if err := d.definition(&functions, &t, ""); err != nil {
			return err
		}
		q.Tools = append(q.Tools, t)
	}
	q.UniqueTools(d.lost)
	if d.search != "" {
		d.webSearch()
	}
	if q.Legacy {
		q.Parallel = ir.False // an answer to a client of the older form has room for one call
	}
	if d.toolChoice == "" {
		return d.legacyChoice()
	}
	if d.functionCall != "" {
		d.lost.Add("function_call")
	}
	return d.choice()
}

// tool reads one element of "tools". Codex 0.80 repeats the name beside the function. Cursor puts
// the members of a function or custom tool directly into the tool
// (github.com/BerriAI/litellm/pull/34029, github.com/nsxdavid/anthropic-max-router/pull/2). A tool
// without a type is a function (FAULTS 66).
func (d *requestDecoder) tool(r *jsonr.Reader, n int) *ir.Error {
	t := ir.Tool{At: ir.Pos{Form: "tools[]", Index: ir.Index{n}}}
	if r.Kind() != jsonr.Object {
		return openai.WrongType(t.At.String(), "an object", r.Kind())
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

// loseBeside notes as lost the members of a tool that are beside its "function" or "custom" and ask
// for something. Name, description, parameters and strict are no losses there: they repeat members
// inside.
func (d *requestDecoder) loseBeside(r jsonr.Reader, t *ir.Tool) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "type", "name", "description", "parameters", "strict", "function", "custom", "cache_control":
		default:
			d.loseOfTool(t, "", key, r.Value())
		}
	}
}

// loseOfTool notes as lost a member of a tool's field, unless the member asks for nothing. The
// field "" is the tool itself.
func (d *requestDecoder) loseOfTool(t *ir.Tool, field, key string, v ir.Raw) {
	if member := d.lost.Member(key, v); member != "" {
		d.lost.Add(t.At.Path(field + member))
	}
}

// definition reads the members of a function or a custom tool, which are in a field of t.
// input_schema is the Messages API's name of parameters.
func (d *requestDecoder) definition(r *jsonr.Reader, t *ir.Tool, field string) *ir.Error {
	if r.Kind() != jsonr.Object {
		return openai.WrongType(t.At.Path(field), "an object", r.Kind())
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
			t.Schema, t.Field, want = v, field+"."+key, jsonr.Object
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
			return openai.WrongType(t.At.Path(field+"."+key), want.Name(), kind)
		}
	}
	if t.Name == "" {
		return openai.Missing(t.At.Path(field + ".name"))
	}
	return nil
}
