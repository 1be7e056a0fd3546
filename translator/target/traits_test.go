package target

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongestPrefix: of several prefixes of a model's name the longest counts, wherever the table
// lists it. Not parallel: the test reverses the table.
func TestLongestPrefix(t *testing.T) {
	for range 2 {
		for model, want := range map[string]Facts{
			"deepseek-v4-flash":            TextOnly,
			"deepseek-v4-flash-vision-exp": 0,
			"glm-5":                        TextOnly | Thinks,
			"glm-5-3":                      Thinks,
			"qwen3-32b":                    Thinks,
			"qwen3-coder":                  0,
		} {
			require.Equal(t, want, traitsOf(model), "%s, first row %v", model, traits[0])
		}
		slices.Reverse(traits[:])
	}
}
