package google

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Vendor is the vendor of the Files API: a request names a stored file by its URI
// (ai.google.dev/gemini-api/docs/files).
const Vendor = "google"

// Form is the form of a block in the body: 0 for nothing.
type Form uint8

const (
	Textual  Form = iota + 1 // texts: see Texts
	Attached                 // an image, a file or audio, after its texts: see MediaOf and Texts
	Shown                    // Attached, in the user's turn after a result that can't hold it: see ShowLater
)

// form returns the form of a block in a speaker's turn. A block without a form there is lost or
// refused. Calls, results and the model's reasoning are written elsewhere.
func (w *Writer) form(s Speaker, c *ir.Content) (Form, *ir.Error) {
	if c.Kind == ir.DocumentContent {
		c.Source.ReadText()
	}
	what, kind := "", c.Kind
	if kind == ir.OpaqueContent && (c.Source.URL != "" || c.Source.Data != "") { // a video
		kind = ir.DocumentContent
	}
	switch kind {
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
		what = "this type of content block here"
	case ir.ImageContent, ir.DocumentContent, ir.AudioContent:
		if c.Source.File != nil && !c.Source.IsFileOf(Vendor) {
			return 0, w.RefuseFile(c)
		}
		if c.Kind == ir.DocumentContent && c.Source.HasOnlyText() {
			if holdsOpaque(c.Parts) {
				return Textual, w.RefuseOrLose(c.At.String(), "non-text content in a document")
			}
			return Textual, nil
		}
		m := MediaOf(c)
		switch {
		case s != User:
			what = "images or documents outside user messages"
		case m.URL != "" && !w.Target.FileURLs && c.Source.File == nil:
			what = "images or documents by URL"
		case !m.isKnown(w.Target):
			what = "files of this type"
		default:
			return Attached, nil
		}
	default:
		what = "this type of content block here"
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

// ResultForm returns the form of a part of a tool's result. A file is Attached if a result of this
// model can hold it, otherwise Shown.
func (w *Writer) ResultForm(c *ir.Content) (Form, *ir.Error) {
	f, err := w.form(User, c)
	if f == Attached {
		if m := MediaOf(c); w.Target.ResultImages != ir.NativeImages || !m.fitsResult() {
			f = Shown
		}
	}
	return f, err
}

// Texts returns the texts of a block that are not blank. A document has a title, a context and its
// own text. The slice is valid until the next call; its elements are views of the request.
func (w *Writer) Texts(c *ir.Content) []ir.Escaped {
	w.texts = w.texts[:0]
	if c.Kind != ir.DocumentContent && c.Kind != ir.ImageContent {
		w.addText(c.Text)
		return w.texts
	}
	w.addText(c.Source.Title)
	w.addText(c.Source.Context)
	w.addText(c.Source.Text)
	for i := range c.Parts {
		w.addText(c.Parts[i].Text)
	}
	return w.texts
}

func (w *Writer) addText(text ir.Escaped) {
	if !jsonr.IsBlank(text) {
		w.texts = append(w.texts, text)
	}
}
