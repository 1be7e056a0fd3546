package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Media writes an image, a file or audio as a part.
func (w *requestWriter) Media(c *ir.Content) {
	c.LoseDetail(w.Lost)
	m := google.MediaOf(c)
	w.media(&m)
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
