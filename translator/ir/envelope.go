package ir

import "strings"

// Envelope is the beginning of every envelope of this version. An envelope carries a vendor's signature, or reasoning that only
// its vendor can read, through a client of another protocol. The client sends the envelope back with the next turn, and its
// origin says which vendor's upstream may get the blob; no other one does.
//
//	el1:<origin>:<t or r>:<id>:<blob>
//
// origin is the name of a protocol. t is reasoning whose text stands beside the envelope, r is redacted reasoning. id is the
// vendor's id of the reasoning item, which must go back with the blob (FAULTS 74); it may be empty.
const Envelope = "el1:"

// Unsigned is an envelope without an origin, for readable reasoning that no vendor has signed: AI SDK 6 and 7, and so opencode, give
// back only reasoning that has an encrypted_content (@ai-sdk/openai, convert-to-openai-responses-input.ts), and DeepSeek and Kimi
// want theirs back. It opens as one that can't be read, so no vendor gets it as a signature.
const Unsigned = Envelope + ":t::-"

// AppendEnvelope appends an envelope, escaped as the inside of a JSON string. An id with a colon is left out, since colons
// separate the fields.
func AppendEnvelope(dst []byte, origin string, redacted bool, id, blob Escaped) []byte {
	dst = append(dst, Envelope...)
	dst = append(dst, origin...)
	if redacted {
		dst = append(dst, ":r:"...)
	} else {
		dst = append(dst, ":t:"...)
	}
	if !strings.Contains(string(id), ":") {
		dst = append(dst, id...)
	}
	dst = append(dst, ':')
	return append(dst, blob...)
}

// IsEnvelope reports whether e begins as an envelope of this or of another version does: "el", a digit, a colon.
func IsEnvelope(e Escaped) bool {
	return len(e) > 3 && string(e[:2]) == Envelope[:2] && '0' <= e[2] && e[2] <= '9' && e[3] == ':'
}

// HoldsEnvelope reports whether a string in the JSON text begins as an envelope does. Strings are told by their quote alone.
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

// OpenEnvelope reads an envelope; ok is false where e is none. An envelope that can't be read, such as one of another version,
// has origin "" and is itself the blob: no vendor may get it.
func OpenEnvelope(e Escaped) (origin string, redacted bool, id, blob Escaped, ok bool) {
	if !IsEnvelope(e) {
		return "", false, "", "", false
	}
	version, rest, _ := strings.Cut(string(e), ":")
	origin, rest, _ = strings.Cut(rest, ":")
	kind, rest, _ := strings.Cut(rest, ":")
	item, rest, _ := strings.Cut(rest, ":")
	if version != Envelope[:3] || rest == "" || kind != "t" && kind != "r" {
		return "", false, "", e, true
	}
	return origin, kind == "r", Escaped(item), Escaped(rest), true
}
