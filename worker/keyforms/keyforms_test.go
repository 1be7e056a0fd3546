package keyforms

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMask has a table of texts. e2e/pairs/dialect.test.mjs tests JavaScript's keyForms with the
// same table.
func TestMask(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.json")
	require.NoError(t, err)
	var cases [][2]string
	require.NoError(t, json.Unmarshal(text, &cases))
	leads := map[string]bool{}
	for _, c := range cases {
		require.Equal(t, c[1], Mask(c[0], "[key]"), c[0])
		require.Equal(t, c[0] != c[1], Has(c[0]), c[0])
		for i := range Forms {
			leads[Forms[i].Lead] = leads[Forms[i].Lead] || c[1] == "[key]" && strings.HasPrefix(c[0], Forms[i].Lead)
		}
	}
	n := 0
	for _, covered := range leads {
		if covered {
			n++
		}
	}
	require.GreaterOrEqual(t, n, 24)
}

// TestForms: the forms match their own keys, and Pattern agrees with the loop.
func TestForms(t *testing.T) {
	for i := range Forms {
		f := &Forms[i]
		follow := regexp.MustCompile(`\A` + f.Pattern())
		for c := range 256 {
			rest := strings.Repeat(string([]byte{byte(c)}), f.Least)
			require.Equal(t, follow.MatchString(rest), contains(f.Set, byte(c)), "%s: %q", f.Lead, c)
		}
		digits := strings.Repeat("0", f.Least-f.Dots) + strings.Repeat(".", f.Dots)
		require.Equal(t, "a [key]\nb", Mask("a "+f.Lead+digits+"\nb", "[key]"))
		require.Equal(t, "a"+f.Lead+digits, Mask("a"+f.Lead+digits, "[key]"), "inside of a word")
		if f.Dots == 0 {
			short := f.Lead + strings.Repeat("0", f.Least-1)
			require.Equal(t, short, Mask(short, "[key]"))
		}
	}
}

// TestMaskAllocatesNothing: most texts have no key.
func TestMaskAllocatesNothing(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(10, func() { Mask("claude-opus-4-5-20251101", "[key]") }))
}
