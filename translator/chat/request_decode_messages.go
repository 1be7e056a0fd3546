package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// messages reads "messages".
func (d *requestDecoder) messages(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Array {
		return openai.WrongType("messages", "an array of objects", r.Kind())
	}
	d.request.Messages, d.function = d.request.Messages[:0], -1
	n := 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.items.Meet(1); err != nil {
			return err
		}
		if err := d.message(r, ir.Pos{Form: "messages[]", Index: ir.Index{n}}); err != nil {
			return err
		}
	}
	if n == 0 {
		return &ir.Error{Kind: ir.InvalidRequest, Path: "messages", Code: "empty_array",
			Message: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got " +
				"an empty array instead."}
	}
	return nil
}

// messageFields are the raw members of a message; "" for absent or null members.
type messageFields struct {
	role                                 ir.Escaped
	content, refusal, calls, call        ir.Raw
	reasoning, reasoningContent, details ir.Raw
	callID, cache                        ir.Raw
}

// message reads the message at r, whose position is at.
func (d *requestDecoder) message(r *jsonr.Reader, at ir.Pos) *ir.Error {
	if r.Kind() != jsonr.Object {
		return openai.WrongType(at.Path(""), "an object", r.Kind())
	}
	whole, more, answer := *r, false, false
	var f messageFields
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		if r.Kind() == jsonr.Null && key != "role" && key != "content" {
			continue
		}
		switch key {
		case "role":
			var err *ir.Error
			if f.role, err = openai.Required(r.Value(), at, ".role"); err != nil {
				return err
			}
		case "content":
			f.content = r.Value()
		case "refusal":
			f.refusal, answer = r.Value(), true
		case "tool_calls":
			f.calls, answer = r.Value(), true
		case "function_call":
			f.call, answer = r.Value(), true
		case "reasoning_content":
			f.reasoningContent, answer = r.Value(), true
		case "reasoning":
			f.reasoning, answer = r.Value(), true
		case "reasoning_details":
			f.details, answer = r.Value(), true
		case "tool_call_id":
			f.callID = r.Value()
		case "cache_control":
			f.cache = ir.Breakpoint(r)
		default:
			more = true
		}
	}
	m, err := d.turn(&f, at)
	if err != nil {
		return err
	}
	if f.cache != "" {
		setBreakpoint(m.Content, f.cache)
	}
	if more || answer && f.role != "assistant" {
		d.loseMembers(whole, at, f.role)
	}
	d.request.Messages = append(d.request.Messages, m)
	return nil
}

// setBreakpoint moves the breakpoint of a message, as OpenRouter's clients send it, to the last
// block that can have one, unless the block has its own.
func setBreakpoint(list []ir.Content, cache ir.Raw) {
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].Kind.IsReasoning() {
			if list[i].Cache == "" {
				list[i].Cache = cache
			}
			return
		}
	}
}

// turn returns the message for the given members. In the hub a tool's result is a user message.
func (d *requestDecoder) turn(f *messageFields, at ir.Pos) (m ir.Message, err *ir.Error) {
	switch f.role {
	case "system", "developer":
		m.Role = ir.System
	case "user":
		m.Role = ir.User
	case "assistant":
		m.Role = ir.Assistant
		m.Content, err = d.assistant(f, at)
		return m, err
	case "tool", "function":
		m.Role = ir.User
		m.Content, err = d.result(f, at)
		return m, err
	case "":
		return m, openai.Missing(at.Path(".role"))
	default:
		return m, openai.Unsupported(at.Path(".role"), f.role,
			"'system', 'assistant', 'user', 'function', 'tool', and 'developer'")
	}
	switch jsonr.KindOf(f.content) {
	case jsonr.Missing:
		return m, openai.Missing(at.Path(".content"))
	case jsonr.Null:
		return m, openai.WrongType(at.Path(".content"), "one of a string or array of objects", jsonr.Null)
	}
	m.Content, err = d.content(make([]ir.Content, 0, contentLen(f.content)), f.content, at.Index)
	return m, err
}

// loseMembers notes unread members of a message as lost if their values ask for something. No losses
// are id, annotations and parsed (OpenAI's SDK sends them back with an answer, and no model sees
// them), and the name in a tool's result (the tool's). In other messages name is the speaker's.
//
//go:noinline
func (d *requestDecoder) loseMembers(r jsonr.Reader, at ir.Pos, role ir.Escaped) {
	for r.OpenObject(); r.Member(); {
		known := false
		switch r.Key() {
		case "role", "content", "id", "cache_control":
			known = true
		case "name":
			known = role == "tool" || role == "function"
		case "tool_call_id":
			known = role == "tool"
		case "refusal", "tool_calls", "function_call", "reasoning_content", "reasoning", "reasoning_details",
			"annotations", "parsed":
			known = role == "assistant"
		}
		if !known {
			d.lost.AddMemberAt(at, "", &r)
		}
	}
}

// assistant reads an assistant message. Its blocks are in the order in which the model made them:
// reasoning, text, refusal, calls.
//
//go:noinline
func (d *requestDecoder) assistant(f *messageFields, at ir.Pos) ([]ir.Content, *ir.Error) {
	d.lifted = jsonr.KindOf(f.content) == jsonr.Array
	if d.lifted {
		f.lift()
	}
	calls := jsonr.NewReader(string(f.calls))
	if f.calls != "" && calls.Kind() != jsonr.Array {
		return nil, openai.WrongType(at.Path(".tool_calls"), "an array of objects", calls.Kind())
	}
	details := jsonr.NewReader(string(f.details))
	size := contentLen(f.content) + calls.Len() + details.Len()
	for _, v := range [...]ir.Raw{f.refusal, f.reasoning, f.reasoningContent, f.call} {
		if v != "" {
			size++
		}
	}
	if err := d.items.Meet(calls.Len() + details.Len()); err != nil {
		return nil, err
	}
	list := d.reasoning(make([]ir.Content, 0, size), f, at.Index)
	list, err := d.content(list, f.content, at.Index)
	if d.lifted = false; err != nil {
		return nil, err
	}
	if f.refusal != "" {
		text, ok := jsonr.Text(f.refusal)
		if !ok {
			return nil, openai.WrongType(at.Path(".refusal"), "a string", jsonr.KindOf(f.refusal))
		}
		if !jsonr.IsBlank(text) {
			list = append(list, ir.Content{Kind: ir.RefusalContent, At: ir.Pos{Form: "messages[].refusal",
				Index: at.Index}, Text: text})
		}
	}
	i := 0
	for calls.OpenArray(); calls.Element(); i++ {
		c, err := d.call(&calls, ir.Pos{Form: "messages[].tool_calls[]", Index: at.Index}.Element(i))
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if f.call != "" {
		at.Form = "messages[].function_call"
		r := jsonr.NewReader(string(f.call))
		called := d.called(&r, at, "", "arguments")
		c, err := called.function(at, "")
		if err != nil {
			return nil, err
		}
		c.ID, d.function = functionCallID(at.Index[0]), at.Index[0]
		list = append(list, c)
	}
	return list, nil
}
