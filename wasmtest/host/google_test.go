package host

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/worker/endpoint"
)

// TestUnopenedWords: the worker on Cloudflare has the same words for a key that does not open.
func TestUnopenedWords(t *testing.T) {
	script, err := os.ReadFile("../../worker/workerd/google.mjs")
	require.NoError(t, err)
	assert.Contains(t, strings.ReplaceAll(string(script), "\" +\n  \"", ""), `"the key`+endpoint.Unopened+`"`)
}
