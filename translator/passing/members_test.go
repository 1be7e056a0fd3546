package passing

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFold has the first and last letters of the alphabet, and their neighbours.
func TestFold(t *testing.T) {
	for key, want := range map[string]string{
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ": "abcdefghijklmnopqrstuvwxyz", "@[`{": "@[`{", "a_b-C": "abc",
		"\u017f\u212a": "sk", "é": "?",
		strings.Repeat("a", 48) + "_": strings.Repeat("a", 48), strings.Repeat("a", 49): "",
	} {
		require.Equal(t, want, fold(key), key)
	}
}
