package ir

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpeakers has histories, a letter for the role of each message: the system prompt, then what each
// speaker says.
func TestSpeakers(t *testing.T) {
	letters := map[rune]Role{'s': System, 'u': User, 'a': Assistant}
	for history, want := range map[string]string{
		"":             "",
		"ss":           "ss",
		"u":            " u",
		"a":            " a",
		"ssuusuaausau": "ss uusu aa us a u",
		"saasa":        "s aa s a",
	} {
		var list []Message
		for _, letter := range history {
			list = append(list, Message{Role: letters[letter]})
		}
		prompt, rest := SystemPrompt(list)
		ends := []int{len(prompt)}
		for len(rest) > 0 {
			var said []Message
			said, rest = NextSpeaker(rest)
			ends = append(ends, ends[len(ends)-1]+len(said))
		}
		parts := []string{history[:ends[0]]}
		for i, end := range ends[1:] {
			parts = append(parts, history[ends[i]:end])
		}
		require.Equal(t, want, strings.Join(parts, " "), history)
	}
}
