package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCallerOf: only code is a caller to report; a model's own call may say so, or nothing.
func TestCallerOf(t *testing.T) {
	for given, want := range map[Raw]Raw{
		"null": "", `{"type":"direct"}`: "",
		`{"type":"code_execution_20250825","tool_id":"x"}`: `{"type":"code_execution_20250825","tool_id":"x"}`,
	} {
		assert.Equal(t, want, CallerOf(given), given)
	}
}
