//go:build !tinygo

// Package grow makes room in a buffer that gets longer with a whole answer.
package grow

import "slices"

// Room returns b with room for n more bytes.
func Room(b []byte, n int) []byte { return slices.Grow(b, n) }
