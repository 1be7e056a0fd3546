package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// media writes an image or a document, by its source (Messages API, "Vision" and "PDF support"). Of documents in base64 the API
// takes PDFs only, of images the four types of the web.
func (w *requestWriter) media(c *ir.Content) *ir.Error {
	s := &c.Source
	kind := s.MediaType
	switch {
	case s.Data == "":
	case c.Kind == ir.ImageContent:
		switch kind {
		case "image/jpg":
			kind = "image/jpeg"
		case "image/jpeg", "image/png", "image/gif", "image/webp":
		default:
			return w.refuseOrLose(w.r.Path(c.At), "an image of this type")
		}
	case kind != "application/pdf":
		return w.refuseOrLose(w.r.Path(c.At), "a document that is neither a PDF nor plain text")
	}
	if s.Data == "" && s.URL == "" && jsonr.IsBlank(s.Text) && len(c.Parts) == 0 {
		return nil // an empty document, which the API refuses
	}
	if s.Detail != "" && s.Detail != "auto" {
		w.lost.Add(w.r.Path(c.At) + ".detail")
	}
	w.open(ir.User)
	if c.Kind == ir.ImageContent {
		w.raw(`{"type":"image","source":{"type":`)
	} else {
		w.raw(`{"type":"document","source":{"type":`)
	}
	switch {
	case s.URL != "":
		w.raw(`"url","url":`)
		w.literal(s.URL)
	case s.Data != "":
		w.raw(`"base64","media_type":`)
		w.literal(kind)
		w.raw(`,"data":`)
		w.literal(s.Data)
	case len(c.Parts) == 0:
		w.raw(`"text","media_type":"text/plain","data":`)
		w.literal(s.Text)
	default:
		w.raw(`"content","content":[`)
		if err := w.documentParts(c); err != nil {
			return err
		}
		w.raw(`]`)
	}
	w.raw(`}`)
	w.member(`,"title":`, s.Title)
	w.member(`,"context":`, s.Context)
	w.breakpoint(c.Cache)
	w.raw(`}`)
	return nil
}

// documentParts writes the content of a document that comes in parts.
func (w *requestWriter) documentParts(c *ir.Content) *ir.Error {
	separator := ""
	for i := range c.Parts {
		p := &c.Parts[i]
		if p.Kind != ir.TextContent {
			if err := w.refuseOrLose(w.r.Path(c.At), "what is no text in a document"); err != nil {
				return err
			}
			continue
		}
		w.raw(separator)
		separator = `,`
		w.raw(`{"type":"text","text":`)
		w.literal(p.Text)
		w.raw(`}`)
	}
	return nil
}

// member writes a member whose value is text, unless it is empty.
func (w *requestWriter) member(key string, e ir.Escaped) {
	if e != "" {
		w.raw(key)
		w.literal(e)
	}
}
