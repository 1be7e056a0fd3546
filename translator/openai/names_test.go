package openai

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

func TestCacheKey(t *testing.T) {
	require.Empty(t, CacheKey(&ir.Request{}))
	require.Empty(t, CacheKey(&ir.Request{UserID: "max@example.com"}))
	require.Equal(t, ir.Escaped("own"), CacheKey(&ir.Request{CacheKey: "own", Session: "s"}))

	key := CacheKey(&ir.Request{Session: "7c9e6679"})
	require.Regexp(t, "^[0-9a-f]{16}$", string(key))
	require.NotEqual(t, key, CacheKey(&ir.Request{Session: "7c9e667a"}))
}
