package ir

import "strings"

// Envelope is what an envelope begins with. An envelope carries a vendor's signature, or the reasoning that only it can read,
// through a client of another protocol. The client gives back what it got, and the envelope says whose it is: nothing is ever
// sent to a vendor that did not write it.
//
//	el1:<origin>:<t or r>:<id>:<blob>
//
// t is reasoning that has a text beside the signature, r is redacted. id is the vendor's id of the item, which must go back
// with the blob; it may be empty.
const Envelope = "el1:"

// AppendEnvelope appends an envelope, escaped. An id that holds a colon is left out.
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

// IsEnvelope reports whether e is an envelope, of this version or of another one.
func IsEnvelope(e Escaped) bool {
	return len(e) > 3 && string(e[:2]) == Envelope[:2] && '0' <= e[2] && e[2] <= '9' && e[3] == ':'
}

// HoldsEnvelope reports whether a JSON text seems to hold one.
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

// OpenEnvelope reads an envelope; ok is false for anything else. One that can't be read, as of another version, has no origin: it
// is nobody's.
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
