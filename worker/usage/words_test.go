package usage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWords(t *testing.T) {
	for message, want := range map[string]string{
		"":                                "",
		"The upstream did not answer.":    "The upstream did not answer.",
		"It can't, and it won't.":         "It can't, and it won't.",
		"Unknown model 'gpt-9'.":          "Unknown model 'gpt-9'.",
		"Invalid value: 'my secret plan'": "Invalid value: '…'",
		`Bad input "dear diary, ..." at messages[0].content`:                      `Bad input "…" at messages[0].content`,
		"Got “a whole sentence of it” and ‘more of it’ instead":                   "Got “…” and ‘…’ instead",
		`expected a string, got {"role":"user","content":"x y z"}`:                "expected a string, got {…}",
		strings.Repeat("x", 2000):                                                 strings.Repeat("x", mostWords),
		strings.Repeat("x", mostWords-1) + "é":                                    strings.Repeat("x", mostWords-1),
		`never closed "and so on`:                                                 "never closed …",
		`type=value_error, input_value=[{'type': 'text', 'text': 'hello there'}]`: "type=value_error, input_value=[…]",
	} {
		assert.Equal(t, want, Words(message), message)
	}
}
