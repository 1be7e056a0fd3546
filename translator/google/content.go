package google

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Vendor is who stores the files that a URI of the Files API names (ai.google.dev/gemini-api/docs/files).
const Vendor = "google"

// Form is what a content block becomes. 0 is none: the block is written elsewhere, holds nothing, or is lost.
type Form uint8

const (
	Textual  Form = iota + 1 // texts: TextsOf
	Attached                 // an image, a file or audio: MediaOf, behind texts
)

// FormOf returns what a block becomes in a turn of the user's or of the model's. It refuses or notes as lost what the turn can't carry. Calls, their results and reasoning of the
// model's are written elsewhere.
func FormOf(w *ir.Writer, user bool, c *ir.Content) (Form, *ir.Error) {
	if c.Kind == ir.DocumentContent {
		c.Source.ReadText()
	}
	what := ""
	switch c.Kind {
	case ir.TextContent, ir.RefusalContent:
		w.LoseCitations(c)
		if jsonr.IsBlank(c.Text) { // "Unable to submit request because it has an empty text parameter."
			return 0, nil
		}
		return Textual, nil
	case ir.ToolResultContent:
		return 0, nil
	case ir.ReasoningContent, ir.RedactedContent:
		w.LoseReasoning(c)
		return 0, nil
	case ir.OpaqueContent:
		if c.Text != "" {
			return Textual, nil
		}
		what = "a block of this type here"
	case ir.ImageContent, ir.DocumentContent, ir.AudioContent:
		if c.Source.File != nil && !c.Source.IsFileOf(Vendor) {
			return 0, w.RefuseFile(c)
		}
		if c.Kind == ir.DocumentContent && c.Source.IsPlain() {
			if holdsOpaque(c.Parts) {
				return Textual, w.RefuseOrLose(c.At.String(), "what is no text in a document")
			}
			return Textual, nil
		}
		m := MediaOf(c)
		switch {
		case !user:
			what = "an image or a document outside a user message"
		case m.URL != "" && !w.Target.FileURLs && c.Source.File == nil:
			what = "an image or a document by its URL"
		case !m.isKnown(w.Target):
			what = "a file of this type"
		default:
			return Attached, nil
		}
	default:
		what = "a block of this type here"
	}
	return 0, w.RefuseOrLose(c.At.String(), what)
}

func holdsOpaque(list []ir.Content) bool {
	for i := range list {
		if list[i].Kind == ir.OpaqueContent {
			return true
		}
	}
	return false
}

// TextsOf returns the texts of a block: of a document its title, what the client tells the model about it, and its own text.
func TextsOf(c *ir.Content) []ir.Escaped {
	if c.Kind != ir.DocumentContent && c.Kind != ir.ImageContent {
		return []ir.Escaped{c.Text}
	}
	list := []ir.Escaped{c.Source.Title, c.Source.Context, c.Source.Text}
	for i := range c.Parts {
		list = append(list, c.Parts[i].Text)
	}
	return list
}
