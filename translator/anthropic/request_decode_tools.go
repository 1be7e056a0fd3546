package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// tools reads "tools".
func (d *requestDecoder) tools(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Array {
		return wrongKind("tools", "list", r.Kind())
	}
	n, err := d.items.Count(r)
	if err != nil {
		return err
	}
	d.request.Tools, d.deferred, d.searches = make([]ir.Tool, 0, n), make([]bool, 0, n), false
	n = 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.tool(r, ir.Pos{Form: "tools[]", Index: ir.Index{n}}); err != nil {
			return err
		}
	}
	return nil
}

// tool reads the next value of r, the tool at at. A tool without a type, or with "custom", is a
// function of the client. Other types are defined by Anthropic.
func (d *requestDecoder) tool(r *jsonr.Reader, at ir.Pos) *ir.Error {
	path := at.String()
	if r.Kind() != jsonr.Object {
		return wrongKind(path, "dictionary", r.Kind())
	}
	t := ir.Tool{At: at}
	deferred, more := false, false
	whole := *r
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
			t.Type, err = text(r, path+".type")
		case "name":
			t.Name, err = text(r, path+".name")
		case "description":
			t.Description, err = text(r, path+".description")
		case "input_schema":
			if r.Kind() != jsonr.Object {
				return wrongKind(path+".input_schema", "dictionary", r.Kind())
			}
			t.Schema, t.Field = r.Value(), ".input_schema"
		case "defer_loading":
			deferred, err = flag(r, path+".defer_loading")
		case "strict":
			var strict bool
			if strict, err = flag(r, path+".strict"); strict {
				t.Strict = ir.True
			} else {
				t.Strict = ir.False
			}
		case "cache_control":
			t.Cache = ir.Breakpoint(r)
		case "allowed_callers":
			t.Callers = ir.CallersOf(r.Value())
		case "input_examples":
			if more = more || r.Kind() != jsonr.Array; r.Kind() == jsonr.Array {
				t.Examples = r.Value()
			}
		default:
			more = true
		}
		if err != nil {
			return err
		}
	}
	if t.Type == "custom" {
		t.Type = ""
	}
	if t.Type != "" {
		t.Raw = whole.Value()
		d.searches = d.searches || strings.HasPrefix(string(t.Type), toolSearch)
		if err := d.typedTool(&t, path); err != nil {
			return err
		}
	} else if t.Name == "" {
		return invalid(path+".name", "Field required")
	} else if err := checkSchema(t.Schema, path); err != nil {
		return err
	}
	if more && t.Type == "" {
		d.loseToolMembers(whole, path)
	}
	d.request.Tools = append(d.request.Tools, t)
	d.deferred = append(d.deferred, deferred)
	return nil
}

// checkSchema returns an error if a function has no input_schema, or an input_schema of a type
// other than "object". A missing type, null and Python's "None" count as "object".
func checkSchema(schema ir.Raw, path string) *ir.Error {
	if schema == "" {
		return invalid(path+".input_schema", "Field required")
	}
	r := jsonr.NewReader(string(schema))
	for r.OpenObject(); r.Member(); {
		if r.Key() != "type" {
			continue
		}
		if kind := r.Value(); kind != "null" && kind != `"None"` && kind != `"object"` && !jsonr.Holds(kind,
			`"object"`) {
			return wrong(path+".input_schema.type", "'object'", kind, "object")
		}
	}
	return nil
}

// loseToolMembers notes the members of a function that tool does not read and that ask for
// something. eager_input_streaming is no loss: it sets how Anthropic splits the arguments of a call
// into deltas.
func (d *requestDecoder) loseToolMembers(r jsonr.Reader, path string) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type", "name", "description", "input_schema", "defer_loading", "strict", "cache_control",
			"eager_input_streaming", "allowed_callers":
		case "input_examples":
			if r.Kind() != jsonr.Array {
				d.lost.AddMember(path, &r)
			}
		default:
			d.lost.AddMember(path, &r)
		}
	}
}

// definition is a tool defined in a block of a message.
type definition struct {
	at  ir.Pos
	raw ir.Raw
}

// changeTools reads a block tool_addition or tool_removal: a system message offers or withdraws a
// tool from then on ("Mid-conversation tool changes"). The tool is in "tools", or the block defines
// the tool. For a tool of an MCP server changeTools returns false.
func (d *requestDecoder) changeTools(block jsonr.Reader, at ir.Pos, offered bool) bool {
	var kind, name ir.Escaped
	var defined ir.Raw
	for block.OpenObject(); block.Member(); {
		if block.Key() != "tool" {
			continue
		}
		for block.OpenObject(); block.Member(); {
			switch block.Key() {
			case "type":
				kind, _ = jsonr.Text(block.Value())
			case "name":
				name, _ = jsonr.Text(block.Value())
			case "definition":
				whole := block
				defined = whole.Value()
				for block.OpenObject(); block.Member(); {
					if block.Key() == "name" {
						name, _ = jsonr.Text(block.Value())
					}
				}
			}
		}
	}
	switch {
	case kind == "tool_reference" && name != "":
	case kind == "tool_definition" && offered && defined != "":
		at.Form += ".tool.definition"
		d.defined = append(d.defined, definition{at, defined})
	default:
		return false
	}
	d.offer(name, offered)
	return true
}

// offer notes that a block of the messages offers or withdraws a tool. Of several such blocks the
// last counts.
func (d *requestDecoder) offer(name ir.Escaped, offered bool) {
	if d.loaded == nil {
		d.loaded = map[ir.Escaped]bool{}
	}
	d.loaded[name] = offered
}

// settleTools adds the tools that messages define. A defined tool replaces an earlier tool of the
// same name. Then settleTools removes the tools that the model may not see: withdrawn tools, and
// tools with defer_loading that no message names. If a tool_search_tool_... is among the tools,
// tools with defer_loading stay as deferred tools: Anthropic and OpenAI search deferred tools for
// the model.
func (d *requestDecoder) settleTools() *ir.Error {
	q := d.request
	for _, defined := range d.defined {
		n := len(q.Tools)
		r := jsonr.NewReader(string(defined.raw))
		if err := d.tool(&r, defined.at); err != nil {
			return err
		}
		for i := range q.Tools[:n] {
			if q.Tools[i].Name == q.Tools[n].Name {
				q.Tools[i], d.deferred[i] = q.Tools[n], d.deferred[n]
				q.Tools, d.deferred = q.Tools[:n], d.deferred[:n]
				break
			}
		}
	}
	kept := q.Tools[:0]
	for i, t := range q.Tools {
		offered, named := d.loaded[t.Name]
		if offered || !named && (d.searches || !d.deferred[i]) {
			t.Deferred = d.deferred[i] && !offered
			kept = append(kept, t)
		}
	}
	q.Tools = kept
	if d.servers != "" {
		d.settleServers()
	}
	q.UniqueTools(d.lost)
	q.SettlePrograms()
	return nil
}
