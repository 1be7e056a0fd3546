package openai

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestIsZero has all notations of JSON.
func TestIsZero(t *testing.T) {
	for v, want := range map[ir.Raw]bool{"0": true, "-0": true, "0.00": true, "0e5": true, "0E5": true, "-0.0e-7": true,
		"1": false, "0.01": false, "10": false, "1e5": false, "-7": false} {
		require.Equal(t, want, IsZero(v), v)
	}
}
