package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// openCall begins the call of a function, or of a tool with an item type of its own.
//
//go:noinline
func (w *itemWriter) openCall(ev *ir.Event) {
	w.family, w.tool = objectFamily, ""
	if t := w.request.Tool(ev.Name); t != nil && t.Kind == ir.FunctionTool {
		w.tool = t.Type
	}
	switch w.tool {
	case toolSearch:
		w.begin("tsc_", `"tool_search_call","execution":"client"`)
	case localShell:
		w.begin("lsh_", `"local_shell_call"`)
	case shell:
		w.begin("sh_", `"shell_call","environment":null`)
	case applyPatch:
		w.begin("apc_", `"apply_patch_call"`)
	case computer, computerV1:
		w.begin("cu_", `"computer_call"`)
	default:
		w.family = functionFamily
		w.begin("fc_", `"function_call"`)
		w.callee(ev, `,"arguments":"`)
		return
	}
	w.callID(ev)
}

// callID appends the call's id and, unless the model itself called, the caller.
func (w *itemWriter) callID(ev *ir.Event) {
	w.member(`,"call_id":`, ev.CallID)
	switch {
	case ev.Program != nil:
		w.member(`,"caller":{"type":"program","caller_id":`, programCallID(ev.Program))
		w.raw(`}`)
	case ev.Caller != "":
		w.raw(`,"caller":`)
		w.out = jsonw.AppendFlat(w.out, ev.Caller)
	}
}

// callee appends the call's id and the tool's name, up to the arguments or the input. A tool in a
// namespace is written as its own name plus the namespace: Codex knows the tool only by these
// (FAULTS 65).
func (w *itemWriter) callee(ev *ir.Event, rest string) {
	w.callID(ev)
	if t := w.request.Tool(ev.Name); t != nil && t.Namespace != "" {
		w.member(`,"name":`, t.Local)
		w.member(`,"namespace":`, t.Namespace)
	} else {
		w.member(`,"name":`, ev.Name)
	}
	w.raw(rest)
	w.lead, w.text = len(w.out), len(w.out)
}

// member appends lead and a string to the items, as jsonw.AppendTextMember does.
func (w *itemWriter) member(lead string, e ir.Escaped) {
	w.out = jsonw.AppendTextMember(w.out, lead, e)
}

// appendObject appends the arguments of the open call as an object, in the member that its item
// type uses.
//
//go:noinline
func (w *itemWriter) appendObject() {
	arguments := jsonw.View(w.held)
	switch w.tool {
	case toolSearch:
		w.raw(`,"arguments":`)
		w.out = jsonr.AppendObject(w.out, arguments)
	case applyPatch:
		w.raw(`,"operation":`)
		w.out = jsonr.AppendObject(w.out, arguments)
	case computer, computerV1:
		w.appendActions(arguments)
	case localShell:
		a := readShellAction(arguments)
		w.value(`,"action":{"type":"exec","command":`, a.commands)
		w.value(`,"env":`, a.env)
		w.given(`,"timeout_ms":`, a.timeout)
		w.given(`,"user":`, a.user)
		w.given(`,"working_directory":`, a.directory)
		w.out = append(w.out, '}')
	case shell:
		a := readShellAction(arguments)
		w.value(`,"action":{"commands":`, a.commands)
		w.value(`,"max_output_length":`, a.maxOutput)
		w.value(`,"timeout_ms":`, a.timeout)
		w.out = append(w.out, '}')
	}
}

// value appends lead and v to the items.
func (w *itemWriter) value(lead string, v ir.Raw) {
	w.raw(lead)
	w.raw(string(v))
}

// given appends lead and v if the model has set v. The AI SDK rejects null in a local_shell_call.
func (w *itemWriter) given(lead string, v ir.Raw) {
	if v != "null" {
		w.value(lead, v)
	}
}

// shellAction is the "action" of a shell_call or local_shell_call, with a default for each member
// that the model left out.
type shellAction struct {
	commands, env, timeout, user, directory, maxOutput ir.Raw
}

// readShellAction reads the arguments of a shell call. The API requires a list of commands. A
// string becomes a list of one command; a missing or any other value becomes an empty list.
func readShellAction(arguments ir.Escaped) shellAction {
	a := shellAction{"[]", "{}", "null", "null", "null", "null"}
	object := jsonr.AppendObject(make([]byte, 0, len(arguments)+len(`{"invalid_arguments":""}`)), arguments)
	r := jsonr.NewReader(string(jsonw.View(object)))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "command", "commands":
			switch v := r.Value(); jsonr.KindOf(v) {
			case jsonr.Array:
				a.commands = v
			case jsonr.String:
				a.commands = "[" + v + "]"
			}
		case "env":
			if r.Kind() == jsonr.Object {
				a.env = r.Value()
			}
		case "timeout_ms":
			a.timeout = r.Value()
		case "user":
			a.user = r.Value()
		case "working_directory":
			a.directory = r.Value()
		case "max_output_length":
			a.maxOutput = r.Value()
		}
	}
	return a
}
