package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// block writes one block as parts of a turn, and reports whether it has written text.
func (w *requestWriter) block(t turn, c *ir.Content) (said bool, err *ir.Error) {
	f, err := google.FormOf(&w.Writer, t == userTurn, c)
	switch {
	case err != nil:
		return false, err
	case f == google.Attached:
		w.attach(t, c)
	case f == google.Textual:
		return w.texts(t, c), nil
	}
	return false, nil
}

// texts writes the texts of a block as parts, and reports whether there are any.
func (w *requestWriter) texts(t turn, c *ir.Content) (said bool) {
	for _, text := range google.TextsOf(c) {
		if !jsonr.IsBlank(text) {
			w.open(t)
			w.text(text)
			said = true
		}
	}
	return said
}

// attach writes an image, a file or audio, behind what the client tells the model about it.
func (w *requestWriter) attach(t turn, c *ir.Content) {
	w.texts(t, c)
	w.loseDetail(c)
	w.open(t)
	m := google.MediaOf(c)
	w.media(&m)
}

// loseDetail notes that the upstream is not told how closely the model is to look at an image.
func (w *requestWriter) loseDetail(c *ir.Content) {
	if d := c.Source.Detail; d != "" && d != "auto" {
		w.Lost.Add(c.At.Path(".detail"))
	}
}

// media writes a part with the data or the URL of a file.
func (w *requestWriter) media(m *google.Media) {
	separator := `{"inlineData":{`
	if m.URL != "" {
		separator = `{"fileData":{`
	}
	if m.Kind != "" {
		w.Next(&separator)
		w.Member(`"mimeType":`, m.Kind)
	}
	w.Next(&separator)
	if m.URL != "" {
		w.Raw(`"fileUri":`)
		w.Literal(m.URL)
	} else {
		w.Raw(`"data":`)
		w.Literal(m.Data)
	}
	w.Raw(`}}`)
}
