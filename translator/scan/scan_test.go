package scan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMasks compares the masks with a plain loop, for every byte at every position among bytes that
// don't match.
func TestMasks(t *testing.T) {
	for _, fill := range []byte{'a', 0x7f, 0x80, 0xff, ' ', '"' + 1, '"' - 1} {
		for c := range 256 {
			for at := range Width {
				b := make([]byte, 1+Width)
				for i := range b {
					b[i] = fill
				}
				b[1+at] = byte(c)
				w := Word(string(b), 1)
				for _, n := range []byte{1, ' ', '\r' + 1, 128} {
					require.Equal(t, first(b[1:], func(c byte) bool { return c < n }), found(Below(w, n)),
						"%q %d", b, n)
				}
				require.Equal(t, first(b[1:], func(c byte) bool { return c == '"' }), found(Equal(w, '"')),
					"%q", b)
			}
		}
	}
}

func first(b []byte, fits func(byte) bool) int {
	for i, c := range b {
		if fits(c) {
			return i
		}
	}
	return -1
}

func found(mask uint64) int {
	if mask == 0 {
		return -1
	}
	return First(mask)
}
