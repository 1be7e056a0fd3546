package chat

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestObjectEnds feeds objects in all cuts between characters: each is complete with the last
// character, and not before.
func TestObjectEnds(t *testing.T) {
	for _, s := range []string{
		`{}`, ` {"a":1} `, `{"a":{"b":[{}]}}`, `{"a":"}"}`, `{"a":"\"}"}`, `{"a":"\\"}`, `{"a":"\\\"}{"}`,
		`{"a":"\u007d"}`, "{\n\"a\":\t[1,2]\r}", `{"<":">&"}`,
	} {
		literal, err := json.Marshal(s) // writes < > & as \u escapes
		require.NoError(t, err)
		pieces := split(ir.Escaped(literal[1 : len(literal)-1]))
		var o object
		end := len(pieces)
		for pieces[end-1] == " " {
			end--
		}
		for i, p := range pieces {
			require.Equal(t, i >= end, o.state == complete, "%s at %d", s, i)
			require.True(t, o.read(p))
		}
		require.True(t, o.state == complete, s)
		require.False(t, o.read("x"), "nothing may follow")

		var whole object
		require.True(t, whole.read(ir.Escaped(literal[1:len(literal)-1])))
		require.True(t, whole.state == complete)
	}
}

func TestObjectUnicodeEscapes(t *testing.T) {
	var o object
	require.True(t, o.read(`\u007b\u0022a\u0022:\u0022\u005c\u0022\u007d\u00e9\u0022`))
	require.False(t, o.state == complete)
	require.True(t, o.read(`\u007D\u000a`))
	require.True(t, o.state == complete)
}

// split cuts between the characters of a literal, not inside an escape: upstreams send whole literals.
func split(e ir.Escaped) (pieces []ir.Escaped) {
	for e != "" {
		n := 1
		if e[0] == '\\' {
			if n = 2; e[1] == 'u' {
				n = 6
			}
		}
		pieces = append(pieces, e[:n])
		e = e[n:]
	}
	return pieces
}
