package bridge

import "edgelingua/worker/keyforms"

// maxID is the limit for the id of a request, in bytes.
const maxID = 128

// IsID reports whether a text can be the id of a request, of any origin: 1 to 128 of A-Z, a-z, 0-9,
// ".", "_" and "-", without a key of a known form, since ids are logged.
func IsID(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' ||
			c == '_' || c == '-') {
			return false
		}
	}
	return s != "" && len(s) <= maxID && !keyforms.Has(s)
}
