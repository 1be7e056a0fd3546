package gemini

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// form is what a content block becomes. 0 is none: the block is written elsewhere, holds nothing, or is lost.
type form uint8

const (
	textual  form = iota + 1 // text parts: textsOf
	attached                 // an image, a file or audio: a part with its data or its URL, behind text parts
)

// form returns what a block becomes in a turn. It refuses or notes as lost what the turn can't carry. Calls, their results and reasoning of the
// model's are written elsewhere.
func (w *requestWriter) form(t turn, c *ir.Content) (form, *ir.Error) {
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
		return textual, nil
	case ir.ToolResultContent:
		return 0, nil
	case ir.ReasoningContent, ir.RedactedContent:
		w.LoseReasoning(c)
		return 0, nil
	case ir.OpaqueContent:
		if c.Text != "" {
			return textual, nil
		}
		what = "a block of this type here"
	case ir.ImageContent, ir.DocumentContent, ir.AudioContent:
		if c.Source.File != nil && !c.Source.IsFileOf(Name) {
			return 0, w.RefuseFile(c)
		}
		if c.Kind == ir.DocumentContent && c.Source.IsPlain() {
			if holdsOpaque(c.Parts) {
				return textual, w.RefuseOrLose(c.At.String(), "what is no text in a document")
			}
			return textual, nil
		}
		m := mediaOf(c)
		switch {
		case t == modelTurn:
			what = "an image or a document outside a user message"
		case m.url != "" && !w.Target.FileURLs && c.Source.File == nil:
			what = "an image or a document by its URL"
		case !w.takesMedia(&m):
			what = "a file of this type"
		default:
			return attached, nil
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

// block writes one block as parts of a turn, and reports whether it has written text.
func (w *requestWriter) block(t turn, c *ir.Content) (said bool, err *ir.Error) {
	f, err := w.form(t, c)
	switch {
	case err != nil:
		return false, err
	case f == attached:
		w.attach(t, c)
	case f == textual:
		return w.texts(t, c), nil
	}
	return false, nil
}

// texts writes the texts of a block as parts, and reports whether there are any.
func (w *requestWriter) texts(t turn, c *ir.Content) (said bool) {
	for _, text := range textsOf(c) {
		if !jsonr.IsBlank(text) {
			w.open(t)
			w.text(text)
			said = true
		}
	}
	return said
}

// textsOf returns the texts of a block: of a document its title, what the client tells the model about it, and its own text.
func textsOf(c *ir.Content) []ir.Escaped {
	if c.Kind != ir.DocumentContent && c.Kind != ir.ImageContent {
		return []ir.Escaped{c.Text}
	}
	list := []ir.Escaped{c.Source.Title, c.Source.Context, c.Source.Text}
	for i := range c.Parts {
		list = append(list, c.Parts[i].Text)
	}
	return list
}

// attach writes an image, a file or audio, behind what the client tells the model about it.
func (w *requestWriter) attach(t turn, c *ir.Content) {
	w.texts(t, c)
	w.loseDetail(c)
	w.open(t)
	m := mediaOf(c)
	w.media(&m)
}

// loseDetail notes that the upstream is not told how closely the model is to look at an image.
func (w *requestWriter) loseDetail(c *ir.Content) {
	if d := c.Source.Detail; d != "" && d != "auto" {
		w.Lost.Add(c.At.Path(".detail"))
	}
}

// media is an image, a file or audio: either data in base64 or url.
type media struct{ kind, data, url ir.Escaped }

// mediaOf returns what an image, a document or audio holds.
func mediaOf(c *ir.Content) media {
	if c.Kind == ir.AudioContent {
		return audio(c.Raw)
	}
	s := &c.Source
	if s.IsFileOf(Name) {
		return media{kind: s.MediaType, url: s.File.ID}
	}
	if s.URL == "" {
		kind := s.MediaType
		if kind == "image/jpg" {
			kind = "image/jpeg"
		}
		return media{kind: kind, data: s.Data}
	}
	kind := s.MediaType
	if kind == "" {
		kind = kindOfURL(jsonw.Unescape(s.URL))
	}
	if kind == "" && c.Kind == ir.DocumentContent {
		kind = ir.PDF
	}
	return media{kind: kind, url: s.URL}
}

// audio returns what input_audio of the OpenAI APIs holds.
func audio(v ir.Raw) (m media) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "data":
			m.data, _ = jsonr.Text(r.Value())
		case "format":
			format, _ := jsonr.Text(r.Value())
			m.kind = "audio/" + format
		}
	}
	return m
}

// kindOfURL returns the type of the file at a URL by the end of its path, "" where that says nothing. Vertex AI wants the type.
func kindOfURL(url string) ir.Escaped {
	path, _, _ := strings.Cut(url, "?")
	path, _, _ = strings.Cut(path, "#")
	switch strings.ToLower(path[strings.LastIndexByte(path, '.')+1:]) {
	case "jpg", "jpeg":
		return "image/jpeg"
	case "png":
		return "image/png"
	case "webp":
		return "image/webp"
	case "gif":
		return "image/gif"
	case "heic":
		return "image/heic"
	case "heif":
		return "image/heif"
	case "pdf":
		return ir.PDF
	}
	return ""
}

// takesMedia reports whether the API takes files of the type: PDFs, text, what is heard, videos, and five types of images
// (ai.google.dev/gemini-api/docs/file-input-methods and image-understanding; "Unsupported MIME type: image/gif", microsoft/vscode#286628). The
// type of what is at a URL may be left out in the Gemini API ("FileData"), and not for Vertex AI ("it has an empty mimeType parameter in fileData",
// GoogleCloudPlatform/generative-ai#1390).
func (w *requestWriter) takesMedia(m *media) bool {
	switch kind := string(m.kind); {
	case kind == "":
		return m.url != "" && !w.Target.VertexAI
	case strings.HasPrefix(kind, "image/"):
		return kind == "image/png" || kind == "image/jpeg" || kind == "image/webp" || kind == "image/heic" || kind == "image/heif"
	default:
		return kind == ir.PDF || strings.HasPrefix(kind, "audio/") || strings.HasPrefix(kind, "video/") || strings.HasPrefix(kind, "text/")
	}
}

// fitsResult reports whether a functionResponse can hold the file: in base64, of five types (Gemini API, "FunctionResponsePart", and Vertex AI,
// "Multimodal function responses").
func (m *media) fitsResult() bool {
	switch m.kind {
	case "image/png", "image/jpeg", "image/webp", ir.PDF, "text/plain":
		return m.url == ""
	}
	return false
}

// media writes a part with the data or the URL of a file.
func (w *requestWriter) media(m *media) {
	separator := `{"inlineData":{`
	if m.url != "" {
		separator = `{"fileData":{`
	}
	if m.kind != "" {
		w.Next(&separator)
		w.Member(`"mimeType":`, m.kind)
	}
	w.Next(&separator)
	if m.url != "" {
		w.Raw(`"fileUri":`)
		w.Literal(m.url)
	} else {
		w.Raw(`"data":`)
		w.Literal(m.data)
	}
	w.Raw(`}}`)
}
