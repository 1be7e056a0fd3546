// Package scan looks at eight bytes of a text at once. Two loops see every byte of a stream and use
// it: package sse looks for the ends of lines, package jsonr for the ends of strings.
//
// The eight bytes are a word, whose lowest byte is the first of them. Below and Equal return a
// mask. Its lowest bit that is set belongs to the first byte that was looked for. Bits above that
// one may be set in error.
package scan

import "math/bits"

// Width is the number of bytes in a word.
const Width = 8

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Word returns the eight bytes of s from i on, all of which s must have. It compiles to one load.
func Word(s string, i int) uint64 {
	b := s[i : i+Width]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// Below returns the mask of the first byte of w that is less than n, which is at most 128; 0 where
// there is none.
func Below(w uint64, n byte) uint64 {
	return (w - ones*uint64(n)) &^ w & highs
}

// Equal returns the mask of the first byte of w that is c, which is ASCII; 0 where there is none.
func Equal(w uint64, c byte) uint64 {
	return Below(w^ones*uint64(c), 1)
}

// First returns the place in its word, 0 to 7, of the first byte that mask, which is not 0, has found.
func First(mask uint64) int {
	return bits.TrailingZeros64(mask) / 8
}
