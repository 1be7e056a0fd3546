package jsonr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/jsonw"
)

func TestIsBlank(t *testing.T) {
	for _, e := range []jsonw.Escaped{"", " ", `\n`, ` \r\n\t `} {
		require.True(t, IsBlank(e), e)
	}
	for _, e := range []jsonw.Escaped{"x", ` \"`, `\\n`, `\u00a0`} {
		require.False(t, IsBlank(e), e)
	}
}

func TestAsks(t *testing.T) {
	for _, v := range []jsonw.Raw{`null`, `false`, `""`, `[]`, `{}`, `{"enabled":false}`} {
		require.False(t, Asks(v), v)
	}
	for _, v := range []jsonw.Raw{`true`, `0`, `"x"`, `[null]`, `{"a":null}`, `{"enabled":true}`} {
		require.True(t, Asks(v), v)
	}
}

// TestAppendObject: empty arguments, and arguments that are not an object (FAULTS 56, 57).
func TestAppendObject(t *testing.T) {
	for arguments, want := range map[jsonw.Escaped]string{
		``:                           `{}`,
		` \n`:                        `{}`,
		`{}`:                         `{}`,
		`{\"a\": \"\\n\"}`:           `{"a": "\n"}`,
		`{\"a\":\"\\ud83d\"}`:        `{"a":"\ufffd"}`,
		`{\"a\":\"\\ud83d\\ude00\"}`: `{"a":"\ud83d\ude00"}`,
		`{\"a\":`:                    `{"invalid_arguments":"{\"a\":"}`,
		`[1]`:                        `{"invalid_arguments":"[1]"}`,
		`null`:                       `{"invalid_arguments":"null"}`,
		`{\"a\":1} trailed`:          `{"invalid_arguments":"{\"a\":1} trailed"}`,
	} {
		require.Equal(t, "x"+want, string(AppendObject([]byte("x"), arguments)), arguments)
	}
}
