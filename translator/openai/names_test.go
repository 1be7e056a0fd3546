package openai

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

func TestCacheKey(t *testing.T) {
	require.Empty(t, cacheKey(&ir.Request{}))
	require.Empty(t, cacheKey(&ir.Request{UserID: "max@example.com"}))
	require.Equal(t, ir.Escaped("own"), cacheKey(&ir.Request{CacheKey: "own", Session: "s"}))

	key := cacheKey(&ir.Request{Session: "7c9e6679"})
	require.Regexp(t, "^[0-9a-f]{16}$", string(key))
	require.NotEqual(t, key, cacheKey(&ir.Request{Session: "7c9e667a"}))
}

// TestReadURL: the parameters of a data URL's media type are left out.
func TestReadURL(t *testing.T) {
	for url, want := range map[ir.Escaped]ir.Source{
		"https://a":                             {URL: "https://a"},
		"data:image/png;base64,aGk=":            {MediaType: "image/png", Data: "aGk="},
		`data:image\/png;base64,aGk=`:           {MediaType: "image/png", Data: "aGk="},
		"data:text/plain;charset=x;base64,aGk=": {MediaType: "text/plain", Data: "aGk="},
		"data:image/png,aGk=":                   {},
		"data:;base64,aGk=":                     {},
		"data:image/png;base64,":                {},
		"data:image/png;base64":                 {},
		"image/png;base64,aGk=":                 {},
	} {
		var got ir.Source
		require.Equal(t, want != ir.Source{}, ReadURL(&got, url), url)
		require.Equal(t, want, got, url)
	}
}
