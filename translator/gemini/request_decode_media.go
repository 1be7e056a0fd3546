package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// attachment holds the members of inlineData or fileData.
type attachment struct{ kind, data, uri, title ir.Escaped }

func readAttachment(at ir.Pos, field string, v ir.Raw) (b attachment, err *ir.Error) {
	r := jsonr.NewReader(string(v))
	if err = google.CheckObjectAt(&r, at, field); err != nil {
		return b, err
	}
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "mimeType", "mime_type":
			b.kind, err = google.ReadWordAt(&r, at, field+".mimeType")
		case "data":
			b.data, err = google.ReadTextAt(&r, at, field+".data")
		case "fileUri", "file_uri":
			b.uri, err = google.ReadWordAt(&r, at, field+".fileUri")
		case "displayName", "display_name":
			b.title, _ = jsonr.Text(r.Value())
		}
	}
	return b, err
}

// inlineData reads an image, a document or sound in base64 (Gemini API, "Blob").
func inlineData(c *ir.Content, v ir.Raw) *ir.Error {
	const field = ".inlineData"
	b, err := readAttachment(c.At, field, v)
	switch {
	case err != nil:
		return err
	case b.data == "":
		return google.Invalid(c.At.Path(field+".data"), "The data is empty.")
	case !strings.Contains(string(b.kind), "/"):
		return google.Invalid(c.At.Path(field+".mimeType"), "The data must have a media type.")
	}
	google.SetInline(c, b.kind, b.data, b.title)
	return nil
}

// fileData reads the URL of an image or a document (Gemini API, "FileData"). Only Google's servers
// can read a file stored at Google, a file in Cloud Storage, or a YouTube video. For other
// upstreams a request with such a URL is refused.
func fileData(c *ir.Content, v ir.Raw) *ir.Error {
	const field = ".fileData"
	b, err := readAttachment(c.At, field, v)
	switch {
	case err != nil:
		return err
	case b.uri == "":
		return google.Invalid(c.At.Path(field+".fileUri"), "The URI of the file must be set.")
	}
	google.SetURL(c, b.kind, b.uri, b.title, field+".fileUri")
	return nil
}
