package interactions

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Media writes an image, a file or audio: as data or a URL (ImageContent, AudioContent,
// VideoContent and DocumentContent of @google/genai).
func (w *requestWriter) Media(c *ir.Content) {
	m := google.MediaOf(c)
	kind := "document"
	for _, k := range [...]string{"image", "audio", "video"} {
		if strings.HasPrefix(string(m.Kind), k+"/") || m.Kind == "" && k == "image" &&
			c.Kind == ir.ImageContent {
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
	if d := c.Source.Detail; kind == "image" && (d == "low" || d == "high") {
		w.Member(`,"resolution":`, d)
	} else {
		c.LoseDetail(w.Lost)
	}
	w.Raw(`}`)
}
