package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// openCall begins the call of a function, or of a tool that the API has a type for.
func (a *answer) openCall(ev *ir.Event) {
	a.family, a.tool = objectFamily, ""
	if t := a.request.Tool(ev.Name); t != nil && t.Kind == ir.FunctionTool {
		a.tool = t.Type
	}
	switch a.tool {
	case toolSearch:
		a.begin("tsc_", `"tool_search_call","execution":"client"`)
	case localShell:
		a.begin("lsh_", `"local_shell_call"`)
	case shell:
		a.begin("sh_", `"shell_call","environment":null`)
	case applyPatch:
		a.begin("apc_", `"apply_patch_call"`)
	default:
		a.family = functionFamily
		a.begin("fc_", `"function_call"`)
		a.callee(ev, `,"arguments":"`)
		return
	}
	a.raw(`,"call_id":`)
	a.out = literal(a.out, ev.CallID)
}

// callee appends what a call calls: a tool in a namespace by both names.
func (a *answer) callee(ev *ir.Event, rest string) {
	name, namespace := ev.Name, ir.Escaped("")
	if t := a.request.Tool(name); t != nil && t.Namespace != "" {
		name, namespace = t.Local, t.Namespace
	}
	a.raw(`,"call_id":`)
	a.out = literal(a.out, ev.CallID)
	a.raw(`,"name":`)
	a.out = literal(a.out, name)
	if namespace != "" {
		a.raw(`,"namespace":`)
		a.out = literal(a.out, namespace)
	}
	a.raw(rest)
	a.lead, a.text = len(a.out), len(a.out)
}

// appendObject appends the object that the arguments of the open call are, in the member of its item that it belongs to.
func (a *answer) appendObject() {
	arguments := jsonw.View(a.held)
	switch a.tool {
	case toolSearch:
		a.raw(`,"arguments":`)
		a.out = jsonr.AppendObject(a.out, arguments)
	case applyPatch:
		a.raw(`,"operation":`)
		a.out = jsonr.AppendObject(a.out, arguments)
	case localShell:
		m := readAction(arguments)
		a.raw(`,"action":{"type":"exec","command":`)
		a.raw(string(m.commands))
		a.raw(`,"env":`)
		a.raw(string(m.env))
		a.appendGiven(`,"timeout_ms":`, m.timeout)
		a.appendGiven(`,"user":`, m.user)
		a.appendGiven(`,"working_directory":`, m.directory)
		a.out = append(a.out, '}')
	case shell:
		m := readAction(arguments)
		a.raw(`,"action":{"commands":`)
		a.raw(string(m.commands))
		a.raw(`,"max_output_length":`)
		a.raw(string(m.maxOutput))
		a.raw(`,"timeout_ms":`)
		a.raw(string(m.timeout))
		a.out = append(a.out, '}')
	}
}

// appendGiven appends a member, unless the model has left it out: some clients refuse null.
func (a *answer) appendGiven(key string, v ir.Raw) {
	if v != "null" {
		a.raw(key)
		a.raw(string(v))
	}
}

// action is what a shell is to do, with what stands for a member that the model has left out.
type action struct {
	commands, env, timeout, user, directory, maxOutput ir.Raw
}

// readAction reads the arguments of a shell's call. The commands, which clients can't do without, are a list, also where the model
// gave a string or nothing.
func readAction(arguments ir.Escaped) action {
	m := action{"[]", "{}", "null", "null", "null", "null"}
	object := jsonr.AppendObject(make([]byte, 0, len(arguments)+len(`{"invalid_arguments":""}`)), arguments)
	r := jsonr.NewReader(string(jsonw.View(object)))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "command", "commands":
			switch v := r.Value(); jsonr.KindOf(v) {
			case jsonr.Array:
				m.commands = v
			case jsonr.String:
				m.commands = "[" + v + "]"
			}
		case "env":
			if r.Kind() == jsonr.Object {
				m.env = r.Value()
			}
		case "timeout_ms":
			m.timeout = r.Value()
		case "user":
			m.user = r.Value()
		case "working_directory":
			m.directory = r.Value()
		case "max_output_length":
			m.maxOutput = r.Value()
		}
	}
	return m
}
