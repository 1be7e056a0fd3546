package google

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// SetInline makes c an image, a document or sound with its data in base64 (Gemini API, "Blob"). kind is
// the media type.
func SetInline(c *ir.Content, kind, data, title ir.Escaped) {
	if format, ok := strings.CutPrefix(string(kind), "audio/"); ok {
		if format = strings.TrimPrefix(format, "x-"); format == "mpeg" {
			format = "mp3"
		}
		c.Kind = ir.AudioContent
		c.Raw = ir.Raw(`{"data":"` + string(standard(data)) + `","format":"` + format + `"}`)
		return
	}
	c.Kind = kindOfMedia(kind)
	c.Source = ir.Source{MediaType: kind, Data: standard(data), Title: title}
}

// SetURL makes c an image or a document at a URL (Gemini API, "FileData"). Only Google's servers
// can read a file stored at Google, a file in Cloud Storage, or a YouTube video. For other
// upstreams a request with such a URL is refused. field is the path of the URL below c.At.
func SetURL(c *ir.Content, kind, url, title ir.Escaped, field string) {
	if c.Kind = kindOfMedia(kind); kind == "" {
		if kind := KindOfURL(string(url)); kind != "" {
			c.Kind = kindOfMedia(kind)
		}
	}
	c.Source = ir.Source{MediaType: kind, Title: title}
	if isGoogles(string(url)) {
		c.Source.File = &ir.File{ID: url, Vendor: Vendor, Field: field}
	} else {
		c.Source.URL = url
	}
}

// ReadOutput reads the object that a function returned. If its only member is "output" or "result", or
// "error" for a failed call, the result is the member's text, or its value as JSON (Gemini API:
// "use output key to specify function output and error key to specify error details"). Otherwise
// the result is the object as JSON.
func ReadOutput(c *ir.Content, v ir.Raw) {
	if v == "" {
		return
	}
	said, members := ir.Escaped(""), 0
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); members++ {
		switch key, isText := r.Key(), r.Kind() == jsonr.String; key {
		case "output", "result", "error":
			c.IsError = key == "error" && r.Kind() != jsonr.Null
			if one := r.Value(); isText {
				said, _ = jsonr.Text(one)
			} else {
				said = jsonw.View(jsonw.AppendQuotedRaw(nil, one))
			}
		default:
			members++
		}
	}
	switch {
	case members == 0:
		return
	case members > 1:
		c.IsError, said = false, jsonw.View(jsonw.AppendQuotedRaw(nil, v))
	}
	if said != "" {
		c.Parts = append(c.Parts, ir.Content{Kind: ir.TextContent, At: c.At, Text: said})
	}
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
