package gemini

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// sealedLead is what an envelope (ir.Envelope) begins with in base64, up to the last character that
// does not depend on what follows. A thoughtSignature is bytes: SDKs take it for base64, and write
// it again, that for Python in the URL-safe alphabet.
const sealedLead = "ZWwxO"

// sealed reports whether a signature is an envelope.
func sealed(signature ir.Escaped) bool { return strings.HasPrefix(string(signature), sealedLead) }

// noSignature stands at the first call of an answer where nothing else does: a later body that
// holds it is translated, and so the call gets what Google wants there of calls that its models
// have not made.
const noSignature = ir.Envelope + ":"

// unsealed returns the envelope that a signature is, or several, one a line. Of one that holds no
// text it returns what opens as an envelope of nobody.
func unsealed(signature ir.Escaped) ir.Escaped {
	text := strings.TrimRight(string(signature), "=")
	plain, ok := ir.DecodePlain(make([]byte, 0, len(text)*3/4), text)
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

// appendBase64 appends bytes in base64 (RFC 4648, section 4).
func appendBase64(dst, data []byte) []byte {
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

// given returns a signature that a client gives back, "" for what clients write in place of one
// that they do not have (ai.google.dev/gemini-api/docs/thought-signatures, FAQ; gemini-cli does so,
// and the SDK for Python in base64).
func given(signature ir.Escaped) ir.Escaped {
	switch strings.TrimRight(string(signature), "=") {
	case google.Unsigned, "context_engineering_is_the_way_to_go",
		"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I", "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv":
		return ""
	}
	return signature
}
