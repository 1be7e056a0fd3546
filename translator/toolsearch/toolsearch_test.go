package toolsearch

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// matches reports whether a pattern matches a text.
func matches(t *testing.T, source, text string) bool {
	p, fault := compile(source)
	require.Empty(t, fault, source)
	return p.matches(text)
}

// TestPatterns compares the matcher with Go's, which knows the same syntax.
func TestPatterns(t *testing.T) {
	texts := []string{"", "get_weather", "GET_user_data", "a", "b", "ab", "aab", "abab", "aaaa", "x-y z", "9", "_",
		"weather\nforecast", "query the database", "Grüße", "the end"}
	for _, source := range []string{"", "weather", "get_.*_data", "database.*query|query.*database", "^get", "data$",
		"a|b|", "(a|b)*c?$", "^(ab)+$", "^a{2,3}$", "^a{2}", "a{0}b", "^a{,2}$", "a{x}", "{", "^(?:a|b){2}$", "(?i)GET",
		"(?P<verb>get|set)_", "[a-c]+", "[^a-z]", "[]a]", "[a-]", "\\bend\\b", "\\Bnd", "\\w+\\s\\w+", "^\\d$", "\\S",
		"[\\w.]", "[^\\W_]", "^.$", "a*?b", "a+?", "x\\-y", "(a*)*$", "((a?){3})+$", "ü", "Gr..e", "^forecast",
		"\\Aget", "(|a)b", "\\."} {
		reference := regexp.MustCompile("(?mi)" + strings.NewReplacer("{,2}", "{0,2}", "\\w", "[\\p{L}\\w]",
			"\\W", "[^\\p{L}\\w]", "[^\\W_]", "[\\p{L}a-z0-9]", "[\\w.]", "[\\p{L}\\w.]").Replace(source))
		for _, text := range texts {
			require.Equal(t, reference.MatchString(text), matches(t, source, text), "%q in %q", source, text)
		}
	}
}

// TestFaults: what is no pattern, and what would need more than linear time.
func TestFaults(t *testing.T) {
	for source, fault := range map[string]string{
		"(":                         "missing ), unterminated subpattern at position 1",
		"((":                        "missing ), unterminated subpattern at position 2",
		")":                         "unbalanced parenthesis at position 0",
		"a)b":                       "unbalanced parenthesis at position 1",
		"[a":                        "unterminated character set at position 2",
		"*a":                        "nothing to repeat at position 0",
		"a|*":                       "nothing to repeat at position 2",
		"a**":                       "multiple repeat at position 3",
		"a{3,2}":                    "min repeat greater than max repeat at position 6",
		"[z-a]":                     "bad character range at position 4",
		"[\\w-z]":                   "bad character range at position 5",
		"\\":                        "bad escape (end of pattern) at position 1",
		"\\q":                       "escape not supported here: \\q at position 2",
		"(a)\\1":                    "escape not supported here: \\1 at position 5",
		"(?=a)":                     "lookarounds, references to groups and the flag x are not supported here at position 2",
		"(?<!a)":                    "lookarounds, references to groups and the flag x are not supported here at position 2",
		"(?P=a)":                    "lookarounds, references to groups and the flag x are not supported here at position 2",
		"(?x)a":                     "lookarounds, references to groups and the flag x are not supported here at position 2",
		"(?#a":                      "unterminated group at position 4",
		"a{1001}":                   "too many repetitions at position 7",
		"(a{100}){100}":             "too many repetitions at position 13",
		"(){999999999999999999999}": "too many repetitions at position 25",
		"a{18446744073709551617}":   "too many repetitions at position 23",
		"a{1000}":                   "",
		"a{1000}b":                  "too many repetitions at position 8",
		"(a{600}){2}":               "too many repetitions at position 11",
		"(a{600}|b{600})c":          "too many repetitions at position 14",
		strings.Repeat("(", 9):      "too many groups inside each other at position 9",
		"\\x61":                     "escape not supported here: \\x at position 2",
		"ä*{2":                      "",
	} {
		p, got := compile(source)
		require.Equal(t, fault, got, source)
		require.LessOrEqual(t, len(p.code), maxProgram+1, source)
		require.Equal(t, len(source), p.at, source) // nothing is left to read, or to recurse into
	}
}

func tools(n int) (list []ir.Tool) {
	for i := range n {
		list = append(list, ir.Tool{Name: ir.Escaped(fmt.Sprintf("tool_%d", i)), Description: "Does something."})
	}
	return list
}

// TestByPattern: which texts are searched, in which order, and with which limits.
func TestByPattern(t *testing.T) {
	list := append(tools(20),
		ir.Tool{Name: "crm__note", Description: `Writes a \"note\" about a customer.`, Schema: `{"type":"object",
			"properties":{"customer_id":{"type":"string","description":"Whose\nnote."},
			"more":{"type":"array","items":{"properties":{"deep":{"description":"A nested text"}}}}}}`},
		ir.Tool{Name: "customers", Description: "Lists all."})
	for pattern, want := range map[string][]int{
		"CRM__":          {20},
		`a "note" about`: {20},
		"^customer_id$":  {20},
		"^Whose$":        {20},
		"nested":         {20},
		"customer":       {21, 20}, // the one with the name first
		"tool_1":         {1, 10, 11, 12, 13},
		"something":      {0, 1, 2, 3, 4},
		"nothing else":   nil,
		"note\\.deep":    nil,
	} {
		found, code, _ := ByPattern(list, pattern)
		require.Empty(t, code)
		require.Equal(t, want, found, pattern)
	}
	_, code, words := ByPattern(list, strings.Repeat("ä", 201))
	require.Equal(t, ir.SearchInvalid, code)
	require.Equal(t, "Pattern exceeds maximum length of 200 characters", words)
	found, code, _ := ByPattern(list, strings.Repeat("ä", 200))
	require.Empty(t, code)
	require.Empty(t, found)
	_, code, words = ByPattern(list, "((")
	require.Equal(t, ir.SearchInvalid, code)
	require.Equal(t, "Invalid regular expression pattern: missing ), unterminated subpattern at position 2", words)
}

// TestStepsAreBounded: a pattern of many states in a long text ends, in any case, after maxSteps.
func TestStepsAreBounded(t *testing.T) {
	list := []ir.Tool{{Name: "long", Description: ir.Escaped(strings.Repeat("a", 1<<20))}, {Name: "z"}}
	_, code, _ := ByPattern(list, "(a?a?a?a?a?a?a?a?a?a?){40}b")
	require.Equal(t, ir.SearchTooSlow, code)
	p, _ := compile("(a?a?a?a?a?a?a?a?a?a?){40}b")
	p.matches(strings.Repeat("a", 1<<20))
	require.Less(t, p.steps, maxSteps+3*maxProgram)
	p, _ = compile("[" + strings.Repeat("q", 160) + "]") // a long set takes as long as several steps
	p.matches(strings.Repeat("a", 1000))
	require.Greater(t, p.steps, 1000*160/longSet)
	found, code, _ := ByPattern(list, "z|b")
	require.Empty(t, code)
	require.Equal(t, []int{1}, found)
}

// TestByWords: the ranking of a search by words.
func TestByWords(t *testing.T) {
	list := append(tools(20),
		ir.Tool{Name: "getWeather", Description: "Says the weather of a city."},
		ir.Tool{Name: "list_forecasts", Description: "The weather of the next days."},
		ir.Tool{Name: "send_mail", Description: "Sends a mail, with the weather or without.",
			Schema: `{"properties":{"recipient":{"description":"Who gets it"}}}`},
		ir.Tool{Name: "翻译", Description: "翻译一段文字"})
	for words, want := range map[string][]int{
		"weather":              {20, 21, 22},
		"get weather city":     {20, 22, 21},
		"forecast":             {21},
		"recipients":           {22},
		"文字翻译":                 {23},
		"something":            {0, 1, 2, 3, 4},
		"tool 7":               {7},
		"no such thing":        nil,
		"":                     nil,
		"WEATHER, of (a) CITY": {20, 21, 22},
	} {
		found, code, _ := ByWords(list, words)
		require.Empty(t, code)
		require.Equal(t, want, found, words)
	}
	// a tool with fewer words is more likely meant
	short := ir.Tool{Name: "row", Description: "Rows a boat."}
	long := ir.Tool{Name: "sail", Description: "Sails a boat " + ir.Escaped(strings.Repeat("over the sea ", 40))}
	found, _, _ := ByWords([]ir.Tool{long, short, long}, "boat")
	require.Equal(t, []int{1, 0, 2}, found)
	found, _, _ = ByWords([]ir.Tool{short, long}, "boat")
	require.Equal(t, []int{0, 1}, found)
	found, _, _ = ByWords(nil, "weather")
	require.Empty(t, found)
	_, code, _ := ByWords(list, strings.Repeat("a ", 251))
	require.Equal(t, ir.SearchInvalid, code)
}

// FuzzPattern: no pattern crashes or takes more than its steps.
func FuzzPattern(f *testing.F) {
	for _, seed := range []string{"a(b|c)*d", "[^a-z]{2,}?", "\\b\\w+\\b", "(?i:x|y)+", "((((a))))", "a{,3}{"} {
		f.Add(seed, "abcd xyz")
	}
	f.Fuzz(func(t *testing.T, source, text string) {
		if len(source) > maxPattern {
			return
		}
		p, fault := compile(source)
		if fault == "" {
			p.matches(text)
			require.LessOrEqual(t, len(p.code), maxProgram+1)
		}
	})
}
