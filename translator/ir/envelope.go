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

// OpenEnvelope reads an envelope; ok is false for anything else.
func OpenEnvelope(e Escaped) (origin string, redacted bool, id, blob Escaped, ok bool) {
	rest, ok := strings.CutPrefix(string(e), Envelope)
	if !ok {
		return "", false, "", "", false
	}
	origin, rest, ok = strings.Cut(rest, ":")
	kind, rest, ok2 := strings.Cut(rest, ":")
	item, rest, ok3 := strings.Cut(rest, ":")
	if !ok || !ok2 || !ok3 || origin == "" || rest == "" || kind != "t" && kind != "r" {
		return "", false, "", "", false
	}
	return origin, kind == "r", Escaped(item), Escaped(rest), true
}
