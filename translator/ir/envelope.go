package ir

import (
	"strings"

	"edgelingua/translator/jsonw"
)

// Envelope is the beginning of every envelope of this version. An envelope carries a vendor's
// signature, or reasoning readable only by its vendor, through a client of another protocol. The
// client sends the envelope back with the next turn. The blob is sent only to an upstream of the
// vendor that origin names.
//
//	el1:<origin>:<t or r>:<id>:<blob>
//	el1:<origin>:h:<id>:<text>:<blob>
//	el1:<origin>:p:<id>:<state>
//
// origin is the name of the protocol in which the upstream signed (API.Name; Vertex AI has its own).
// An upstream of that protocol counts as the same vendor. t is reasoning with its text next to the
// envelope, r is redacted reasoning; with a text next to the envelope, it follows unsigned reasoning
// with this text. h is reasoning with a text hidden from the client, so the text is in the envelope.
// id is the vendor's id of the reasoning item, and must go back with the blob (FAULTS 74). The id,
// and the blob of an h, may be empty. p is a program: see AppendProgram.
const Envelope = "el1:"

// Unsigned is an envelope without an origin, for readable reasoning without a signature: AI SDK 6
// and 7, and so opencode, give back only reasoning with an encrypted_content (@ai-sdk/openai,
// convert-to-openai-responses-input.ts), and DeepSeek and Kimi require their reasoning back. Open
// treats Unsigned as unreadable, so no vendor gets it as a signature.
const Unsigned = Envelope + ":t::-"

// AppendEnvelope appends an envelope, escaped as the inside of a JSON string. An id with a colon is
// left out, since colons separate the fields.
func AppendEnvelope(dst []byte, origin string, redacted bool, id, blob Escaped) []byte {
	kind := ":t:"
	if redacted {
		kind = ":r:"
	}
	return append(appendHead(dst, origin, kind, id), blob...)
}

// AppendHidden appends an envelope that includes the text of reasoning. The blob, "" for none, must
// have no colon (HidesIn).
func AppendHidden(dst []byte, origin string, id, text, blob Escaped) []byte {
	dst = append(appendHead(dst, origin, ":h:", id), text...)
	dst = append(dst, ':')
	return append(dst, blob...)
}

// HidesIn reports whether an envelope can include a text next to blob. Signatures and encrypted
// reasoning are base64 and have no colons. Lists of reasoning_details are JSON with colons, and
// include their text.
func HidesIn(blob Escaped) bool { return !strings.Contains(string(blob), ":") }

// appendHead appends an envelope up to its text or blob.
func appendHead(dst []byte, origin, kind string, id Escaped) []byte {
	dst = append(dst, Envelope...)
	dst = append(dst, origin...)
	dst = append(dst, kind...)
	if !strings.Contains(string(id), ":") {
		dst = append(dst, id...)
	}
	return append(dst, ':')
}

// IsEnvelope reports whether e begins as an envelope of any version: "el", a digit, a colon, each
// perhaps escaped. A client that parses JSON and writes it again may give an envelope back with
// other escapes.
func IsEnvelope(e Escaped) bool {
	if head := e[:min(len(e), len(`\u0065`)*len(Envelope))]; strings.IndexByte(string(head), '\\') >= 0 {
		e = Escaped(jsonw.Unescape(head))
	}
	return len(e) > 3 && string(e[:2]) == Envelope[:2] && '0' <= e[2] && e[2] <= '9' && e[3] == ':'
}

// HoldsEnvelope reports whether a string in the JSON text begins as an envelope does. It looks for
// a quote before the envelope and does not parse the text.
func HoldsEnvelope(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, `"`+Envelope[:2])
		if !ok {
			return false
		}
		if IsEnvelope(Escaped(text[len(text)-len(rest)-2:])) {
			return true
		}
		text = rest
	}
}

// Open decodes the envelope in the Signature of c, a block of reasoning, into Origin, ItemID and
// the vendor's own Signature. It reports whether the Signature was an envelope. If the envelope
// can't be read, for example one of another version, Origin is "": no vendor may get the reasoning.
func (c *Content) Open() bool {
	if !IsEnvelope(c.Signature) {
		return false
	}
	c.Origin, c.ItemID = "", ""
	version, rest, _ := strings.Cut(string(c.Signature), ":")
	origin, rest, _ := strings.Cut(rest, ":")
	kind, rest, _ := strings.Cut(rest, ":")
	item, rest, _ := strings.Cut(rest, ":")
	if version != Envelope[:3] || rest == "" {
		return true
	}
	switch kind {
	case "r":
		c.Kind = RedactedContent
	case "h":
		colon := strings.LastIndexByte(rest, ':')
		if colon < 0 {
			return true
		}
		c.Text, rest = Escaped(rest[:colon]), rest[colon+1:]
		if c.Signature = Escaped(rest); rest == "" {
			return true
		}
	case "t":
	default:
		return true
	}
	c.Origin, c.ItemID, c.Signature = origin, Escaped(item), Escaped(rest)
	return true
}
