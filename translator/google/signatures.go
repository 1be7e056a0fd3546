package google

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Unsigned is the signature of a call without one of its own: another vendor's model made the call,
// or a client lost the signature. Google documents this value
// (ai.google.dev/gemini-api/docs/thought-signatures, FAQ). The first call of each step must have a
// signature, or Gemini 3 answers 400.
const Unsigned = "skip_thought_signature_validator"

// SealedLead is the beginning of an envelope (ir.Envelope) in base64, as far as later characters do
// not change it. A thoughtSignature is bytes: SDKs decode the base64 and encode the bytes again.
// The SDK for Python uses the URL-safe alphabet.
const SealedLead = "ZWwxO"

// Sealed reports whether a signature is an envelope.
func Sealed(signature ir.Escaped) bool { return strings.HasPrefix(string(signature), SealedLead) }

// NoSignature signs the first call of an answer if nothing else does. A later request with
// NoSignature is translated instead of passed through. The translation replaces NoSignature with
// the signature that Google requires for other models' calls.
const NoSignature = ir.Envelope + ":"

// Unsealed decodes a signature in base64 to one or more envelopes, one per line. If the bytes are
// not text, Unsealed returns an envelope without an origin.
func Unsealed(signature ir.Escaped) ir.Escaped {
	text := strings.TrimRight(string(signature), "=")
	plain, ok := ir.DecodeBase64(make([]byte, 0, len(text)*3/4), text)
	if text = string(plain); !ok || !utf8.ValidString(text) {
		return ir.Envelope
	}
	for rest, more := text, true; more; {
		var one string
		if one, rest, more = strings.Cut(rest, "\n"); jsonr.Check(`"`+one+`"`) != nil {
			return ir.Envelope
		}
	}
	return ir.Escaped(text)
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// AppendBase64 appends bytes in base64 (RFC 4648, section 4).
func AppendBase64(dst, data []byte) []byte {
	for ; len(data) >= 3; data = data[3:] {
		n := uint32(data[0])<<16 | uint32(data[1])<<8 | uint32(data[2])
		dst = append(dst, base64[n>>18], base64[n>>12&63], base64[n>>6&63], base64[n&63])
	}
	switch len(data) {
	case 1:
		n := uint32(data[0]) << 16
		dst = append(dst, base64[n>>18], base64[n>>12&63], '=', '=')
	case 2:
		n := uint32(data[0])<<16 | uint32(data[1])<<8
		dst = append(dst, base64[n>>18], base64[n>>12&63], base64[n>>6&63], '=')
	}
	return dst
}

// Given returns a client's signature. The result is "" for the values that stand for a missing
// signature (ai.google.dev/gemini-api/docs/thought-signatures, FAQ): gemini-cli sends them as text,
// and the SDK for Python in base64.
func Given(signature ir.Escaped) ir.Escaped {
	switch strings.TrimRight(string(signature), "=") {
	case Unsigned, "context_engineering_is_the_way_to_go",
		"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I", "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv":
		return ""
	}
	return signature
}
