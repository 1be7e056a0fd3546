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
