package readme

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRationale checks the form of RATIONALE.md: short decisions, each with the rejected
// alternatives and a link to the code.
func TestRationale(t *testing.T) {
	text := documents(t)["RATIONALE.md"]
	assert.LessOrEqual(t, len(text), 45_000, "bytes")
	decisions := strings.Split(text, "\n### ")[1:]
	require.Greater(t, len(decisions), 20)
	assert.LessOrEqual(t, len(decisions), 50)
	for _, decision := range decisions {
		decision, _, _ = strings.Cut(decision, "\n## ")
		question, answer, _ := strings.Cut(decision, "\n")
		answer, code, _ := strings.Cut(answer, "\nCode: ")
		assert.True(t, strings.HasSuffix(question, "?"), question)
		assert.Contains(t, answer, "\n*Rejected:* ", question)
		assert.NotEmpty(t, Links(code), question)
		words := len(strings.Fields(answer))
		assert.True(t, words >= 80 && words <= 170, "%s has %d words", question, words)
	}
}
