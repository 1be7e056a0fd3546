package jsonw

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

var samples = []string{"", "plain", "a\"b\\c/d", "\n\r\t\b\f\x00\x1f\x7f", "é€😀", "\xff", "a\xffb\xc3",
	"\u2028", "<&>", strings.Repeat("x\n", 100)}

func TestAppendString(t *testing.T) {
	for _, s := range samples {
		quotes(t, s)
	}
}

// quotes compares AppendString and AppendUnescaped with encoding/json.
func quotes(t *testing.T, s string) {
	literal := AppendString([]byte("x"), s)[1:]
	require.True(t, utf8.Valid(literal))
	var got string
	require.NoError(t, json.Unmarshal(literal, &got), "%q", literal)
	require.Equal(t, strings.ToValidUTF8(s, "\uFFFD"), mergeReplacements(got, s))
	require.Equal(t, string(literal), string(AppendEscaped(nil, Escape(s))))
	require.Equal(t, got, Unescape(Escape(s)))

	foreign, err := json.Marshal(s)
	require.NoError(t, err)
	require.Equal(t, got, Unescape(Escaped(foreign[1:len(foreign)-1])))
}

// mergeReplacements reduces a run of U+FFFD to one, as strings.ToValidUTF8 does, if s itself has
// none.
func mergeReplacements(got, s string) string {
	if strings.Contains(s, "\uFFFD") || utf8.ValidString(s) {
		return got
	}
	for strings.Contains(got, "\uFFFD\uFFFD") {
		got = strings.ReplaceAll(got, "\uFFFD\uFFFD", "\uFFFD")
	}
	return got
}

func TestAppendUnescaped(t *testing.T) {
	for _, c := range []struct {
		in   Escaped
		want string
	}{
		{`a\n\t\r\b\f\"\\\/`, "a\n\t\r\b\f\"\\/"},
		{`\u00e9\u20AC\ud83d\ude00`, "é€😀"},
		{`\ud83d`, "\uFFFD"}, {`\ude00x`, "\uFFFDx"}, {`\ud83d\u0041`, "\uFFFDA"}, {`\ud83d\ud83d\ude00`,
			"\uFFFD😀"},
		{`\`, `\`}, {`\q`, `\q`}, {`\u12`, `\u12`}, {`\u12gh`, `\u12gh`},
	} {
		require.Equal(t, c.want, string(AppendUnescaped(nil, c.in)), c.in)
	}
}

func TestUnescapeIsAViewWithoutEscapes(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = Unescape("plain é") }))
}

// TestObjectInAString quotes a JSON object into a string, and unquotes it again.
func TestObjectInAString(t *testing.T) {
	object := Raw("{\"a\": \"x\\n\\u00e9\\\"\",\n \"b\": [1.0, {}]}")
	inside := Escaped(AppendQuotedRaw(nil, object))
	var text string
	require.NoError(t, json.Unmarshal(AppendEscaped(nil, inside), &text))
	require.Equal(t, string(object), text)
	require.Equal(t, string(object), string(AppendUnescaped(nil, inside)))
}

func FuzzAppendString(f *testing.F) {
	for _, s := range samples {
		f.Add(s)
	}
	f.Fuzz(quotes)
}

func TestFlatten(t *testing.T) {
	text := []byte("{\r\n\t\"a\": \"\\n\"\n}")
	Flatten(text)
	require.Equal(t, "{  \t\"a\": \"\\n\" }", string(text))
}

// TestWithoutHalves: whole pairs, other escapes and text around the halves stay.
func TestWithoutHalves(t *testing.T) {
	for text, want := range map[string]string{
		``:                               ``,
		`"cut \ud83d"`:                   `"cut \ufffd"`,
		`"\uDE00 cut"`:                   `"\ufffd cut"`,
		`"\ud83d\ude00"`:                 `"\ud83d\ude00"`,
		`"\uD83D\uDE00"`:                 `"\uD83D\uDE00"`,
		`"\ude00\ud83d"`:                 `"\ufffd\ufffd"`,
		`"\ud83d\ud83d\ude00"`:           `"\ufffd\ud83d\ude00"`,
		`"\ud83d\n\ude00"`:               `"\ufffd\n\ufffd"`,
		`"\\ud83d"`:                      `"\\ud83d"`,
		`"\\\ud83d\\"`:                   `"\\\ufffd\\"`,
		`{"\ud83d":["\u00e9","\ufffd"]}`: `{"\ufffd":["\u00e9","\ufffd"]}`,
		`\`:                              `\`,
		`\ud8`:                           `\ud8`,
	} {
		given := []byte(text)
		require.Equal(t, want, string(WithoutHalves(given)))
		require.Equal(t, text, string(given), "the text itself is unchanged")
	}
}

func TestCharacters(t *testing.T) {
	for text, want := range map[Escaped]int64{
		``: 0, `abc`: 3, `é漢😀`: 3, `\n\"\\u`: 4, `\u00e9`: 1, `\ud83d\ude00`: 1, `\ud83d`: 1, `\ude00`: 0,
		`\ud83da`: 2, `\`: 1,
	} {
		if got := Characters(text); got != want {
			t.Errorf("%q: %d characters, not %d", text, got, want)
		}
	}
}

// TestUnicodeEscape has the first and last halves of surrogate pairs, and their neighbours.
func TestUnicodeEscape(t *testing.T) {
	for e, want := range map[Escaped]rune{
		`\ud7ff`: 0xd7ff, `\ue000`: 0xe000,
		`\ud800\udc00`: 0x10000, `\udbff\udfff`: 0x10ffff,
		`\ud800`: utf8.RuneError, `\udbff`: utf8.RuneError, `\udc00`: utf8.RuneError, `\udfff`: utf8.RuneError,
		`\ud800\udbff`: utf8.RuneError, `\ud800\ue000`: utf8.RuneError, `\udc00\udc00`: utf8.RuneError,
		`\ud80`: 0, `\ud80g`: 0, `\n`: 0,
	} {
		r, n := UnicodeEscape(e)
		require.Equal(t, want, r, e)
		switch {
		case want == 0:
			require.Zero(t, n, e)
		case want > 0xffff:
			require.Equal(t, 12, n, e)
		default:
			require.Equal(t, 6, n, e)
		}
	}
}
