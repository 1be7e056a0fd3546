package ir

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/jsonw"
)

// Source is where an image or a document comes from: either Data (base64) with MediaType, or URL,
// or File, or of a document its plain Text. A document whose text comes in parts has Content.Parts
// and none of these.
type Source struct {
	MediaType, Data, URL, Text, Title Escaped
	File                              *File   // nil: it is no file that the client's vendor has stored
	Context                           Escaped // what the client tells the model about a document
	// how closely the model is to look at an image: low, high, ...; "" and auto leave it to the
	// model
	Detail Escaped
}

// File is a file that the vendor of the client's API has stored.
type File struct {
	ID     Escaped
	Vendor string // openai.Vendor, anthropic.Name, google.Vendor
	Field  string // the path of the id in its block, as ".file.file_id"
}

// IsPlain reports whether all that is known of a document is its text.
func (s *Source) IsPlain() bool { return s.Data == "" && s.URL == "" && s.File == nil }

// IsFileOf reports whether a source is the id of a file that a vendor has stored. The vendor's own
// service alone is told of it.
func (s *Source) IsFileOf(vendor string) bool { return s.File != nil && s.File.Vendor == vendor }

// PDF is the media type of the one kind of document that all three APIs take as it is.
const PDF = "application/pdf"

// ReadText makes plain text of a document in base64 that is text, whatever media type it has: a
// file of CSV, Markdown, JSON or a program. A document that is not UTF-8, or holds control
// characters, stays as it is.
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

// decodeText returns the text that data holds in base64 (RFC 4648, section 4; a padding that is
// missing is no error).
func decodeText(data Escaped) (Escaped, bool) {
	plain := jsonw.Unescape(data)
	for strings.HasSuffix(plain, "=") {
		plain = plain[:len(plain)-1]
	}
	if _, ok := DecodePlain(nil, plain); !ok || plain == "" { // binary data is not copied
		return "", false
	}
	text, _ := DecodePlain(make([]byte, 0, len(plain)*3/4), plain)
	said := string(jsonw.View(text))
	if !utf8.ValidString(said) {
		return "", false
	}
	return jsonw.Escape(strings.TrimPrefix(said, "\ufeff")), true
}

// DecodePlain appends the bytes that data holds in base64 without padding, in either alphabet (RFC
// 4648, sections 4 and 5), unless dst is nil. It is false where data is no base64, or holds a
// control character.
func DecodePlain(dst []byte, data string) ([]byte, bool) {
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
