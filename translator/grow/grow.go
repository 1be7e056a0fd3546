//go:build !tinygo

// Package grow makes room in a buffer that collects a whole answer.
package grow

// Room returns b with spare capacity for at least n more bytes. The result may be a copy: the
// caller must no longer use b.
func Room(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return append(b, make([]byte, n)...)[:len(b)]
}
