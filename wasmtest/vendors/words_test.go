package vendors

import (
	"testing"

	"edgelingua/wasmtest/vendors/shape"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		path, message string
		of            func(*wording) string
		want          string
	}{
		{"tools[0].custom.name", `must match /^[a-z]+$/: "A"`, ofAnthropic,
			"tools.0.custom.name: String should match pattern '^[a-z]+$'"},
		{"messages[1].content[0].id", "unknown field", ofAnthropic,
			"messages.1.content.0.id: Extra inputs are not permitted"},
		{"tools[21].function.name", `must match /^[a-zA-Z0-9_-]+$/: "a.b"`, ofOpenAI,
			"Invalid 'tools[21].function.name': string does not match pattern. Expected a string that " +
				"matches the pattern '^[a-zA-Z0-9_-]+$'."},
		{"messages[2].tool_calls[0].id", "string too long: at most 40 characters, not 41", ofOpenAI,
			"Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum " +
				"length 40, but got a string with length 41 instead."},
		{"generation_config.seed", "unknown field", ofGoogle,
			`Invalid JSON payload received. Unknown name "seed" at 'generation_config': Cannot find field.`},
		{"", "Thought signature is not valid.", ofGoogle, "Thought signature is not valid."},
	} {
		if got := words(&shape.Refusal{Path: c.path, Message: c.message}, c.of); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}
