package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// calls writes tool_calls. Only OpenAI's own service knows custom tools: elsewhere a custom call
// becomes a function call with the argument "input". The block before a call may be its
// extra_content (isExtra), which goes back with the call. Gemini rejects a turn whose first call
// has no thought_signature (FAULTS 78). Calls made by another vendor's model have none, and get the
// value that Google documents for this case (ai.google.dev/gemini-api/docs/thought-signatures,
// FAQ).
func (w *requestWriter) calls(content []ir.Content) {
	separator := `,"tool_calls":[`
	w.sent = w.sent[:0]
	var extra *ir.Content
	unsigned := !w.Target.UnsignedCalls
	for i := range content {
		c := &content[i]
		if isExtra(c) {
			extra = c
		}
		if !c.Kind.IsCall() {
			continue
		}
		w.Next(&separator)
		w.Raw(`{"id":`)
		most := maxCallID
		if w.Target.ShortCallIDs {
			most = shortCallID
		}
		id := w.ids.Unique(w.callID(c.ID), most)
		w.sent = append(w.sent, id)
		w.Literal(id)
		if c.Kind == ir.CustomCallContent && w.Target.OpenAI {
			w.Raw(`,"type":"custom","custom":{"name":`)
			w.Literal(w.Target.ToolName(c.Name, openai.MaxIdentifier))
			w.Raw(`,"input":`)
			w.Literal(c.Text)
		} else {
			w.Raw(`,"type":"function","function":{"name":`)
			w.Literal(w.Target.ToolName(c.Name, openai.MaxIdentifier))
			w.Raw(`,"arguments":"`)
			w.arguments(c)
			w.Raw(`"`)
		}
		w.Raw(`}`)
		if w.Target.ReasoningEcho == ir.EchoExtra {
			signed := extra != nil && w.blob(`,"extra_content":`, extra)
			if !signed && unsigned {
				w.Raw(`,"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}`)
			}
			extra, unsigned = nil, false
		}
		w.Raw(`}`)
	}
	w.Raw(`]`)
}

// arguments writes the inside of the string with a call's arguments. The arguments of a custom
// tool's call are {"input":...}.
func (w *requestWriter) arguments(c *ir.Content) {
	if c.Kind == ir.ToolCallContent {
		w.Dst = jsonw.AppendQuotedRaw(w.Dst, c.Input)
		return
	}
	w.Raw(`{\"input\":\"`)
	w.Dst = jsonw.AppendQuotedRaw(w.Dst, jsonw.Raw(c.Text))
	w.Raw(`\"}`)
}

// toolMessages writes the results of the calls in content, in the order of the calls.
func (w *requestWriter) toolMessages(content []ir.Content) *ir.Error {
	n := 0
	for i := range content {
		if c := &content[i]; c.Kind.IsCall() {
			if err := w.toolMessage(c, w.sent[n]); err != nil {
				return err
			}
			n++
		}
	}
	return nil
}

// shownResult is a result whose images and files are in a user message, and the id of its call.
type shownResult struct {
	*ir.Content
	call ir.Escaped
}

// shownParts writes the images and files of results for an upstream whose tool messages are text
// only. They are the first parts of the user's next message (FAULTS 58). It returns the separator
// before the next part, or "" if it wrote no part.
func (w *requestWriter) shownParts() (separator string) {
	for _, result := range w.shown {
		w.Next(&separator)
		w.Raw(`{"type":"text","text":"Returned by the tool call `)
		w.Raw(string(result.call))
		w.Raw(`:"}`)
		for i := range result.Parts {
			if c := &result.Parts[i]; w.form(c, ir.User) == attachment {
				w.Raw(`,`)
				w.attach(c)
			}
		}
	}
	w.shown = w.shown[:0]
	return separator
}

// toolMessage writes the next result, for the given call. id is the upstream's id of the call. A
// call without a result gets a note as its result, because the API rejects a call without one
// (FAULTS 55).
func (w *requestWriter) toolMessage(call *ir.Content, id ir.Escaped) *ir.Error {
	result := w.NextResult()
	if w.Target.LegacyFunctions {
		w.open("function")
		w.Raw(`,"name":`)
		w.Literal(w.Target.ToolName(call.Name, openai.MaxIdentifier))
	} else {
		w.open("tool")
		w.Raw(`,"tool_call_id":`)
		w.Literal(id)
	}
	w.Raw(`,"content":`)
	if result == nil {
		w.Raw(`"(no result)"`)
		w.endTool()
		w.Lost.Add(call.At.String())
		return nil
	}
	if err := w.checkContent(result.Parts, ir.User); err != nil {
		return err
	}
	failed := ""
	if result.IsError {
		failed = `Error: `
	}
	attached := w.holds(result.Parts, ir.User, attachment)
	if attached && w.Target.ResultImages == ir.UserTurnImages {
		w.shown = append(w.shown, shownResult{result, id})
	}
	if attached && w.Target.ResultImages == ir.NativeImages {
		w.Raw(`[`)
		w.parts(result.Parts, ir.User, failed, ``)
		w.Raw(`]`)
		w.breakpoint(result.Cache)
		w.endTool()
		return nil
	}
	w.Raw(`"`)
	w.Raw(failed)
	begun := w.text(result.Parts, ir.User)
	if attached && w.Target.ResultImages == ir.RefuseImages {
		if begun {
			w.Raw(`\n\n`)
		}
		w.Raw(`[An image or a file was left out: this model can't be given it.]`)
		if err := w.refuseAttachments(result.Parts); err != nil {
			return err
		}
	} else if attached && !begun {
		w.Raw(`(see the `)
		w.Raw(kindOf(result.Parts))
		w.Raw(` in the next message)`)
	}
	w.Raw(`"`)
	if result.Cache != "" {
		w.breakpoint(result.Cache)
	} else {
		w.messageBreakpoint(result.Parts)
	}
	w.endTool()
	return nil
}

// endTool ends a message with a result.
func (w *requestWriter) endTool() {
	w.turnEnd = len(w.Dst)
	w.Raw(`}`)
}

func (w *requestWriter) refuseAttachments(list []ir.Content) *ir.Error {
	for i := range list {
		if c := &list[i]; w.form(c, ir.User) == attachment {
			if err := w.RefuseOrLose(c.At.String(), "images or files in tool results"); err != nil {
				return err
			}
		}
	}
	return nil
}

// kindOf returns the word for a list's images or files.
func kindOf(list []ir.Content) string {
	for i := range list {
		if isImage(&list[i]) {
			return `image`
		}
	}
	return `file`
}

const (
	// OpenAI: "string too long. Expected a string with maximum length 40"; vLLM makes longer ids
	maxCallID   = 40
	shortCallID = 9 // Mistral: "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."
)

// callID returns the id of a call for the upstream: the client's id if the upstream accepts it,
// otherwise an id derived from the client's.
//
//go:noinline
func (w *requestWriter) callID(id ir.Escaped) ir.Escaped {
	switch {
	case !w.Target.ShortCallIDs:
		return openai.ShortID(id, maxCallID)
	case len(id) == shortCallID && isAlphanumeric(string(id)):
		return id
	}
	return ir.Digest(id)[:shortCallID]
}

func isAlphanumeric(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}
