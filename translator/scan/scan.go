// Package scan looks at eight bytes of a text at once. Two loops that see every byte of a stream
// use it: package sse to find the ends of lines, package jsonr to find the ends of strings.
//
// Word loads eight bytes into a word, the first byte into the lowest bits. Below and Equal return a
// mask, in which the lowest set bit marks the first match. Higher bits may be wrong.
package scan

import "math/bits"

// Width is the number of bytes in a word.
const Width = 8

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Word returns the eight bytes of s from i on. s must have at least i+8 bytes. It compiles to one
// load.
func Word(s string, i int) uint64 {
	b := s[i : i+Width]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// Below returns a mask of the first byte of w less than n, or 0 if there is none. n is at most 128.
func Below(w uint64, n byte) uint64 {
	return (w - ones*uint64(n)) &^ w & highs
}

// Equal returns a mask of the first byte of w equal to c, or 0 if there is none. c is ASCII.
func Equal(w uint64, c byte) uint64 {
	return Below(w^ones*uint64(c), 1)
}

// First returns the position in the word, 0 to 7, of the first byte marked in mask. mask must not
// be 0.
func First(mask uint64) int {
	return bits.TrailingZeros64(mask) / 8
}
