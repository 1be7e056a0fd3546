package google

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Media is an image, a file or audio: either Data in base64 or URL.
type Media struct{ Kind, Data, URL ir.Escaped }

// MediaOf returns the content of an image, a document, audio, or a video of Chat. The fields may be
// views of the request.
func MediaOf(c *ir.Content) Media {
	if c.Kind == ir.AudioContent {
		return audio(c.Raw)
	}
	s := &c.Source
	if s.IsFileOf(Vendor) {
		return Media{Kind: s.MediaType, URL: s.File.ID}
	}
	if s.URL == "" {
		kind := s.MediaType
		if kind == "image/jpg" {
			kind = "image/jpeg"
		}
		return Media{Kind: kind, Data: s.Data}
	}
	kind := s.MediaType
	if kind == "" {
		kind = KindOfURL(jsonw.Unescape(s.URL))
	}
	switch {
	case kind != "":
	case c.Kind == ir.DocumentContent:
		kind = ir.PDF
	case c.Kind == ir.OpaqueContent:
		kind = "video/mp4"
	}
	return Media{Kind: kind, URL: s.URL}
}

// audio returns the content of input_audio of the OpenAI APIs.
func audio(v ir.Raw) (m Media) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "data":
			m.Data, _ = jsonr.Text(r.Value())
		case "format":
			format, _ := jsonr.Text(r.Value())
			m.Kind = "audio/" + format
		}
	}
	return m
}

// KindOfURL returns the MIME type of the file at a URL by the extension in its path, "" if the
// extension is unknown. Vertex AI requires the type.
func KindOfURL(url string) ir.Escaped {
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
	case "mov":
		return "video/mov" // Google's own name (ai.google.dev/gemini-api/docs/video-understanding)
	case "webm", "mp4", "mpeg":
		return ir.Escaped("video/" + path[strings.LastIndexByte(path, '.')+1:])
	}
	return ""
}

// isKnown reports whether a Google API accepts files of the type: PDFs, text, audio, videos, and
// five types of images (ai.google.dev/gemini-api/docs/file-input-methods and image-understanding;
// "Unsupported MIME type: image/gif", microsoft/vscode#286628). For a URL the type may be left out
// ("FileData"), except for Vertex AI ("it has an empty mimeType parameter in fileData",
// GoogleCloudPlatform/generative-ai#1390).
func (m *Media) isKnown(t *ir.Target) bool {
	switch kind := string(m.Kind); {
	case kind == "":
		return m.URL != "" && !t.VertexAI
	case strings.HasPrefix(kind, "image/"):
		return kind == "image/png" || kind == "image/jpeg" || kind == "image/webp" || kind == "image/heic" ||
			kind == "image/heif"
	default:
		return kind == ir.PDF || strings.HasPrefix(kind, "audio/") || strings.HasPrefix(kind, "video/") ||
			strings.HasPrefix(kind, "text/")
	}
}

// fitsResult reports whether a result can hold the file: in base64, of five types (Gemini API,
// "FunctionResponsePart", and Vertex AI, "Multimodal function responses").
func (m *Media) fitsResult() bool {
	switch m.Kind {
	case "image/png", "image/jpeg", "image/webp", ir.PDF, "text/plain":
		return m.URL == ""
	}
	return false
}
