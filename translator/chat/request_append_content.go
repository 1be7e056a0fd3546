package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// assistant writes one message for a run of assistant messages, and the results of its calls behind it.
func (w *requestWriter) assistant(run []ir.Message) *ir.Error {
	content, err := w.gathered(run, ir.Assistant)
	if err != nil {
		return err
	}
	text, calls := w.holds(content, ir.Assistant, textual), w.holds(content, ir.Assistant, calling)
	if calls && w.t.LegacyFunctions {
		return w.functionCalls(content, text)
	}
	if !text && !calls {
		w.loseReasoning(content)
		return nil
	}
	w.open("assistant")
	w.raw(`,"content":`)
	if text {
		w.raw(`"`)
		w.text(content, ir.Assistant)
		w.raw(`"`)
	} else {
		w.raw(`null`)
	}
	w.reasoning(content)
	if calls {
		w.calls(content)
	}
	w.raw(`}`)
	return w.toolMessages(content)
}

// calls writes tool_calls. A call of a tool that takes free text is one of a function with one argument where the upstream
// knows no others. What came with a call to go back with it stands in front of it. Gemini refuses a turn whose first call has
// none, as those of other models do, but for the value that it has for them (ai.google.dev/gemini-api/docs/thought-signatures, FAQ).
func (w *requestWriter) calls(content []ir.Content) {
	separator := `,"tool_calls":[`
	var extra *ir.Content
	unsigned := !w.t.UnsignedCalls
	for i := range content {
		c := &content[i]
		if isExtra(c) {
			extra = c
		}
		if !isCall(c) {
			continue
		}
		w.raw(separator)
		separator = `,`
		w.raw(`{"id":`)
		w.literal(w.callID(c.ID))
		if c.Kind == ir.CustomCallContent && w.t.OpenAI {
			w.raw(`,"type":"custom","custom":{"name":`)
			w.literal(openai.ToolName(c.Name))
			w.raw(`,"input":`)
			w.literal(c.Text)
		} else {
			w.raw(`,"type":"function","function":{"name":`)
			w.literal(openai.ToolName(c.Name))
			w.raw(`,"arguments":"`)
			w.arguments(c)
			w.raw(`"`)
		}
		w.raw(`}`)
		if w.t.ReasoningEcho == ir.EchoExtra {
			signed := extra != nil && w.blob(`,"extra_content":`, extra)
			if !signed && unsigned {
				w.raw(`,"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}`)
			}
			extra, unsigned = nil, false
		}
		w.raw(`}`)
	}
	w.raw(`]`)
}

// arguments writes the inside of the string that holds a call's arguments.
func (w *requestWriter) arguments(c *ir.Content) {
	if c.Kind == ir.ToolCallContent {
		w.dst = jsonw.AppendQuotedRaw(w.dst, c.Input)
		return
	}
	w.raw(`{\"input\":\"`)
	w.dst = jsonw.AppendQuotedRaw(w.dst, jsonw.Raw(c.Text))
	w.raw(`\"}`)
}

// checkContent refuses or reports what a message can't carry. Tool calls and results are written elsewhere.
func (w *requestWriter) checkContent(list []ir.Content, role ir.Role) *ir.Error {
	for i := range list {
		c := &list[i]
		form := w.form(c, role)
		var err *ir.Error
		switch {
		case c.Kind == ir.DocumentContent && form == textual:
			if c.Source.Data != "" || c.Source.URL != "" {
				err = w.refuseOrLose(w.r.Path(c.At), "a document that is not plain text")
			} else if holdsOpaque(c.Parts) {
				err = w.refuseOrLose(w.r.Path(c.At), "what is no text in a document")
			}
		case form == textual, form == attachment:
		case form == calling && role == ir.Assistant, c.Kind == ir.ToolResultContent && role == ir.User:
		case c.Kind == ir.ReasoningContent, c.Kind == ir.RedactedContent:
			if role != ir.Assistant || !w.echoes(c) {
				w.loseReasoning(list[i : i+1])
			}
		case isImage(c):
			err = w.refuseOrLose(w.r.Path(c.At), "an image outside a user message")
		default:
			err = w.refuseOrLose(w.r.Path(c.At), "a block of this type here")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// text writes all text of a list as the inside of one literal, an empty line between two blocks: more servers take a string
// than an array of parts. It reports whether there was any.
func (w *requestWriter) text(list []ir.Content, role ir.Role) (begun bool) {
	for i := range list {
		if c := &list[i]; w.form(c, role) == textual {
			if begun {
				w.raw(`\n\n`)
			}
			begun = true
			w.textOf(c)
		}
	}
	return begun
}

// textOf writes the text of one block without quotes. A document that is no text leaves a note.
func (w *requestWriter) textOf(c *ir.Content) {
	if c.Kind != ir.DocumentContent {
		w.raw(string(c.Text))
		return
	}
	s := &c.Source
	switch {
	case s.Data != "" || s.URL != "":
		w.raw(`[A document was left out: this model can't read it.`)
		if s.Title != "" {
			w.raw(` Its title: `)
			w.raw(string(s.Title))
		}
		w.raw(`]`)
	default:
		for _, lead := range [...]ir.Escaped{s.Title, s.Context} {
			if lead != "" {
				w.raw(string(lead))
				w.raw(`\n\n`)
			}
		}
		w.raw(string(s.Text))
		w.text(c.Parts, ir.User)
	}
}

// form is what a content block becomes.
type form uint8

const (
	textual    form = iota + 1
	attachment      // a part of a content array, beside text
	calling
)

// form returns what a block becomes in a message of a role: 0 for what is written elsewhere, or can't be.
func (w *requestWriter) form(c *ir.Content, role ir.Role) form {
	switch c.Kind {
	case ir.TextContent, ir.RefusalContent:
		return textual
	case ir.ImageContent:
		if role == ir.User {
			return attachment
		}
	case ir.DocumentContent:
		if role == ir.User && w.t.Files && c.Source.Data != "" && c.Source.MediaType == "application/pdf" {
			return attachment
		}
		return textual
	case ir.ToolCallContent, ir.CustomCallContent:
		return calling
	case ir.OpaqueContent:
		if c.Text != "" {
			return textual
		}
	}
	return 0
}

func (w *requestWriter) holds(list []ir.Content, role ir.Role, f form) bool {
	for i := range list {
		if w.form(&list[i], role) == f {
			return true
		}
	}
	return false
}

func isImage(c *ir.Content) bool { return c.Kind == ir.ImageContent }

func isCall(c *ir.Content) bool {
	return c.Kind == ir.ToolCallContent || c.Kind == ir.CustomCallContent
}

func holdsOpaque(list []ir.Content) bool {
	for i := range list {
		if list[i].Kind == ir.OpaqueContent {
			return true
		}
	}
	return false
}
