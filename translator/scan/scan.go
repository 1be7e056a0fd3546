// Package scan looks at eight bytes of a text at once, for the two loops that see every byte of a stream: line ends and the ends
// of strings.
//
// The eight bytes are a word whose lowest byte is the first one. What is found in it is a mask: the lowest bit that is set belongs
// to the first byte that fits; bits above it may be set in error, so that only the first one counts.
package scan

import "math/bits"

// Width is the number of bytes in a word.
const Width = 8

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Word returns the eight bytes of s from i on, which must be there. It compiles to one load.
func Word(s string, i int) uint64 {
	b := s[i : i+Width]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// Below returns the mask of the first byte of w that is less than n, which is at most 128; 0 where there is none.
func Below(w uint64, n byte) uint64 {
	return (w - ones*uint64(n)) &^ w & highs
}

// Equal returns the mask of the first byte of w that is c, which is ASCII; 0 where there is none.
func Equal(w uint64, c byte) uint64 {
	return Below(w^ones*uint64(c), 1)
}

// First returns the place, 0 to 7, of the byte that a mask is about.
func First(mask uint64) int {
	return bits.TrailingZeros64(mask) / 8
}
