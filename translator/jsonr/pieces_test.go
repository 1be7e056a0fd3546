package jsonr

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/jsonw"
)

// checksPieces compares Pieces with Check, for a text cut anywhere between characters.
func checksPieces(t *testing.T, text string) {
	t.Helper()
	escaped := jsonw.Escape(text)
	r := NewReader(text)
	want := Check(text) == nil && r.Kind() == Object
	for cut := 0; cut <= len(escaped); cut++ {
		if cut > 0 && cut < len(escaped) && cutsEscape(string(escaped), cut) {
			continue
		}
		var o Pieces
		o.Add(escaped[:cut])
		o.Add(escaped[cut:])
		require.Equal(t, want, o.IsWhole(), "%q cut at %d", text, cut)
	}
}

// cutsEscape reports whether a cut is within an escape.
func cutsEscape(escaped string, cut int) bool {
	for i := 0; i < cut; {
		width := 1
		if escaped[i] == '\\' {
			_, width = jsonw.UnitAt(jsonw.Escaped(escaped[i:]))
		}
		if i += width; i > cut {
			return true
		}
	}
	return false
}

func TestPieces(t *testing.T) {
	for _, text := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a":{"b":[1,2,{}],"c":[]},"d":null}`, `{"a":true,"b":false}`,
		`{"é":"ü\n\u00fc\"\\/"}`, "{\n\t\"a\" : -0.5e+10 ,\r\n\"b\":0}",
		`{"a":1e5,"b":12.25E-3}`, `{"a":[[["x"]]]}`,
		``, ` `, `{`, `}`, `[]`, `"a"`, `1`, `null`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{a:1}`,
		`{"a":1]`, `{"a":[1}`, `{"a":[1,]}`, `{"a":[,1]}`, `{"a":1}}`, `{"a":1}{`, `{"a":1} x`,
		`{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":-}`, `{"a":1e}`, `{"a":1e+}`, `{"a":+1}`, `{"a":tru}`,
		`{"a":trues}`, `{"a":"\x"}`, `{"a":"\u00g0"}`, "{\"a\":\"\n\"}", `{"a":"`, `{"a":1 2}`, `{"a" 1}`,
		`{"a":1,"b"`,
		strings.Repeat(`{"a":`, MaxDepth) + `1` + strings.Repeat(`}`, MaxDepth),
		strings.Repeat(`{"a":`, MaxDepth+1) + `1` + strings.Repeat(`}`, MaxDepth+1),
		`{"a":` + strings.Repeat(`[`, MaxDepth-1) + strings.Repeat(`]`, MaxDepth-1) + `}`,
	} {
		checksPieces(t, text)
	}
	alphabet := []string{`{`, `}`, `[`, `]`, `,`, `:`, `"`, `"a"`, `"a":`, `1`, `0`, `-`, `.`, `e`, `true`,
		`null`, ` `, `\`, `u00e9`, `n`, "\n", `é`}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := `{"a":`
		for range random.IntN(8) {
			text += alphabet[random.IntN(len(alphabet))]
		}
		checksPieces(t, text)
		checksPieces(t, text+"}")
	}
}

func TestPiecesAllocatesNothing(t *testing.T) {
	piece := jsonw.Escape(`{"a":[1.5e3,"é\n",true,{"b":null}]}`)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		var o Pieces
		o.Add(piece)
		require.True(t, o.IsWhole())
	}))
}
