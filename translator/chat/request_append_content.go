package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// checkContent rejects blocks that a message of a role can't carry, or notes them as lost. Tool
// calls and results pass: other functions write them.
func (w *requestWriter) checkContent(list []ir.Content, role ir.Role) *ir.Error {
	for i := range list {
		c := &list[i]
		if c.Kind == ir.DocumentContent {
			c.Source.ReadText()
		}
		form := w.form(c, role)
		var err *ir.Error
		switch {
		case c.Source.File != nil && form != attachment:
			return w.RefuseFile(c)
		case c.Kind == ir.DocumentContent && form == textual:
			if !c.Source.HasOnlyText() {
				err = w.RefuseOrLose(c.At.String(), "documents other than plain text")
			} else if holdsOpaque(c.Parts) {
				err = w.RefuseOrLose(c.At.String(), "non-text content in a document")
			}
		case form == textual:
			w.LoseCitations(c)
		case form == attachment:
		case form == calling && role == ir.Assistant, c.Kind == ir.ToolResultContent && role == ir.User:
		case c.Kind == ir.ReasoningContent, c.Kind == ir.RedactedContent:
			if role != ir.Assistant || !w.echoes(c) {
				w.loseReasoning(list[i : i+1])
			}
		case isImage(c) && role == ir.User:
			err = w.RefuseOrLose(c.At.String(), "images other than JPEG, PNG, GIF and WebP")
		case isImage(c):
			err = w.RefuseOrLose(c.At.String(), "images outside user messages")
		default:
			err = w.RefuseOrLose(c.At.String(), "this type of content block here")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// text writes all text of a list as the inside of one literal, and reports whether there was any.
// An empty line separates two blocks, unless the second continues the first. Every server accepts a
// string: ninfer rejected an array of parts in tool messages (Neroued/ninfer#56), and llama.cpp
// continues the last assistant message only if its content is a string (ggml-org/llama.cpp#14353).
func (w *requestWriter) text(list []ir.Content, role ir.Role) (begun bool) {
	for i := range list {
		if c := &list[i]; w.form(c, role) == textual {
			if begun && !c.Continues {
				w.Raw(`\n\n`)
			}
			begun = true
			w.TextOf(c)
		}
	}
	return begun
}

// form is the form of a content block in a message. 0 is none: another function writes the block,
// or it can't be written.
type form uint8

const (
	textual    form = iota + 1 // text, in a string or a part
	attachment                 // an image or a file: a part of a content array
	calling                    // an element of tool_calls
)

// form returns a block's form in a message of a role.
//
//go:noinline
func (w *requestWriter) form(c *ir.Content, role ir.Role) form {
	switch c.Kind {
	case ir.TextContent, ir.RefusalContent:
		return textual
	case ir.ImageContent: // the API has no images by their id
		if role == ir.User && c.Source.File == nil && w.AcceptsImage(&c.Source) {
			return attachment
		}
	case ir.AudioContent:
		if role == ir.User {
			return attachment
		}
	case ir.DocumentContent:
		// "file" accepts only PDFs (developers.openai.com/api/docs/guides/file-inputs)
		s := &c.Source
		pdf := w.Target.Files && s.Data != "" && s.ImageKind() == ir.PDF || w.Target.FileURLs && s.URL != ""
		if role == ir.User && (pdf || w.Target.OpenAI && s.IsFileOf(openai.Vendor)) {
			return attachment
		}
		return textual
	case ir.ToolCallContent, ir.CustomCallContent:
		return calling
	case ir.OpaqueContent:
		switch {
		case c.Text != "":
			return textual
		case role == ir.User && w.Request.API.Name == Name: // a vendor's own part, such as video_url
			return attachment
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

func holdsOpaque(list []ir.Content) bool {
	for i := range list {
		if list[i].Kind == ir.OpaqueContent {
			return true
		}
	}
	return false
}

// parts writes the elements of a content array. lead precedes the first text, or is a text of its
// own if the list has no text; separator precedes the first element.
func (w *requestWriter) parts(list []ir.Content, role ir.Role, lead, separator string) {
	if lead != "" && !w.holds(list, role, textual) {
		w.Raw(`{"type":"text","text":"`)
		w.Raw(lead)
		w.Raw(`"}`)
		separator = `,`
	}
	for i := range list {
		c := &list[i]
		switch w.form(c, role) {
		case textual:
			w.Raw(separator)
			w.Raw(`{"type":"text","text":"`)
			w.Raw(lead)
			w.TextOf(c)
			w.Raw(`"`)
			w.breakpoint(c.Cache)
			w.Raw(`}`)
			lead = ``
		case attachment:
			w.Raw(separator)
			w.attach(c)
		default:
			continue
		}
		separator = `,`
	}
}

// attach writes an image, a file or audio as a part. A text part before a file has the client's
// notes for the model.
func (w *requestWriter) attach(c *ir.Content) {
	s := &c.Source
	if c.Kind == ir.OpaqueContent {
		w.Raw(string(c.Raw))
		return
	}
	if c.Kind == ir.AudioContent {
		w.Raw(`{"type":"input_audio","input_audio":`)
		w.Raw(string(c.Raw))
		w.Raw(`}`)
		return
	}
	if !isImage(c) {
		c.LoseDetail(w.Lost) // "file" has no detail
		if s.Context != "" {
			w.Raw(`{"type":"text","text":`)
			w.Literal(s.Context)
			w.Raw(`},`)
		}
		if s.File != nil {
			w.Raw(`{"type":"file","file":{"file_id":`)
			w.Literal(s.File.ID)
			w.Raw(`}}`)
			return
		}
		name := s.Title
		if name == "" {
			name = "document.pdf"
		}
		w.Raw(`{"type":"file","file":{"filename":`)
		w.Literal(name)
		w.Raw(`,"file_data":"`)
		w.URL(s)
		w.Raw(`"}`)
		w.breakpoint(c.Cache)
		w.Raw(`}`)
		return
	}
	w.Raw(`{"type":"image_url","image_url":{"url":"`)
	w.URL(s)
	w.Raw(`"`)
	if s.Detail == "low" || s.Detail == "high" {
		w.Raw(`,"detail":`)
		w.Literal(s.Detail)
	} else {
		c.LoseDetail(w.Lost)
	}
	w.Raw(`}`)
	w.breakpoint(c.Cache)
	w.Raw(`}`)
}
