package ir_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

func TestMeant(t *testing.T) {
	const roles = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'"
	for value, want := range map[string]string{
		"asistant": "assistant", "assitsant": "assistant", "assisstannt": "assistant", // one and two edits
		"asstnt": "", "usr": "user", "uesr": "user", "us": "", "usrer": "user", "tols": "", // short words: one edit
		"Assistant": "assistant", "ASSISTANT": "assistant", "sytsem": "system", "a": "", "": "",
		"assistant": "", "user": "", // known words
		"an": "", "andd": "", // no word of the list
		"developers": "developer", "devloper": "developer", "ässistant": "assistant",
		strings.Repeat("assistant", 1000): "",
	} {
		require.Equal(t, want, ir.Meant(value, roles), value)
	}
	const settings = "input, output, cache_read, cache_write and search"
	for value, want := range map[string]string{"cache-read": "cache_read", "cacheread": "cache_read",
		"searc": "search", "cache_reed": "cache_read", "outputs": "output", "writes": ""} {
		require.Equal(t, want, ir.Meant(value, settings), value)
	}
	require.Empty(t, ir.Meant("user", ""))
	require.Empty(t, ir.Meant(strings.Repeat("a", 40), strings.Repeat("a", 41)))
}

// TestFound: an error shows a wrong value, but not all of a long one, and a near word.
func TestFound(t *testing.T) {
	const roles = "'user' or 'assistant'"
	for v, want := range map[ir.Raw]string{
		`"asistant"`: " Found 'asistant'. Did you mean 'assistant'?",
		`"robot"`:    " Found 'robot'.", `"a\"b\n"`: " Found 'a\"b\n'.", `""`: " Found ''.",
		`12.5`: " Found 12.5.", `true`: " Found true.", `null`: " Found null.",
		`{"a":"secret"}`: " Found an object.", `["secret"]`: " Found an array.", ``: "",
	} {
		require.Equal(t, want, ir.WrongValue(v, roles), string(v))
	}
	long := ir.WrongValue(ir.Raw(`"`+strings.Repeat("é", 1000)+`"`), roles)
	require.Equal(t, " Found '"+strings.Repeat("é", 32)+"…'.", long)
	cut := ir.WrongValue(ir.Raw(`"a`+strings.Repeat("é", 1000)+`"`), roles)
	require.True(t, utf8.ValidString(cut))
	require.Equal(t, " Found 'a"+strings.Repeat("é", 31)+"…'.", cut)
	require.Less(t, len(ir.WrongValue(ir.Raw(strings.Repeat("1", 1000)), "")), 80)
	require.Equal(t, " Found a string.", ir.WrongKind(jsonr.String))
	require.Empty(t, ir.WrongKind(jsonr.Missing))
}
