package jsonr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// walk prints everything a Reader finds, in the order of the text.
func walk(b *strings.Builder, r *Reader) {
	kind := r.Kind()
	fmt.Fprint(b, kind, " ")
	switch kind {
	case Object:
		for r.OpenObject(); r.Member(); {
			fmt.Fprintf(b, "%q:", r.Key())
			walk(b, r)
		}
	case Array:
		for r.OpenArray(); r.Element(); {
			walk(b, r)
		}
	default:
		fmt.Fprintf(b, "%s ", r.Value())
	}
	b.WriteString(". ")
}

// jump skips every second member and element, and prints the rest twice: as raw text and with walk.
// Finally it prints the kind after the value.
func jump(b *strings.Builder, r *Reader) {
	fmt.Fprint(b, r.Len(), " ")
	for n, it := 0, r.Here(); n < 2; n++ {
		switch it.Kind() {
		case Object, Array:
			object := it.Kind() == Object
			i := 0
			for it.open(it.Kind()); object && it.Member() || !object && it.Element(); i++ {
				if i%2 == 0 {
					at := it
					fmt.Fprintf(b, "%s=", at.Value())
					here := it.Here()
					walk(b, &here)
				}
			}
		default:
			fmt.Fprintf(b, "%s ", it.Value())
		}
		fmt.Fprint(b, it.Kind(), " ")
	}
}

// mistake opens containers as the wrong kind, which makes them look empty.
func mistake(b *strings.Builder, r *Reader) {
	for r.OpenObject(); r.Member(); {
		fmt.Fprintf(b, "%s: ", r.Key())
		for r.OpenArray(); r.Element(); {
			mistake(b, r)
		}
	}
}

// checkIndex checks that a text reads the same with and without an Index.
func checkIndex(t *testing.T, x *Index, text string) {
	err := x.Check(text)
	require.Equal(t, Check(text), err)
	if err != nil {
		return
	}
	for _, way := range []func(*strings.Builder, *Reader){walk, jump, mistake} {
		var want, got strings.Builder
		over, along := NewReader(text), x.Reader()
		way(&want, &over)
		way(&got, &along)
		require.Equal(t, want.String(), got.String())
	}
}

func TestIndex(t *testing.T) {
	var x Index
	for _, text := range []string{
		`{}`, `[]`, `""`, ` 1 `, `null`,
		` { "a" : [ 1 , { } , [ ] , "x\"y" ] , "b\u0063\"" : { "c" : true } } `,
		`[[[1],2],{"a":{"b":[{}]}},3]`, `[{"":{"":0}}]`, `{"a":{"b":1},"c":[[2],{"d":3}],"e":4}`, `{"a":`,
		`[1,]`, `{"\\":"\\"}`,
		`[` + strings.Repeat("1,", maxTokens-4) + `2]`, // one below maxTokens
		`[` + strings.Repeat("1,", maxTokens-3) + `2]`,
		`[` + strings.Repeat("1,", maxTokens) + `{"a":[2]}]`,
		`[` + strings.Repeat("1,", maxTokens-4) + `{"\"":[2]}]`,
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
		strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1),
	} {
		checkIndex(t, &x, text)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = x.Check(`{"a":[1,{"b":"c"}]}`) }))
}

// TestIndexBounds: a text can't make the index grow without bounds.
func TestIndexBounds(t *testing.T) {
	var x Index
	require.NoError(t, x.Check("["+strings.Repeat("1,", 1<<20)+"1]"))
	require.LessOrEqual(t, cap(x.tokens), 2*maxTokens)
}

// FuzzIndex compares a Reader of an Index with a Reader of the plain text.
func FuzzIndex(f *testing.F) {
	f.Add(`{"a":[1,{"b\"":"c"}],"d":{}}`)
	f.Fuzz(func(t *testing.T, text string) { checkIndex(t, &Index{}, text) })
}
