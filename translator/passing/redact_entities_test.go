package passing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/passing"
)

// TestEntities: Redact finds a secret written with HTML entities, but decodes no text that only
// looks like an entity.
func TestEntities(t *testing.T) {
	const odd = `a<b>c&d'e"f-0123456`
	for _, text := range []string{"a&lt;b&gt;c&amp;d&apos;e&quot;f-0123456", "a&LT;b>c&d'e\"f-0123456"} {
		require.Equal(t, text[2] == 'l', passing.Redact(text, []string{odd}) == "[key]", text)
	}
	tab := "a\tb-0123456789abc"
	require.NotContains(t, passing.Redact("a&#9;b-0123456789abc", []string{tab}), "9;", "a reference of one digit")
	const secret = "Key-of-16-bytes!"
	for text, found := range map[string]bool{
		"&#75;ey-of-16-bytes!":                   true,
		"&#x4B;ey-of-16-bytes!":                  true,
		"&#X4b;ey-of-16-bytes&#33;":              true,
		"&#6f;ey-of-16-bytes!":                   false, // f is no decimal digit
		"&#x4g;ey-of-16-bytes!":                  false,
		"&#x10000004B;ey-of-16-bytes!":           false, // beyond the last character, and K in 32 bits
		"&#x4B ey-of-16-bytes!":                  false,
		"&#75ey-of-16-bytes!":                    false,
		"&#x10FFFF;&#x110000;ey-of-16-bytes!":    false,
		"before &#75;ey-of-16-bytes&#x21; after": true,
	} {
		got := passing.Redact(text, []string{secret})
		require.Equal(t, found, got != text, "%s: %s", text, got)
	}
}
