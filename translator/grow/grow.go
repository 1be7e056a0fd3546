//go:build !tinygo

// Package grow makes room in a buffer that gets longer with a whole answer.
package grow

// Room returns b with room for n more bytes.
func Room(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return append(b, make([]byte, n)...)[:len(b)]
}
