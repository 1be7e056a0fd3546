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
	if err = objectAt(&r, at, field); err != nil {
		return b, err
	}
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "mimeType", "mime_type":
			b.kind, err = readWordAt(&r, at, field+".mimeType")
		case "data":
			b.data, err = readTextAt(&r, at, field+".data")
		case "fileUri", "file_uri":
			b.uri, err = readWordAt(&r, at, field+".fileUri")
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
		return invalid(c.At.Path(field+".data"), "The data is empty.")
	case !strings.Contains(string(b.kind), "/"):
		return invalid(c.At.Path(field+".mimeType"), "The data must have a media type.")
	}
	if format, ok := strings.CutPrefix(string(b.kind), "audio/"); ok {
		if format = strings.TrimPrefix(format, "x-"); format == "mpeg" {
			format = "mp3"
		}
		c.Kind = ir.AudioContent
		c.Raw = ir.Raw(`{"data":"` + string(standard(b.data)) + `","format":"` + format + `"}`)
		return nil
	}
	c.Kind = kindOfMedia(b.kind)
	c.Source = ir.Source{MediaType: b.kind, Data: standard(b.data), Title: b.title}
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
		return invalid(c.At.Path(field+".fileUri"), "The URI of the file must be set.")
	}
	if c.Kind = kindOfMedia(b.kind); b.kind == "" {
		if kind := google.KindOfURL(string(b.uri)); kind != "" {
			c.Kind = kindOfMedia(kind)
		}
	}
	c.Source = ir.Source{MediaType: b.kind, Title: b.title}
	if isGoogles(string(b.uri)) {
		c.Source.File = &ir.File{ID: b.uri, Vendor: google.Vendor, Field: field + ".fileUri"}
	} else {
		c.Source.URL = b.uri
	}
	return nil
}

// isGoogles reports whether only Google's own servers can read a URI.
func isGoogles(uri string) bool {
	for _, lead := range [...]string{"https://", "http://"} {
		if host, ok := strings.CutPrefix(uri, lead); ok {
			host, _, _ = strings.Cut(host, "/")
			host = strings.TrimPrefix(strings.ToLower(host), "www.")
			return host == "generativelanguage.googleapis.com" || host == "youtube.com" || host == "youtu.be"
		}
	}
	return true
}

// kindOfMedia returns the kind of content for a media type.
func kindOfMedia(kind ir.Escaped) ir.ContentKind {
	if strings.HasPrefix(string(kind), "image/") {
		return ir.ImageContent
	}
	return ir.DocumentContent
}

// standard returns base64 in the standard alphabet with padding, as other APIs require base64.
// protobuf also accepts the URL-safe alphabet, which the SDK for Python writes, and data without
// padding.
func standard(data ir.Escaped) ir.Escaped {
	if len(data)%4 > 1 && strings.IndexByte(string(data), '\\') < 0 {
		data += ir.Escaped("=="[len(data)%4-2:])
	}
	if strings.IndexByte(string(data), '-') < 0 && strings.IndexByte(string(data), '_') < 0 {
		return data
	}
	b := []byte(data)
	for i, c := range b {
		switch c {
		case '-':
			b[i] = '+'
		case '_':
			b[i] = '/'
		}
	}
	return ir.Escaped(b)
}
