package responses

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOwnPaths(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		"temperature":                          "temperature",
		"input":                                "input",
		"input[3]":                             "input[0]",
		"input[13].content[1].detail":          "input[10].content[1].detail",
		"input[2].content[1]":                  "previous_response_id",
		"input[0],input[4].odd,tools[2]":       "previous_response_id,input[1].odd,tools[2]",
		"Invalid type for 'input[5].content'.": "Invalid type for 'input[2].content'.",
		"tool_input[5], x.input[5], input[, input[x], input[7": "tool_input[5], x.input[5], input[, " +
			"input[x], input[7",
	} {
		require.Equal(t, want, OwnPaths(text, 3, "previous_response_id"), text)
	}
	require.Equal(t, 2, Items(`[{"a":[1,2]},{}`))
	require.Equal(t, 0, Items(`[`))
}
