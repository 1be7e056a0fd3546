package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// messages writes the history. Chat Completions wants the results of a turn's calls as messages of their own right behind
// it, so they are taken from wherever the client put them.
func (w *requestWriter) messages() *ir.Error {
	list := w.r.Messages
	for i := 0; i < len(list); {
		var err *ir.Error
		if list[i].Role == ir.Assistant {
			n := i + 1
			for n < len(list) && list[n].Role == ir.Assistant {
				n++
			}
			err = w.assistant(list[i:n])
			i = n
		} else {
			err = w.message(&list[i])
			i++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// open begins a message.
func (w *requestWriter) open(role string) {
	if w.begun {
		w.raw(`,`)
	}
	w.begun = true
	w.raw(`{"role":"`)
	w.raw(role)
	w.raw(`"`)
}

// message writes a user or system message; what holds nothing but tool results becomes none.
func (w *requestWriter) message(m *ir.Message) *ir.Error {
	if err := w.checkContent(m.Content, m.Role); err != nil {
		return err
	}
	role, images := "system", false
	if m.Role == ir.User {
		role, images = "user", holds(m.Content, isImage)
	}
	if !images && !holds(m.Content, isText) {
		return nil
	}
	w.open(role)
	w.raw(`,"content":`)
	if images {
		w.raw(`[`)
		w.parts(m.Content)
		w.raw(`]`)
	} else {
		w.raw(`"`)
		w.text(m.Content)
		w.raw(`"`)
	}
	w.raw(`}`)
	return nil
}

// assistant writes one message for a run of assistant messages, and the results of its calls behind it.
func (w *requestWriter) assistant(run []ir.Message) *ir.Error {
	var content []ir.Content
	if len(run) > 1 {
		n := 0
		for i := range run {
			n += len(run[i].Content)
		}
		content = make([]ir.Content, 0, n)
	}
	for i := range run {
		if err := w.checkContent(run[i].Content, ir.Assistant); err != nil {
			return err
		}
		if len(run) == 1 {
			content = run[i].Content
		} else {
			content = append(content, run[i].Content...)
		}
	}
	text, calls := holds(content, isText), holds(content, isCall)
	if !text && !calls {
		return nil
	}
	w.open("assistant")
	w.raw(`,"content":`)
	if text {
		w.raw(`"`)
		w.text(content)
		w.raw(`"`)
	} else {
		w.raw(`null`)
	}
	if calls {
		w.calls(content)
	}
	w.raw(`}`)
	return w.toolMessages(content)
}

// calls writes tool_calls.
func (w *requestWriter) calls(content []ir.Content) {
	separator := `,"tool_calls":[`
	for i := range content {
		c := &content[i]
		if !isCall(c) {
			continue
		}
		w.raw(separator)
		separator = `,`
		w.raw(`{"id":`)
		w.literal(callID(c.ID))
		w.raw(`,"type":"function","function":{"name":`)
		w.literal(functionName(c.Name))
		w.raw(`,"arguments":"`)
		w.dst = jsonw.AppendQuotedRaw(w.dst, c.Input)
		w.raw(`"}}`)
	}
	w.raw(`]`)
}

// toolMessages writes the results of the calls in content, in the order of the calls, and behind them one user message with
// the images that they hold: tool messages take text only.
func (w *requestWriter) toolMessages(content []ir.Content) *ir.Error {
	results := w.results
	images := false
	for i := range content {
		if c := &content[i]; isCall(c) {
			result := w.results[0]
			w.results = w.results[1:]
			if err := w.toolMessage(c, result); err != nil {
				return err
			}
			images = images || result != nil && holds(result.Parts, isImage)
		}
	}
	if !images {
		return nil
	}
	w.open("user")
	separator := `,"content":[`
	for _, result := range results[:len(results)-len(w.results)] {
		if result == nil || !holds(result.Parts, isImage) {
			continue
		}
		w.raw(separator)
		separator = `,`
		w.raw(`{"type":"text","text":"Returned by the tool call `)
		w.raw(string(callID(result.ID)))
		w.raw(`:"}`)
		for i := range result.Parts {
			if isImage(&result.Parts[i]) {
				w.raw(`,`)
				w.image(&result.Parts[i].Source)
			}
		}
	}
	w.raw(`]}`)
	return nil
}

// toolMessage writes one result. A call without one, which the API refuses, gets a note in its place.
func (w *requestWriter) toolMessage(call, result *ir.Content) *ir.Error {
	w.open("tool")
	w.raw(`,"tool_call_id":`)
	w.literal(callID(call.ID))
	w.raw(`,"content":"`)
	switch {
	case result == nil:
		w.raw(`(no result)`)
		w.lost.Add(w.r.Path(call.At))
	default:
		if err := w.checkContent(result.Parts, ir.User); err != nil {
			return err
		}
		if result.IsError {
			w.raw(`Error: `)
		}
		if holds(result.Parts, isText) {
			w.text(result.Parts)
		} else if holds(result.Parts, isImage) {
			w.raw(`(see the image in the next message)`)
		}
	}
	w.raw(`"}`)
	return nil
}

// checkContent refuses or reports what a message can't carry. Tool calls and results are written elsewhere.
func (w *requestWriter) checkContent(list []ir.Content, role ir.Role) *ir.Error {
	for i := range list {
		c := &list[i]
		var err *ir.Error
		switch {
		case isText(c) && c.Kind != ir.DocumentContent:
		case isCall(c) && role == ir.Assistant, c.Kind == ir.ToolResultContent && role == ir.User:
		case isImage(c) && role == ir.User:
		case c.Kind == ir.ReasoningContent, c.Kind == ir.RedactedContent:
			if !w.reasons { // the upstream reasons anew; a long history would fill the list
				w.reasons = true
				w.lost.Add(w.r.Path(c.At))
			}
		case c.Kind == ir.DocumentContent && c.Source.Data == "" && c.Source.URL == "":
			if holds(c.Parts, isOpaque) {
				err = w.refuseOrLose(w.r.Path(c.At), "what is no text in a document")
			}
		case c.Kind == ir.DocumentContent:
			err = w.refuseOrLose(w.r.Path(c.At), "a document that is not plain text")
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
// than an array of parts.
func (w *requestWriter) text(list []ir.Content) {
	begun := false
	for i := range list {
		if c := &list[i]; isText(c) {
			if begun {
				w.raw(`\n\n`)
			}
			begun = true
			w.textOf(c)
		}
	}
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
		w.text(c.Parts)
	}
}

// parts writes the elements of a content array, of text and images.
func (w *requestWriter) parts(list []ir.Content) {
	begun := false
	for i := range list {
		c := &list[i]
		if !isText(c) && !isImage(c) {
			continue
		}
		if begun {
			w.raw(`,`)
		}
		begun = true
		if isImage(c) {
			w.image(&c.Source)
			continue
		}
		w.raw(`{"type":"text","text":"`)
		w.textOf(c)
		w.raw(`"}`)
	}
}

func (w *requestWriter) image(s *ir.Source) {
	w.raw(`{"type":"image_url","image_url":{"url":"`)
	if s.URL != "" {
		w.raw(string(s.URL))
	} else {
		w.raw(`data:`)
		w.raw(string(s.MediaType))
		w.raw(`;base64,`)
		w.raw(string(s.Data))
	}
	w.raw(`"}}`)
}

func isImage(c *ir.Content) bool { return c.Kind == ir.ImageContent }

func isOpaque(c *ir.Content) bool { return c.Kind == ir.OpaqueContent }

func isCall(c *ir.Content) bool { return c.Kind == ir.ToolCallContent }

// isText reports whether a block has a form as text.
func isText(c *ir.Content) bool {
	return c.Kind == ir.TextContent || c.Kind == ir.RefusalContent || c.Kind == ir.DocumentContent
}

func holds(list []ir.Content, is func(*ir.Content) bool) bool {
	for i := range list {
		if is(&list[i]) {
			return true
		}
	}
	return false
}
