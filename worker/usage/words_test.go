package usage

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestWords(t *testing.T) {
	for message, want := range map[string]string{
		"":                                "",
		"The upstream did not answer.":    "The upstream did not answer.",
		"It can't, and it won't.":         "It can't, and it won't.",
		"Unknown model 'gpt-9'.":          "Unknown model 'gpt-9'.",
		"Invalid value: 'my secret plan'": "Invalid value: '…'",
		`Bad input "dear diary, ..." at messages[0].content`:       `Bad input "…" at messages[0].content`,
		"Got “a whole sentence of it” and ‘more of it’ instead":    "Got “…” and ‘…’ instead",
		`expected a string, got {"role":"user","content":"x y z"}`: "expected a string, got {…}",
		strings.Repeat("x", 2000): strings.Repeat("x",
			mostWords),
		strings.Repeat("x", mostWords-1) + "é": strings.Repeat("x",
			mostWords-1),
		`never closed "and so on`: "never closed …",
		"Ungültig: „mein Plan“, „mój plan” oder «mon plan»": "Ungültig: „…“, „…” " +
			"oder «…»",
		"输入“我的秘密计划”和「秘密」无效":       "输入“…”和「…」无效",
		"输入'我的秘密'无效, l'été d'été": "输入'…'无效, l'été d'été",
		"Invalid value: 'it isn't my plan, it's yours', not 'gpt-9'": "Invalid value: " +
			"'…', not 'gpt-9'",
		`type=value_error, input_value=[{'type': 'text', 'text': 'hello there'}]`: "type=value_error, " +
			"input_value=[…]",
	} {
		assert.Equal(t, want, Words(message), message)
	}
}

// FuzzWords: for any message the result is valid text of bounded length, without a quotation that
// has a space.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"a 'b c' d", `"`, "“x y”", "it's {a: [b]} c", "[[[", "`\"` \"\"", "‘’",
		"\xff'\xff'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, message string) {
		words := Words(message)
		assert.True(t, utf8.ValidString(words), "%q", words)
		assert.LessOrEqual(t, len(words), 2*mostWords)
		for rest, quoted, found := words, "", true; ; {
			_, rest, _ = strings.Cut(rest, `"`)
			if quoted, rest, found = strings.Cut(rest, `"`); !found {
				break
			}
			assert.NotContains(t, quoted, " ", "%q of %q", words, message)
		}
	})
}

// FuzzReadPrices: invalid lines are skipped, and no cost is negative.
func FuzzReadPrices(f *testing.F) {
	f.Add("-1 1 2 3 4 5\n", int64(1), int64(2))
	f.Add("NaN Inf -Inf 1e400 0x1 _\n1 2 3 4 5 6", int64(1)<<62, int64(-5))
	f.Fuzz(func(t *testing.T, text string, input, output int64) {
		cost := ReadPrices(text).Of(&Tokens{Input: max(input, 0), Output: max(output, 0)})
		assert.True(t, cost == Unknown || cost >= 0 && cost <= Dollars(mostDollars), "%d", cost)
	})
}
