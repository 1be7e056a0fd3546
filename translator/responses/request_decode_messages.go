package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// speaker is the speaker of the message to which an item belongs. Consecutive items of the model
// (texts, reasoning, calls) become one message, and so do consecutive tool results. Each user or
// system message stays a message of its own.
type speaker uint8

const (
	noSpeaker speaker = iota
	modelSpeaker
	resultSpeaker
	userSpeaker
	systemSpeaker
)

// take prepares for a block of the given speaker. If the block does not belong to the current message,
// take completes the message and begins a new one.
func (d *requestDecoder) take(s speaker) {
	if s == d.speaker && (s == modelSpeaker || s == resultSpeaker) {
		return
	}
	if n := len(d.content); n > d.begin {
		role := [...]ir.Role{modelSpeaker: ir.Assistant, resultSpeaker: ir.User, userSpeaker: ir.User,
			systemSpeaker: ir.System}[d.speaker]
		d.request.Messages = append(d.request.Messages, ir.Message{Role: role,
			Content: d.content[d.begin:n:n]})
		d.begin = n
	}
	d.speaker = s
}

// input reads "input": a string, or items. The first element of request.Messages stays empty, for
// the instructions.
func (d *requestDecoder) input(r *jsonr.Reader) *ir.Error {
	d.content, d.begin, d.speaker, d.lists, d.latest, d.triggered = nil, 0, noSpeaker, nil, "", ""
	d.commentary = ""
	d.before = 0
	switch r.Kind() {
	case jsonr.String:
		d.request.Messages, d.content = make([]ir.Message, 1, 2), make([]ir.Content, 0, 1)
		d.take(userSpeaker)
		d.content = appendText(d.content, r.Value(), ir.Pos{Form: "input"})
	case jsonr.Array:
		items, blocks := measure(*r)
		if err := d.items.Meet(items + blocks); err != nil {
			return err
		}
		d.request.Messages, d.content = make([]ir.Message, 1, items+1), make([]ir.Content, 0, blocks)
		n := 0
		for r.OpenArray(); r.Element(); n++ {
			trigger := d.triggered
			err := d.item(r, n)
			if err == nil && trigger != "" && d.triggered != "" {
				err = openai.Invalid(trigger, "A compaction_trigger must be the last item of 'input'.")
			}
			if err == nil && d.commentary != "" && d.speaker != modelSpeaker {
				err = notStored(d.commentary)
			}
			if err != nil {
				return err
			}
		}
		if d.commentary != "" && len(d.content) == 0 {
			return notStored(d.commentary)
		}
		d.endCommentary()
	default:
		return openai.WrongType("input", "one of a string or array of objects", r.Kind())
	}
	d.take(noSpeaker)
	return nil
}

// measure returns the number of items in a list, and the maximum number of their blocks.
func measure(r jsonr.Reader) (items, blocks int) {
	for r.OpenArray(); r.Element(); items++ {
		n := 1
		for r.OpenObject(); r.Member(); {
			if r.Key() == "content" {
				n = max(n, r.Len())
			}
		}
		blocks += n
	}
	return items, blocks
}

// fields are the raw members of an item; "" means absent or null.
type fields struct {
	kind, role                          ir.Escaped
	id, callID, name, namespace, caller ir.Raw
	content, summary, encrypted         ir.Raw
	arguments, input, action, operation ir.Raw
	output, status, tools, reasoning    ir.Raw
	phase, actions                      ir.Raw
}

// item reads the nth item (API reference, "Create a model response", input). An item without a type
// is a message. Items of OpenAI's own tools, such as code_interpreter_call, pass through unchanged.
func (d *requestDecoder) item(r *jsonr.Reader, n int) *ir.Error {
	at := ir.Pos{Form: "input[]", Index: ir.Index{n}}
	if r.Kind() != jsonr.Object {
		return openai.WrongType(at.String(), "an object", r.Kind())
	}
	whole, more := *r, false
	var f fields
	for r.OpenObject(); r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
			f.kind, _ = jsonr.Text(r.Value())
		case "role":
			f.role, _ = jsonr.Text(r.Value())
		case "id":
			f.id = r.Value()
		case "call_id":
			f.callID = r.Value()
		case "name":
			f.name = r.Value()
		case "namespace":
			f.namespace = r.Value()
		case "caller":
			f.caller = ir.CallerOf(r.Value())
		case "content":
			f.content = r.Value()
		case "summary":
			f.summary = r.Value()
		case "encrypted_content":
			f.encrypted = r.Value()
		case "arguments":
			f.arguments = r.Value()
		case "input":
			f.input = r.Value()
		case "action":
			f.action = r.Value()
		case "operation":
			f.operation = r.Value()
		case "output":
			f.output = r.Value()
		case "status":
			f.status = r.Value()
		case "tools":
			f.tools = r.Value()
		case "reasoning":
			f.reasoning = r.Value()
		case "phase":
			f.phase = r.Value()
		case "actions":
			f.actions = r.Value()
		default:
			more = true
		}
	}
	var err *ir.Error
	opaque := false
	switch f.kind {
	case "message", "":
		if f.kind == "" && f.role == "" {
			if f.id != "" {
				return d.reference(&f, at)
			}
			return openai.Missing(at.Path(".type"))
		}
		_, err = d.message(&f, at)
	case "agent_message":
		f.role = "user"
		opaque, err = d.message(&f, at)
	case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call",
		"computer_call":
		err = d.call(&f, whole, at)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output",
		"apply_patch_call_output",
		"computer_call_output":
		err = d.result(&f, whole, at)
	case "tool_search_call":
		if f.callID != "" {
			err = d.call(&f, whole, at)
		} else { // OpenAI ran the search
			d.hosted(f.kind, whole.Value(), at)
			more = false
		}
	case "tool_search_output":
		err = d.bring(&f, at, f.callID != "")
		if f.callID != "" && err == nil {
			err = d.found(&f, at)
		} else if err == nil {
			d.hosted(f.kind, whole.Value(), at)
			more = false
		}
	case "mcp_call":
		d.hosted(f.kind, whole.Value(), at)
		more = false
	case "program", "program_output":
		opaque, more = !d.program(whole, at), false
	case "web_search_call":
		d.searched(&f, whole.Value(), at)
		more = false
	case "additional_tools":
		err = d.bring(&f, at, false)
	case "reasoning":
		err = d.thought(&f, at)
	case "configuration_update":
		err = d.configure(&f, at)
	case "item_reference":
		return d.reference(&f, at)
	case "compaction_trigger":
		d.triggered = at.String()
	case "compaction", "compaction_summary":
		err = d.compacted(&f, whole.Value(), at)
		more = false
	case "context_compaction": // Codex's mark of a compaction may be empty
		if f.encrypted != "" {
			err = d.compacted(&f, whole.Value(), at)
		}
	default:
		opaque = true
	}
	if err != nil {
		return err
	}
	if opaque {
		d.opaque(f.kind, whole.Value(), at)
	} else if more {
		d.loseMembers(whole, at)
	}
	return nil
}

// reference reads a reference to an item that the client believes to be stored. AI SDK 6 and 7
// (@ai-sdk/openai 3 and 4, convert-to-openai-responses-input.ts) send references for all reasoning,
// and for texts before a call and after reasoning, unless store is false in their own settings. The
// answer's store and ids have no influence. A reference to reasoning is a loss, like reasoning
// without its encrypted_content. A reference to a search run by the upstream is a loss too, as the
// whole item is. So is a reference to a text before a call of the same turn, which says what the
// turn is about, or at the end of the input. Only the first of these losses is recorded. Any other
// reference is an error: without a final text or a call the conversation would be a different one.
func (d *requestDecoder) reference(f *fields, at ir.Pos) *ir.Error {
	id, _ := jsonr.Text(f.id)
	if strings.HasPrefix(string(id), "rs_") || strings.HasPrefix(string(id), "ws_") {
		d.loseReference(at.String())
		return nil
	}
	if strings.HasPrefix(string(id), "msg_") {
		d.take(modelSpeaker)
		d.commentary = at.String()
		return nil
	}
	return notStored(at.String())
}

// endCommentary records the open reference to a text, if there is one, as lost.
func (d *requestDecoder) endCommentary() {
	if d.commentary != "" {
		d.loseReference(d.commentary)
		d.commentary = ""
	}
}

// loseReference records the first lost reference.
func (d *requestDecoder) loseReference(path string) {
	if !d.referred {
		d.referred = true
		d.lost.Add(path)
	}
}

// notStored is the error for a reference at path.
func notStored(path string) *ir.Error {
	return openai.Invalid(path,
		"Items are not stored here: send the item itself instead of a reference to it. "+
			"For the AI SDK, set providerOptions.openai.store = false. "+storeOption)
}

// opaque passes an item through unchanged. The item's type decides whether it is a call of the
// model, the result of a call, or a message of another agent.
func (d *requestDecoder) opaque(kind ir.Escaped, whole ir.Raw, at ir.Pos) {
	t := modelSpeaker
	if kind == "agent_message" {
		t = userSpeaker
	} else if strings.HasSuffix(string(kind), "_output") || strings.HasSuffix(string(kind), "_response") {
		t = resultSpeaker
	}
	d.take(t)
	d.content = append(d.content, ir.Content{Kind: ir.OpaqueContent, At: at, Raw: whole})
}

// loseMembers records the members of an item that the function item ignores, if they ask for
// something. The members in the second case are not losses: they come from OpenAI's answer, or from
// a client's own records of it, and are never shown to a model.
func (d *requestDecoder) loseMembers(r jsonr.Reader, at ir.Pos) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "type", "role", "id", "call_id", "name", "namespace", "content", "summary", "encrypted_content",
			"arguments", "input",
			"action", "actions", "operation", "output", "status", "tools", "reasoning", "phase":
		case "author", "recipient", "caller", "created_by", "async", "environment", "execution",
			"max_output_length", "parsed_arguments",
			"internal_chat_message_metadata_passthrough", "pending_safety_checks",
			"acknowledged_safety_checks":
		default:
			d.lost.AddMemberAt(at, "", &r)
		}
	}
}

// message reads a message, or an agent_message, with which Codex 0.169 passes one agent's message
// to another: a task to a sub-agent, or the sub-agent's answer to the agent that set the task. An
// agent_message becomes user text: the first part has author, recipient and kind of the message,
// and the rest is the other agent's text. If only OpenAI can read the text, sealed is true, and the
// caller must pass the item through unchanged.
func (d *requestDecoder) message(f *fields, at ir.Pos) (sealed bool, err *ir.Error) {
	isAgents := f.kind == "agent_message"
	switch f.role {
	case "user":
		d.take(userSpeaker)
	case "system", "developer":
		d.take(systemSpeaker)
	case "assistant":
		d.take(modelSpeaker)
	case "":
		return false, openai.Missing(at.Path(".role"))
	default:
		return false, openai.Unsupported(at.Path(".role"), f.role,
			"'assistant', 'system', 'developer', and 'user'")
	}
	switch {
	case f.content != "":
	case isAgents:
		return false, nil
	default:
		return false, openai.Missing(at.Path(".content"))
	}
	at.Form = "input[].content[]"
	list, err := d.parts(d.content, f.content, at)
	if err != nil {
		return false, err
	}
	for i := len(d.content); i < len(list); i++ {
		c := &list[i]
		if isAgents && c.Kind == ir.OpaqueContent {
			return true, nil
		}
		c.Phase = phaseOf(f.phase)
		c.Continues = (isAgents || f.role == "assistant") && i > len(d.content) && isNext(&list[i-1], c)
	}
	d.content = list
	return false, nil
}

// isNext reports whether the text b directly follows the text a. If it does not, the function parts
// has left out a blank part between them, perhaps a line break.
func isNext(a, b *ir.Content) bool {
	return a.Kind == ir.TextContent && b.Kind == ir.TextContent && b.At.Index[1] == a.At.Index[1]+1
}
