package chat

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

// sendPieces sends pieces of one call's arguments and returns the recorded events.
func sendPieces(t *testing.T, pieces []ir.Escaped) *irtest.Recorder {
	r := irtest.Record(t)
	d := newDecoder(irtest.Request(), &ir.Target{}, &ir.Lost{}, r)
	for i, p := range pieces {
		start := ""
		if i == 0 {
			start = `"id":"a",`
		}
		name := ""
		if i == 0 {
			name = `"name":"f",`
		}
		d.Event("", `{"choices":[{"delta":{"tool_calls":[{"index":0,`+start+`"function":{`+name+
			`"arguments":"`+string(p)+`"}}]}}]}`)
	}
	d.Event("", `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`)
	d.Close(nil)
	return r
}

var objects = []string{
	`{}`, `{"a":1}`, `{"a":{"a":1}}`, `{"a":{"a":{"a":{"a":1}}}}`, `{"a":[{"a":[{"a":[1]}]}]}`,
	`{"a":[1,{"a":[1,2]}]}`, `{"x":"{\"x\":\"{"}`, `{"a":"b\\"}`,
	`{"":{"":{"":""}}}`, `{",":",{\",\":"}`, `{"{":"{"}`, ` { "a" : { "a" : "\u00e9<>" } } `,
	`{"path":"a/b","text":"line\nline\nline\n"}`, "{\n\"a\":\n{\n\"a\":\n1}}",
}

// TestSeparatePiecesAreKept cuts objects in all ways into two and three pieces, and at random into
// more: pieces that follow the API are never mistaken for repeats.
func TestSeparatePiecesAreKept(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, s := range objects {
		chars, whole := literal(t, s)
		for i := range len(chars) + 1 {
			for k := i; k <= len(chars); k++ {
				requireWhole(t, whole, []ir.Escaped{join(chars[:i]), join(chars[i:k]), join(chars[k:])})
			}
		}
		for range 300 {
			var pieces []ir.Escaped
			for rest := chars; len(rest) > 0; {
				n := 1 + random.Intn(min(len(rest), 9))
				pieces = append(pieces, join(rest[:n]))
				rest = rest[n:]
			}
			requireWhole(t, whole, pieces)
			requireWhole(t, whole, append(pieces, ir.Escaped(whole))) // and all pieces once more at the end
		}
	}
}

// TestCumulativePieces sends all arguments so far with every piece.
func TestCumulativePieces(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, s := range []string{`{"location":"San Francisco","unit":"c"}`,
		`{"a":{"b":[1,2,{"c":"d"}]},"e":"\"\\"}`, `{"a":1,"b":{"a":1}}`} {
		chars, whole := literal(t, s)
		for i := 1; i < len(chars); i++ {
			requireWhole(t, whole, []ir.Escaped{join(chars[:i]), ir.Escaped(whole)})
			requireWhole(t, whole, []ir.Escaped{join(chars[:i]), ir.Escaped(whole), ir.Escaped(whole)})
		}
		for range 300 {
			var pieces []ir.Escaped
			for n := 1 + random.Intn(5); n < len(chars); n += 1 + random.Intn(5) {
				pieces = append(pieces, join(chars[:n]))
			}
			requireWhole(t, whole, append(pieces, ir.Escaped(whole)))
		}
	}
}

func TestChangedCumulativeArgumentsFail(t *testing.T) {
	r := sendPieces(t, []ir.Escaped{`{\"a\"`, `{\"a\":\"b`, `{\"b\":1}`})
	require.NotNil(t, r.Failure())
	require.Contains(t, r.Failure().Message, "the arguments of a tool call change")
}

func requireWhole(t *testing.T, whole string, pieces []ir.Escaped) {
	r := sendPieces(t, pieces)
	require.Nil(t, r.Failure(), "%q", pieces)
	require.Equal(t, strings.TrimRight(whole, " "), strings.TrimRight(string(r.Text()), " "), "%q", pieces)
}

// literal returns an object as a literal, and its escaped characters.
func literal(t *testing.T, s string) (chars []ir.Escaped, whole string) {
	require.True(t, json.Valid([]byte(s)), s)
	b, err := json.Marshal(s)
	require.NoError(t, err)
	whole = string(b[1 : len(b)-1])
	return split(ir.Escaped(whole)), whole
}

func join(chars []ir.Escaped) (e ir.Escaped) {
	for _, c := range chars {
		e += c
	}
	return e
}
