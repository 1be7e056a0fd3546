package ir

import "edgelingua/translator/jsonw"

const (
	hashDigits = 16
	hexDigits  = "0123456789abcdef"
)

// Identifier returns a name or id in the form that APIs take: [a-zA-Z0-9_-], at most max characters (0: any number). What
// has that form already is returned as it stands. Anything else keeps its readable beginning and gets a hash of the whole
// behind it: the same in every request, and different for different names, also when they only differ behind a cut.
func Identifier(e Escaped, max int) Escaped {
	if isIdentifier(string(e)) && (max == 0 || len(e) <= max) {
		return e
	}
	plain := jsonw.Unescape(e) // the same name may be escaped in more than one way
	if isIdentifier(plain) && (max == 0 || len(plain) <= max) {
		return Escaped(plain)
	}
	keep := len(plain)
	if limit := max - hashDigits - 1; max > 0 && keep > limit {
		keep = limit
	} else if keep > 64 {
		keep = 64
	}
	b := make([]byte, 0, keep+1+hashDigits)
	for i := 0; i < keep; i++ {
		c := plain[i]
		if !isIdentifierByte(c) {
			c = '_'
		}
		b = append(b, c)
	}
	return Escaped(appendHash(append(b, '_'), plain))
}

// Digest returns the hash alone of an id, which it does not show.
func Digest(id Escaped) Escaped {
	return Escaped(appendHash(make([]byte, 0, hashDigits), string(id)))
}

// appendHash is not inlined for the size of the module.
//
//go:noinline
func appendHash(b []byte, s string) []byte {
	sum := fnv1a(s)
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, hexDigits[sum>>shift&15])
	}
	return b
}

func isIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isIdentifierByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func isIdentifierByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// fnv1a is the 64-bit FNV-1a hash.
func fnv1a(s string) uint64 {
	sum := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		sum = (sum ^ uint64(s[i])) * 1099511628211
	}
	return sum
}
