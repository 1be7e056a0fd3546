package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// holds reports whether a user message has more than tool results and blank text.
func (w *requestWriter) holds(list []ir.Content) bool {
	for i := range list {
		if c := &list[i]; c.Kind != ir.ToolResultContent && (c.Kind != ir.TextContent ||
			!jsonr.IsBlank(c.Text)) {
			return true
		}
	}
	return false
}

// says reports whether a block of the assistant is written and is not reasoning.
func (w *requestWriter) says(c *ir.Content) bool {
	switch c.Kind {
	case ir.TextContent, ir.RefusalContent:
		return !jsonr.IsBlank(c.Text)
	case ir.ToolCallContent, ir.CustomCallContent:
		return true
	case ir.OpaqueContent:
		if isProgramBlock(c) {
			return w.HasProgram(c.Hosted) || w.sendsProgram(c.Hosted)
		}
		return w.own || w.carries(c)
	}
	return false
}

// knows reports whether the upstream gets a tool with a name.
func (w *requestWriter) knows(name ir.Escaped) bool {
	t := w.ToolByName(name)
	return t != nil && w.accepts(t) && w.Request.Allows(name)
}

// carries reports whether an opaque block of another API has a call and its result, of a tool that
// the upstream could have run.
func (w *requestWriter) carries(c *ir.Content) bool {
	return c.Returned && w.Offered(c.Hosted, w.accepts)
}

// block writes one block of a message of a role, or one part of the open tool result. Tool results
// are omitted: assistant writes results after their calls.
func (w *requestWriter) block(role ir.Role, c *ir.Content) *ir.Error {
	switch c.Kind {
	case ir.TextContent, ir.RefusalContent:
		if !jsonr.IsBlank(c.Text) {
			w.LoseCitations(c)
			w.open(role)
			w.textBlock(c)
		}
		return nil
	case ir.ToolCallContent, ir.CustomCallContent:
		w.call(c)
		return nil
	case ir.ToolResultContent:
		return nil
	case ir.ReasoningContent, ir.RedactedContent:
		w.reasoning(role, c)
		return nil
	case ir.OpaqueContent:
		if isProgramBlock(c) {
			return w.program(role, c)
		}
		if w.own && !(c.Returned && c.Hosted.Named) {
			// a summary that the client requested must come first ("Compaction on demand")
			w.summed = w.summed || c.Summary && w.role == 0
			w.open(role)
			w.object(c.Raw, c.Cache)
			return nil
		}
		if w.own {
			w.open(role)
			w.Dst = appendHostedResult(w.Dst, c.Hosted, []byte(c.Hosted.ID), w.knows)
			return nil
		}
		if h := c.Hosted; h != nil && h.Done && w.Offered(h, w.accepts) {
			if c.Returned {
				w.again++
				id := hostedID(h, int64(w.again))
				w.open(role)
				w.Dst = appendHostedCall(w.Dst, h, id, searchTools, true, "")
				w.open(role)
				w.Dst = appendHostedResult(w.Dst, h, id, w.knows)
			}
			return nil
		}
	case ir.ImageContent, ir.DocumentContent:
		if role != ir.User {
			return w.RefuseOrLose(c.At.String(), "images or documents outside user messages")
		}
		return w.media(c)
	}
	return w.RefuseOrLose(c.At.String(), "this type of content block here")
}

func (w *requestWriter) textBlock(c *ir.Content) {
	w.Raw(`{"type":"text","text":"`)
	begin := len(w.Dst)
	w.Raw(string(c.Text))
	if !w.inside {
		w.text, w.textAt, w.textEnd = c.Text, begin, len(w.Dst)
	}
	w.Raw(`"`)
	w.breakpoint(c.Cache)
	w.Raw(`}`)
}

// trim removes the space at the end of the assistant's text that the model continues: the API
// rejects space there.
func (w *requestWriter) trim() {
	if !w.prefilled() {
		return
	}
	rest := string(w.Dst[w.textEnd:])
	w.Dst = w.Dst[:w.textAt]
	w.Raw(string(w.text[:visible(w.text)]))
	w.Dst = append(w.Dst, rest...)
}

// visible returns the length of an escaped text without the space at its end: blanks, tabs and line
// breaks.
func visible(e ir.Escaped) (end int) {
	for i := 0; i < len(e); i++ {
		switch e[i] {
		case ' ':
			continue
		case '\\':
			i++
			if i < len(e) && (e[i] == 'n' || e[i] == 't' || e[i] == 'r') {
				continue
			}
		}
		end = min(i+1, len(e))
	}
	return end
}

// media writes an image or a document with its source (Messages API, "Vision" and "PDF support").
// In base64 the API accepts only PDFs as documents, and images of four types: JPEG, PNG, GIF and
// WebP. The media type must be the type of the bytes ("messages.18.content.1.image.source.base64.data:
// Image does not match the provided media type image/png", anthropics/claude-code#13131). Anthropic's
// own service fetches from servers with TLS only ("Only HTTPS URLs are supported.",
// BrokkAi/brokk-app#2269).
//
//go:noinline
func (w *requestWriter) media(c *ir.Content) *ir.Error {
	s := &c.Source
	if c.Kind == ir.DocumentContent {
		s.ReadText()
	}
	kind := s.MediaType
	switch {
	case s.File != nil && !(w.Target.StoredFiles && s.IsFileOf(Name)):
		return w.RefuseFile(c)
	case s.IsClip():
		return w.RefuseOrLose(c.At.String(), "videos and audio")
	case w.Target.StoredFiles && s.URL != "" && !strings.HasPrefix(string(s.URL), "https:"):
		return w.RefuseOrLose(c.At.String(), "images and documents at URLs without TLS")
	case s.Data == "":
	case c.Kind == ir.ImageContent:
		if kind = s.ImageKind(); !ir.IsCommonImage(kind) {
			return w.RefuseOrLose(c.At.String(), "images other than JPEG, PNG, GIF and WebP")
		}
	case s.ImageKind() != ir.PDF: // not the media type, or not the bytes
		return w.RefuseOrLose(c.At.String(), "documents other than PDF and plain text")
	}
	if s.HasOnlyText() && jsonr.IsBlank(s.Text) && len(c.Parts) == 0 {
		return nil // the API rejects an empty document
	}
	c.LoseDetail(w.Lost)
	w.open(ir.User)
	if c.Kind == ir.ImageContent {
		w.Raw(`{"type":"image","source":{"type":`)
	} else {
		w.Raw(`{"type":"document","source":{"type":`)
	}
	switch {
	case s.File != nil:
		w.Raw(`"file","file_id":`)
		w.Literal(s.File.ID)
	case s.URL != "":
		w.Raw(`"url","url":`)
		w.Literal(s.URL)
	case s.Data != "":
		w.Raw(`"base64","media_type":`)
		w.Literal(kind)
		w.Raw(`,"data":`)
		w.Literal(s.Data)
	case len(c.Parts) == 0:
		w.Raw(`"text","media_type":"text/plain","data":`)
		w.Literal(s.Text)
	default:
		w.Raw(`"content","content":[`)
		if err := w.documentParts(c); err != nil {
			return err
		}
		w.Raw(`]`)
	}
	w.Raw(`}`)
	if c.Kind == ir.DocumentContent { // an image has neither
		w.Member(`,"title":`, s.Title)
		w.Member(`,"context":`, s.Context)
	}
	w.breakpoint(c.Cache)
	w.Raw(`}`)
	return nil
}

// documentParts writes the parts of a document's text. Parts other than text are refused or lost.
func (w *requestWriter) documentParts(c *ir.Content) *ir.Error {
	separator := ""
	for i := range c.Parts {
		p := &c.Parts[i]
		if p.Kind != ir.TextContent {
			if err := w.RefuseOrLose(c.At.String(), "non-text content in a document"); err != nil {
				return err
			}
			continue
		}
		w.Next(&separator)
		w.Raw(`{"type":"text","text":`)
		w.Literal(p.Text)
		w.Raw(`}`)
	}
	return nil
}
