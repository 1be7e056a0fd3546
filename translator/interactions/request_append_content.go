package interactions

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// block writes one block into the content of a step.
func (w *requestWriter) block(t turn, c *ir.Content) *ir.Error {
	f, err := google.FormOf(&w.Writer, t == userTurn, c)
	switch {
	case err != nil:
		return err
	case f == google.Attached:
		w.attach(t, c)
	case f == google.Textual:
		w.texts(t, c)
	}
	return nil
}

// texts writes the texts of a block.
func (w *requestWriter) texts(t turn, c *ir.Content) {
	for _, text := range google.TextsOf(c) {
		if !jsonr.IsBlank(text) {
			w.words(t, text)
		}
	}
}

// attach writes an image, a file or audio, behind what the client tells the model about it.
func (w *requestWriter) attach(t turn, c *ir.Content) {
	w.texts(t, c)
	w.part(t)
	w.media(c)
}

// media writes an image, a file or audio, with its data or its URL (ImageContent, AudioContent, VideoContent and DocumentContent of @google/genai).
func (w *requestWriter) media(c *ir.Content) {
	m := google.MediaOf(c)
	kind := "document"
	for _, k := range [...]string{"image", "audio", "video"} {
		if strings.HasPrefix(string(m.Kind), k+"/") || m.Kind == "" && k == "image" && c.Kind == ir.ImageContent {
			kind = k
		}
	}
	w.Raw(`{"type":"` + kind + `"`)
	w.Member(`,"mime_type":`, m.Kind)
	if m.URL != "" {
		w.Member(`,"uri":`, m.URL)
	} else {
		w.Raw(`,"data":`)
		w.Literal(m.Data)
	}
	switch d := c.Source.Detail; {
	case d == "", d == "auto":
	case kind == "image" && (d == "low" || d == "high"):
		w.Member(`,"resolution":`, d)
	default:
		w.Lost.Add(c.At.Path(".detail"))
	}
	w.Raw(`}`)
}
