package chat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

// TestDoubtEnds: arguments are buffered until it is clear how a server sends them. They go out with
// the piece that ends the doubt, not only at the end of the answer.
func TestDoubtEnds(t *testing.T) {
	for name, c := range map[string]struct{ pieces, out []string }{
		"each piece is new": {[]string{`{\"a\":`, `{\"a\":`, `1}`}, []string{`{\"a\":`, ``,
			`{\"a\":1}`}},
		"each piece repeats": {[]string{`{\"a\":`, `{\"a\":1`, `{\"a\":1,\"b\":`,
			`{\"a\":1,\"b\":2}`}, []string{`{\"a\":`, ``, `1,\"b\":`, `2}`}},
		"the second piece decides": {[]string{`{\"a\":1`, `{\"a\":1,\"b\":2`}, []string{`{\"a\":1`,
			`,\"b\":2`}},
		"a string around an object": {[]string{`\"{`, `\\\"a\\\":1`, `}\"`}, []string{``, ``, `{\"a\":1}`}},
	} {
		r := irtest.Record(t)
		d := newDecoder(irtest.Request(), &ir.Target{}, &ir.Lost{}, r)
		d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f",`+
			`"arguments":""}}]}}]}`)
		for i, piece := range c.pieces {
			before := r.Text()
			d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"`+piece+
				`"}}]}}]}`)
			require.Equal(t, c.out[i], string(r.Text()[len(before):]), "%s, piece %d", name, i)
		}
	}
}
