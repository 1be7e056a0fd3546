package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// checkContent rejects, or records as losses, blocks not allowed in a message of the role or in a
// result. Calls, results and reasoning pass: the code that writes them handles them.
func (w *requestWriter) checkContent(list []ir.Content, role ir.Role) *ir.Error {
	for i := range list {
		c := &list[i]
		var err *ir.Error
		switch {
		case c.Source.File != nil && !(w.Target.OpenAI && c.Source.IsFileOf(openai.Vendor)):
			return w.RefuseFile(c)
		case c.Kind == ir.AudioContent && (w.Target.OpenAI || w.Target.NoAudio) && !w.own():
			// OpenAI's models accept text, images and files here (openai-openapi, InputContent)
			err = w.RefuseOrLose(c.At.String(), "audio")
			c.Kind = ir.OpaqueContent // an opaque block without a form here is not written
		case c.Kind == ir.ImageContent && role == ir.User && !w.AcceptsImage(&c.Source):
			err = w.RefuseOrLose(c.At.String(), "images other than JPEG, PNG, GIF and WebP")
			c.Kind = ir.OpaqueContent
		case c.Source.IsClip():
			err = w.RefuseOrLose(c.At.String(), "videos and audio")
			c.Kind = ir.OpaqueContent
		case c.Source.Data != "" && !strings.Contains(string(c.Source.ImageKind()), "/"):
			err = w.RefuseOrLose(c.At.String(), "media without a type, or not in base64")
			c.Kind = ir.OpaqueContent
		case isText(c), isMedia(c) && role == ir.User:
			if c.Kind == ir.DocumentContent && holds(c.Parts, isOpaque) {
				err = w.RefuseOrLose(c.At.String(), "non-text content in a document")
			}
		case c.Kind.IsCall() && role == ir.Assistant, c.Kind == ir.ToolResultContent && role == ir.User:
		case c.Kind.IsReasoning() && role == ir.Assistant:
		case w.isProgram(c) && role == ir.Assistant: // program refuses or loses what it can't write
		case w.isItem(c), w.isOwnPart(c) && role != ir.Assistant, w.carries(c) && role == ir.Assistant:
		case isMedia(c):
			err = w.RefuseOrLose(c.At.String(), "images or files outside user messages")
		default:
			err = w.RefuseOrLose(c.At.String(), "this type of content block here")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// joined writes all text of a list as the inside of one literal. An empty line separates two
// blocks, unless the second continues the first.
func (w *requestWriter) joined(list []ir.Content) {
	begun := false
	for i := range list {
		if c := &list[i]; isText(c) {
			if begun && !c.Continues {
				w.Raw(`\n\n`)
			}
			begun = true
			w.TextOf(c)
		}
	}
}

// parts writes the elements of a content array. failed marks the result of a failed call, which
// gets "Error:" as its first part.
func (w *requestWriter) parts(list []ir.Content, role ir.Role, failed bool) {
	begun := false
	if failed {
		w.Raw(`{"type":"input_text","text":"Error:"}`)
		begun = true
	}
	for i := range list {
		c := &list[i]
		text, media := isText(c), isMedia(c) && role == ir.User
		if !text && !media && !w.isOwnPart(c) {
			continue
		}
		if begun {
			w.Raw(`,`)
		}
		begun = true
		switch {
		case text:
			w.Raw(`{"type":"input_text","text":"`)
			w.TextOf(c)
			w.Raw(`"}`)
		case c.Kind == ir.ImageContent:
			w.image(&c.Source)
		case c.Kind == ir.AudioContent:
			w.Raw(`{"type":"input_audio","input_audio":`)
			w.Raw(string(c.Raw))
			w.Raw(`}`)
		case media:
			w.file(c)
		default:
			w.Raw(string(c.Raw))
		}
	}
}

// image writes an input_image. The API requires detail.
func (w *requestWriter) image(s *ir.Source) {
	if s.File != nil {
		w.Raw(`{"type":"input_image"`)
		w.Member(`,"file_id":`, s.File.ID)
	} else {
		w.Raw(`{"type":"input_image","image_url":"`)
		w.URL(s)
		w.Raw(`"`)
	}
	w.Raw(`,"detail":`)
	if s.Detail != "" {
		w.Literal(s.Detail)
	} else {
		w.Raw(`"auto"`)
	}
	w.Raw(`}`)
}

// file writes an input_file. With file_data the API requires a filename, whose extension gives the
// type of the file. With file_url there is no filename, so a name set by the client is lost.
func (w *requestWriter) file(c *ir.Content) {
	s := &c.Source
	if s.Context != "" {
		w.Raw(`{"type":"input_text","text":`)
		w.Literal(s.Context)
		w.Raw(`},`)
	}
	w.Raw(`{"type":"input_file"`)
	w.Member(`,"detail":`, s.Detail)
	if s.File != nil {
		w.Member(`,"file_id":`, s.File.ID)
		w.Raw(`}`)
		return
	}
	if s.URL != "" {
		if s.Title != "" && w.own() {
			w.Lost.Add(c.At.Path(".filename"))
		} else if s.Title != "" {
			w.Lost.Add(c.At.Path(".title"))
		}
		w.Raw(`,"file_url":"`)
	} else {
		w.Raw(`,"filename":"`)
		name := s.Title
		if name == "" {
			name = "document"
		}
		w.Raw(string(name))
		if s.MediaType == ir.PDF && !strings.HasSuffix(strings.ToLower(string(name)), ".pdf") {
			w.Raw(`.pdf`)
		}
		w.Raw(`","file_data":"`)
	}
	w.URL(s)
	w.Raw(`"}`)
}

// carries reports whether an opaque block of a different API belongs to a complete call, with its
// result, of a tool that this upstream could also run.
func (w *requestWriter) carries(c *ir.Content) bool {
	return isOpaque(c) && !w.own() && c.Hosted != nil && c.Hosted.Done && w.Offered(c.Hosted, w.accepts)
}

// isItem reports whether c is an item unknown to the hub, from a client of this API.
func (w *requestWriter) isItem(c *ir.Content) bool {
	return isOpaque(c) && c.Raw != "" && w.own() && c.At.Form == "input[]"
}

// isOwnPart reports whether c is a part of a content or an output, unknown to the hub, from a
// client of this API. An image that checkContent has lost has no text.
func (w *requestWriter) isOwnPart(c *ir.Content) bool {
	return isOpaque(c) && c.Raw != "" && w.own() && !w.isItem(c)
}

// holdsOwnPart reports whether isOwnPart is true for any block of a list.
func (w *requestWriter) holdsOwnPart(list []ir.Content) bool {
	for i := range list {
		if w.isOwnPart(&list[i]) {
			return true
		}
	}
	return false
}

func isOpaque(c *ir.Content) bool { return c.Kind == ir.OpaqueContent }

func isRefusal(c *ir.Content) bool { return c.Kind == ir.RefusalContent }

// isCited reports whether a text has citations, in this API's form.
func isCited(c *ir.Content) bool { return c.Kind == ir.TextContent && c.Raw != "" }

// isText reports whether a block is written as text.
func isText(c *ir.Content) bool {
	return c.Kind == ir.TextContent || c.Kind == ir.RefusalContent || c.Kind == ir.DocumentContent &&
		!isMedia(c) || isOpaque(c) && c.Text != ""
}

// isMedia reports whether a block is an image, a file or audio.
func isMedia(c *ir.Content) bool {
	return c.Kind == ir.ImageContent || c.Kind == ir.AudioContent || c.Kind == ir.DocumentContent &&
		!c.Source.HasOnlyText()
}

// isPart reports whether a block is written as a part of a user message.
func isPart(c *ir.Content) bool { return isText(c) || isMedia(c) }

// isAnswer reports whether a block becomes an item that may follow reasoning: a text or a call.
func isAnswer(c *ir.Content) bool { return isText(c) || c.Kind.IsCall() }

func holds(list []ir.Content, is func(*ir.Content) bool) bool {
	for i := range list {
		if is(&list[i]) {
			return true
		}
	}
	return false
}
