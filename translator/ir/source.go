package ir

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/jsonw"
)

// Source is the source of an image or a document: Data (base64) with MediaType, or URL, or File,
// or, for a document, its plain Text. A document with its text in parts has Content.Parts and no
// Source.
type Source struct {
	MediaType, Data, URL, Text, Title Escaped
	File                              *File   // nil: not a file stored by the client's vendor
	Context                           Escaped // the client's note for the model about a document
	// the resolution for an image: low, high, ...; "" and auto leave the choice to the model
	Detail      Escaped
	DetailField string // the path of Detail below Content.At; "": ".detail"
}

// LoseDetail notes the detail of an image or a file as lost, unless the model has the choice.
func (c *Content) LoseDetail(lost *Lost) {
	switch d := c.Source.Detail; {
	case d == "", d == "auto":
	case c.Source.DetailField != "":
		lost.Add(c.At.Path(c.Source.DetailField))
	default:
		lost.Add(c.At.Path(".detail"))
	}
}

// File is a file stored by the vendor of the client's API.
type File struct {
	ID     Escaped
	Vendor string // openai.Vendor, anthropic.Name, google.Vendor
	Field  string // the path of the id in its block, as ".file.file_id"
}

// HasOnlyText reports whether a document has nothing but its text.
func (s *Source) HasOnlyText() bool { return s.Data == "" && s.URL == "" && s.File == nil }

// IsClip reports whether a source is a video or a sound at a URL. Only Google's APIs accept clips.
func (s *Source) IsClip() bool {
	return s.URL != "" && (strings.HasPrefix(string(s.MediaType), "video/") ||
		strings.HasPrefix(string(s.MediaType), "audio/"))
}

// IsFileOf reports whether a source is the id of a file stored by the given vendor. Such ids are
// sent only to the vendor's own service.
func (s *Source) IsFileOf(vendor string) bool { return s.File != nil && s.File.Vendor == vendor }

// ImageType returns the media type that the first bytes of Data show: image/jpeg, image/png,
// image/gif, image/webp, or "" for any other format. Clients derive MediaType from the file's name.
//
//go:noinline
func (s *Source) ImageType() Escaped {
	head := jsonw.Unescape(s.Data[:min(len(s.Data), 32)]) // "/" may be written as "\/"
	switch {
	case strings.HasPrefix(head, "/9j/"): // FF D8 FF
		return "image/jpeg"
	case strings.HasPrefix(head, "iVBORw0KGg"): // 89 "PNG" CR LF 1A
		return "image/png"
	case strings.HasPrefix(head, "R0lGODdh"), strings.HasPrefix(head, "R0lGODlh"): // GIF87a, GIF89a
		return "image/gif"
	case strings.HasPrefix(head, "UklGR") && len(head) > 16 && head[11:16] == "XRUJQ": // RIFF ....WEBP
		return "image/webp"
	}
	return ""
}

// ImageKind returns the media type of the image in Data: ImageType or, if the bytes show no type,
// MediaType. It returns "" if Data does not begin as base64, or has not the length of base64.
//
//go:noinline
func (s *Source) ImageKind() Escaped {
	kind := s.ImageType()
	if kind == "" && len(s.Data)%4 != 0 && !strings.Contains(string(s.Data), `\`) {
		return "" // also without padding, which vendors require
	}
	for i := 0; kind == "" && i < min(len(s.Data), 32); i++ {
		c := s.Data[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '+' || c > '9') && c != '=' && c != '\\' { // also ",-."
			return ""
		}
	}
	switch {
	case kind != "":
		return kind
	case s.MediaType == "image/jpg":
		return "image/jpeg"
	}
	return s.MediaType
}

// IsCommonImage reports whether an image has one of the four types that most vendors accept.
func IsCommonImage(kind Escaped) bool {
	return kind == "image/jpeg" || kind == "image/png" || kind == "image/gif" || kind == "image/webp"
}

// PDF is the media type of the only kind of document that the APIs of all clients accept directly.
const PDF = "application/pdf"

// ReadText turns a base64 document into plain text if its bytes are text, whatever the media type:
// CSV, Markdown, JSON, source code. A document stays unchanged if it is not UTF-8 or has control
// characters.
func (s *Source) ReadText() {
	if s.Data == "" || s.MediaType == PDF {
		return
	}
	if text, ok := decodeText(s.Data); ok {
		s.Text, s.Data, s.MediaType = text, "", ""
	}
}

// HoldsText reports whether ReadText would make text of the document.
func (s *Source) HoldsText() bool {
	_, ok := decodeText(s.Data)
	return ok
}

// decodeText returns the text encoded in data as base64 (RFC 4648, section 4; padding may be
// missing).
func decodeText(data Escaped) (Escaped, bool) {
	plain := jsonw.Unescape(data)
	for strings.HasSuffix(plain, "=") {
		plain = plain[:len(plain)-1]
	}
	if _, ok := DecodeBase64(nil, plain); !ok || plain == "" { // binary data is not copied
		return "", false
	}
	text, _ := DecodeBase64(make([]byte, 0, len(plain)*3/4), plain)
	said := string(jsonw.View(text))
	if !utf8.ValidString(said) {
		return "", false
	}
	return jsonw.Escape(strings.TrimPrefix(said, "\ufeff")), true
}

// DecodeBase64 decodes base64 without padding, in either alphabet (RFC 4648, sections 4 and 5), and
// appends the bytes to dst unless dst is nil. It returns false if data is not base64 or encodes a
// control character.
func DecodeBase64(dst []byte, data string) ([]byte, bool) {
	bits, n := uint32(0), 0
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c -= 'A'
		case 'a' <= c && c <= 'z':
			c -= 'a' - 26
		case isDigit(c):
			c += 52 - '0'
		case c == '+', c == '-':
			c = 62
		case c == '/', c == '_':
			c = 63
		default:
			return nil, false
		}
		if bits, n = bits<<6|uint32(c), n+6; n >= 8 {
			n -= 8
			b := byte(bits >> n)
			if b < ' ' && b != '\n' && b != '\r' && b != '\t' && b != '\f' {
				return nil, false
			}
			if dst != nil {
				dst = append(dst, b)
			}
		}
	}
	return dst, true
}
