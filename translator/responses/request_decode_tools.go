package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// toolList is a list of tools within an item of the input.
type toolList struct {
	tools ir.Raw
	at    ir.Pos // the position of its elements; the last index is ignored
	found bool   // the item is a tool_search_output: the model may see the tools from there on
	known bool   // the upstream found the tools by searching the tools it was sent
}

// bring collects the list of tools in an item.
func (d *requestDecoder) bring(f *fields, at ir.Pos, found bool) *ir.Error {
	switch kind := jsonr.KindOf(f.tools); kind {
	case jsonr.Array:
		d.lists = append(d.lists, toolList{f.tools, ir.Pos{Form: "input[].tools[]", Index: at.Index}, found,
			f.kind == "tool_search_output" && !found})
		return nil
	case jsonr.Missing:
		return openai.Missing(at.Path(".tools"))
	default:
		return openai.WrongType(at.Path(".tools"), "an array of objects", kind)
	}
}

// offer reads the tools that the model may call, and whether the model must call one: "tools", then
// the tools in items, then "tool_choice". Of two tools with the same name the later one counts, at
// the first one's position.
func (d *requestDecoder) offer() *ir.Error {
	n := countTools(d.tools)
	for i := range d.lists {
		n += countTools(d.lists[i].tools)
	}
	if n > 0 {
		if err := d.items.Meet(n); err != nil {
			return err
		}
		d.request.Tools, d.known = make([]ir.Tool, 0, n), make(map[ir.Escaped]int, n)
	}
	if err := d.readTools(d.tools, ir.Pos{Form: "tools[]"}, false); err != nil {
		return err
	}
	for _, l := range d.lists {
		d.foundTools = l.known
		if err := d.readTools(l.tools, l.at, l.found); err != nil {
			return err
		}
	}
	d.dropDeferred()
	d.request.SettlePrograms()
	return d.choice()
}

// countTools returns the number of tools in a list, including tools in namespaces.
func countTools(list ir.Raw) (n int) {
	r := jsonr.NewReader(string(list))
	for r.OpenArray(); r.Element(); n++ {
		for r.OpenObject(); r.Member(); {
			if r.Key() == "tools" {
				n += r.Len()
			}
		}
	}
	return n
}

func (d *requestDecoder) readTools(list ir.Raw, at ir.Pos, found bool) *ir.Error {
	r := jsonr.NewReader(string(list))
	n := 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.tool(&r, at.Element(n), "", found); err != nil {
			return err
		}
	}
	return nil
}

// toolFields are the members of a tool; "" means absent or null.
type toolFields struct {
	kind, name, description, execution ir.Escaped
	parameters, format, tools          ir.Raw
	environment                        ir.Raw
	strict                             ir.Tri
	callers                            ir.Raw
	deferred                           bool
}

// tool reads the tool at r, whose position is at (API reference, "Create a model response", tools).
// namespace is the name of the tool's namespace, or "". A tool without a type is a function (FAULTS
// 66). A tool in a namespace gets a single name made of both (flat). In calls the client gets the
// two names back (FAULTS 65).
func (d *requestDecoder) tool(r *jsonr.Reader, at ir.Pos, namespace ir.Escaped, found bool) *ir.Error {
	t := ir.Tool{At: at}
	if r.Kind() != jsonr.Object {
		return openai.WrongType(t.At.String(), "an object", r.Kind())
	}
	whole := *r
	f, err := readTool(r, &t)
	if err != nil {
		return err
	}
	t.Name, t.Description, t.Strict = f.name, f.description, f.strict
	switch f.kind {
	case "function", "":
		t.Schema, t.Field = f.parameters, ".parameters"
		d.loseToolMembers(whole, &t)
	case "custom":
		t.Kind, t.Grammar = ir.CustomTool, openai.Grammar(f.format)
		d.loseToolMembers(whole, &t)
	case "namespace":
		if namespace != "" {
			return openai.Invalid(t.At.Path(".type"),
				"Invalid value: a namespace can't contain another namespace.")
		}
		return d.namespace(whole, &f, &t, found)
	case toolSearch:
		if f.execution != "client" { // OpenAI runs the search
			t.Kind, t.Type, t.Name, t.Raw = ir.ToolSearchTool, toolSearch, toolSearch, whole.Value()
			break
		}
		define(&t, toolSearch, searchDescription, searchSchema)
		if f.description != "" {
			t.Description = f.description
		}
		if f.parameters != "" {
			t.Schema, t.Field = f.parameters, ".parameters"
		}
		t.Raw = whole.Value()
	case mcp:
		d.server(whole, &t)
	case programTool:
		t = vendorTool(&f, at, whole.Value())
		t.Kind = ir.ProgramTool
		d.add(t)
		return nil
	case localShell:
		define(&t, localShell, localShellAbout, localShellSchema)
		t.Raw = whole.Value()
	case shell:
		if !isLocal(f.environment) { // the shell runs in a container at OpenAI
			d.add(vendorTool(&f, at, whole.Value()))
			return nil
		}
		define(&t, shell, shellAbout, shellSchema)
		t.Raw = whole.Value()
	case applyPatch:
		define(&t, applyPatch, applyPatchAbout, applyPatchSchema)
		t.Raw = whole.Value()
	case computer, computerV1:
		t.Raw = whole.Value()
		define(&t, f.kind, aboutComputer(t.Raw), schemaOf(f.kind))
	default:
		if strings.HasPrefix(string(f.kind), "web_search") {
			d.webSearch(whole, &t)
			t.Kind, t.Type, t.Name, t.Raw = ir.WebSearchTool, f.kind, "web_search", whole.Value()
			break
		}
		d.add(vendorTool(&f, at, whole.Value()))
		return nil
	}
	if t.Name == "" {
		return openai.Missing(t.At.Path(".name"))
	}
	t.Deferred, t.Callers = f.deferred && !found, f.callers
	if namespace != "" {
		t.Namespace, t.Local = namespace, t.Name
		t.Name = flat(namespace, t.Local)
		if d.about != "" && !t.Deferred {
			if t.Description != "" {
				t.Description += `\n\n`
			}
			t.Description += `About all tools of ` + namespace + `: ` + d.about
			d.about = ""
		}
	}
	d.add(t)
	return nil
}

// readTool reads the members of a tool, and rejects members of a wrong type.
func readTool(r *jsonr.Reader, t *ir.Tool) (f toolFields, err *ir.Error) {
	for r.OpenObject(); r.Member(); {
		key, kind := r.Key(), r.Kind()
		if kind == jsonr.Null {
			continue
		}
		want, v := jsonr.Missing, r.Value()
		switch key {
		case "type":
			f.kind, _ = jsonr.Text(v)
			want = jsonr.String
		case "name":
			f.name, _ = jsonr.Text(v)
			want = jsonr.String
		case "description":
			f.description, _ = jsonr.Text(v)
			want = jsonr.String
		case "parameters":
			f.parameters, want = v, jsonr.Object
		case "strict":
			f.strict, want = ir.False, jsonr.Bool
			if v == "true" {
				f.strict = ir.True
			}
		case "defer_loading":
			f.deferred, want = v == "true", jsonr.Bool
		case "format":
			f.format = v
		case "allowed_callers":
			f.callers = ir.CallersOf(v)
		case "execution":
			f.execution, _ = jsonr.Text(v)
		case "environment":
			f.environment = v
		case "tools":
			f.tools = v
		}
		if want != jsonr.Missing && want != kind {
			return f, openai.WrongType(t.At.Path("."+key), want.Name(), kind)
		}
	}
	return f, nil
}

// loseToolMembers records the members of a function or a custom tool that readTool ignores, if they
// ask for something.
func (d *requestDecoder) loseToolMembers(r jsonr.Reader, t *ir.Tool) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "type", "name", "description", "parameters", "strict", "defer_loading", "format",
			"allowed_callers":
		default:
			d.lost.AddMemberAt(t.At, "", &r)
		}
	}
}

// namespace reads a group of tools. Other APIs have no groups, so the group's description is added
// to its first tool that the model sees at once. If there is no such tool, the description is lost.
func (d *requestDecoder) namespace(whole jsonr.Reader, f *toolFields, group *ir.Tool, found bool) *ir.Error {
	if f.name == "" {
		return openai.Missing(group.At.Path(".name"))
	}
	if f.tools == "" {
		return openai.Missing(group.At.Path(".tools"))
	}
	if kind := jsonr.KindOf(f.tools); kind != jsonr.Array {
		return openai.WrongType(group.At.Path(".tools"), "an array of objects", kind)
	}
	for whole.OpenObject(); whole.Member(); {
		switch whole.Key() {
		case "type", "name", "description", "tools":
		default:
			d.lost.AddMember(group.At.String(), &whole)
		}
	}
	r := jsonr.NewReader(string(f.tools))
	at, n := group.At, 0
	if at.Form == "tools[]" {
		at.Form = "tools[].tools[]"
	} else {
		at.Form = "input[].tools[].tools[]"
	}
	d.about = f.description
	for r.OpenArray(); r.Element(); n++ {
		if err := d.tool(&r, at.Element(n), f.name, found); err != nil {
			return err
		}
	}
	if d.about != "" {
		d.about = ""
		d.lost.Add(group.At.Path(".description"))
	}
	return nil
}

// flat returns a single name for a tool in a namespace: both names, joined by "__". If the tool's
// own name contains "__" or begins with "_", the result could be split into a different pair of
// names. A dot then joins the names, because OpenAI's names never contain a dot.
func flat(namespace, local ir.Escaped) ir.Escaped {
	switch {
	case namespace == "":
		return local
	case strings.Contains(string(local), "__") || strings.HasPrefix(string(local), "_"):
		return namespace + "." + local
	case strings.HasSuffix(string(namespace), "__"):
		return namespace + local
	}
	return namespace + "__" + local
}

// add offers a tool. A tool with the name of an earlier one replaces it. If the two differ, or are
// in the same list, the earlier one is recorded as a loss (see ir.Request.UniqueTools). If they are
// in different namespaces, both stay, and one in a namespace
// is renamed (dotted). If an upstream's search repeats a tool, the tool stays unchanged.
func (d *requestDecoder) add(t ir.Tool) {
	if _, ok := d.known[t.Name]; ok && d.foundTools {
		return
	}
	if t.Kind != ir.VendorTool {
		i, ok := d.known[t.Name]
		if ok && d.request.Tools[i].Namespace != t.Namespace {
			if t.Namespace != "" {
				t.Name = dotted(&t)
				i, ok = d.known[t.Name]
			} else {
				old := &d.request.Tools[i]
				old.Name = dotted(old)
				d.known[old.Name] = i
				ok = false
			}
		}
		if ok {
			old := &d.request.Tools[i]
			if old.Kind != t.Kind || old.Type != t.Type || old.Description != t.Description ||
				old.Schema != t.Schema || old.Strict != t.Strict || old.Grammar != t.Grammar ||
				old.At.Form == "tools[]" && t.At.Form == "tools[]" {
				d.lost.Add(old.At.String())
			}
			*old = t
			return
		}
		d.known[t.Name] = len(d.request.Tools)
	}
	d.request.Tools = append(d.request.Tools, t)
}

// dotted returns an alternative name for a tool in a namespace. flat never gives this name to a
// different tool.
func dotted(t *ir.Tool) ir.Escaped { return t.Namespace + "." + t.Local }

// dropDeferred removes the tools with defer_loading if the client offers and runs tool_search. The
// model then sees such a tool only after a search has found it. An MCP server's tools stay, because
// the search never finds them. Without a client-run tool_search all tools stay: OpenAI and
// Anthropic search deferred tools for the model.
func (d *requestDecoder) dropDeferred() {
	if t := d.request.Tool(toolSearch); t == nil || t.Kind != ir.FunctionTool || t.Type != toolSearch {
		return
	}
	kept := d.request.Tools[:0]
	for _, t := range d.request.Tools {
		if !t.Deferred || t.Kind == ir.MCPTool {
			kept = append(kept, t)
		}
	}
	d.request.Tools = kept
}
