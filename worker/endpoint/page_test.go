package endpoint

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// TestPageOptions: the page's form has every option with all values. Headers and searches have
// their own fields in the form.
func TestPageOptions(t *testing.T) {
	text, err := os.ReadFile("../page/operator/options.mjs")
	require.NoError(t, err)
	ofEndpoint, ofUpstream, found := strings.Cut(string(text), "export const upstreamOptions")
	require.True(t, found)
	named := regexp.MustCompile(`(?m)^  (?:word|text)\(\s*"(\w+)",\s*"[^"]+",\s*(?:\[([^\]]*)\])?`)
	for part, table := range map[string][]option{ofEndpoint: options(), ofUpstream: upstreamOptions()} {
		want, got := map[string]string{}, map[string]string{}
		for _, o := range table {
			if o.name != "headers" && o.name != "web_search" {
				want[o.name] = sorted(strings.Split(o.values, "|"))
			}
		}
		for _, m := range named.FindAllStringSubmatch(part, -1) {
			got[m[1]] = sorted(strings.FieldsFunc(m[2], func(r rune) bool {
				return !unicode.IsLetter(r) &&
					!strings.ContainsRune("-_", r)
			}))
		}
		require.Equal(t, want, got)
	}
}

func sorted(words []string) string {
	slices.Sort(words)
	return strings.Join(words, " ")
}
