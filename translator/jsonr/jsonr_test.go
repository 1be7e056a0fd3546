package jsonr

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
)

var texts = []string{
	``, ` `, `{}`, `[]`, ` {} `, `{"a":1}`, `{"a":1,"b":[true,false,null]}`, `"x"`, `1`, `-0`, `-`, `01`,
	`1.`, `1.5e+3`, `1e`, `.5`, `+1`,
	`0x1`, `1e5`, `1E-5`, `true`, `tru`, `truex`, `null`, `nul`, `false`, `falsy`, `{`, `[`, `}`, `]`,
	`{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[,1]`,
	`[1 2]`, `{"a" 1}`, `{"a":1 "b":2}`, `{a:1}`, `{"a":1}}`, `[]]`, `[1}`, `{"a":1]`, `"a`, `"\n"`, `"\x"`,
	`"\u12"`, `"\u12g4"`, `"\u1234"`, `"\`, `"\u`,
	`"\ud800"`, "\"\x01\"", "\"\t\"", "\"\xff\"", "\"\x7f\"", `"é"`, `{"a":{"b":{"c":[[[[]]]]}}}`,
	"\ufeff{}", `[1] x`, `1 2`, "\x00", `{"":""}`, `[[],{}]`,
	"\v{}", "[1\n,\r2\t]", `{"a":1,"a":2}`, `[1.0,-1.0e10,0.1]`, `[-]`, `[-a]`, `[1.a]`, `[1ea]`, `["a":1]`,
	`{"a","b"}`, `{1:2}`, `nan`, `[nullnull]`,
}

func agrees(t *testing.T, s string) {
	err := Check(s)
	if errors.Is(err, ErrDepth) {
		require.Greater(t, strings.Count(s, "[")+strings.Count(s, "{"), MaxDepth)
		return
	}
	require.Equal(t, json.Valid([]byte(s)), err == nil, "%q: %v", s, err)
}

func TestCheck(t *testing.T) {
	for _, s := range texts {
		agrees(t, s)
		for i := range s {
			agrees(t, s[:i])
		}
	}
}

func TestCheckOffset(t *testing.T) {
	for s, want := range map[string]int{`{"a":}`: 5, `[1,2`: 4, `{"a":1} x`: 8, `"\q"`: 2, `tru`: 3,
		`trux`: 3, ``: 0, `{"a":1,}`: 7, `"\u12g"`: 5, `-x`: 1} {
		var syntax *SyntaxError
		require.ErrorAs(t, Check(s), &syntax, s)
		require.Equal(t, want, syntax.Offset, s)
	}
	require.EqualError(t, Check(`[1,2`), "not JSON at offset 4")
}

func TestCheckDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`[{"a":`, n/2) + "1" + strings.Repeat(`}]`, n/2) }
	require.NoError(t, Check(nested(MaxDepth)))
	require.ErrorIs(t, Check(nested(MaxDepth+2)), ErrDepth)
	require.ErrorIs(t, Check(strings.Repeat("[", 1<<20)), ErrDepth)
	require.NoError(t, Check("["+strings.Repeat("[],", 1000)+"[]]"), "siblings do not count")
}

func TestCheckAllocatesNothing(t *testing.T) {
	s := `{"a":[1,2,{"b":"c\n"}]}`
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = Check(s) }))
}

// rebuilt walks a value with a Reader and returns the values found.
func rebuilt(r *Reader) any {
	switch r.Kind() {
	case Object:
		m := map[string]any{}
		for r.OpenObject(); r.Member(); {
			key := r.Key()
			m[key] = rebuilt(r)
		}
		return m
	case Array:
		list := []any{}
		for r.OpenArray(); r.Element(); {
			list = append(list, rebuilt(r))
		}
		return list
	}
	return scalar(r.Kind(), r.Value())
}

// scalar returns a value as this package's functions read it. Numbers that are not whole are read
// with encoding/json.
func scalar(kind Kind, v jsonw.Raw) any {
	if kind != KindOf(v) {
		return "another kind than " + v
	}
	switch kind {
	case Null:
		return nil
	case Bool:
		return v == "true"
	case String:
		text, ok := Text(v)
		if !ok {
			return "no text in " + v
		}
		return jsonw.Unescape(text)
	}
	var number float64
	if err := json.Unmarshal([]byte(v), &number); err != nil {
		return err
	}
	if n, ok := Int(v); ok {
		return float64(n)
	}
	return number
}

// wholeNumbersAgree checks that Int reads whole numbers of at most 18 digits, and nothing else.
func wholeNumbersAgree(t *testing.T, s string) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	for token, err := d.Token(); err == nil; token, err = d.Token() {
		number, ok := token.(json.Number)
		if !ok {
			continue
		}
		want, err := strconv.ParseInt(string(number), 10, 64)
		n, ok := Int(jsonw.Raw(number))
		require.Equal(t, err == nil && len(strings.TrimPrefix(string(number), "-")) <= 18, ok, number)
		if ok {
			require.Equal(t, want, n)
		}
	}
}

func TestReader(t *testing.T) {
	for _, s := range append(texts,
		` { "a" : [ 1 , "x\"}" , { "\u0062\n" : null } ] , "c" : { } , "d":[[],[{}]] } `) {
		if Check(s) == nil {
			readsAsOracle(t, s)
		}
	}
}

func readsAsOracle(t *testing.T, s string) {
	var want any
	if !utf8.ValidString(s) || json.Unmarshal([]byte(s), &want) != nil {
		return // the oracle replaces invalid UTF-8, and rejects numbers out of range
	}
	r := NewReader(s)
	require.Equal(t, want, rebuilt(&r), s)
	wholeNumbersAgree(t, s)
	list, _ := want.([]any)
	require.Equal(t, len(list), NewReader(s).Len(), s)
}

// TestReaderPassesOver checks that values unused by the loops are skipped, at every level.
func TestReaderPassesOver(t *testing.T) {
	r := NewReader(`{"a":{"x":[1,{"b":9}]},"s":"}","list":[1,[2],{"b":3},"b"],"b":4,"n":5}`)
	var keys []string
	for r.OpenObject(); r.Member(); {
		keys = append(keys, r.Key())
		switch r.Key() {
		case "list":
			n := 0
			for r.OpenArray(); r.Element(); n++ {
			}
			require.Equal(t, 4, n)
		case "n":
			for r.OpenObject(); r.Member(); {
				t.Fatal("a number has no members")
			}
		}
	}
	require.Equal(t, []string{"a", "s", "list", "b", "n"}, keys)
}

func TestScalars(t *testing.T) {
	for v, want := range map[jsonw.Raw]int64{"0": 0, "-7": -7, "123456789012345678": 123456789012345678,
		"-123456789012345678": -123456789012345678} {
		n, ok := Int(v)
		require.True(t, ok)
		require.Equal(t, want, n)
	}
	for _, v := range []jsonw.Raw{"", "-", "1.0", "1e3", "null", `"1"`, "1234567890123456789", "-1234567890123456789"} {
		_, ok := Int(v)
		require.False(t, ok, v)
	}
	e, ok := Text(`"a\n"`)
	require.True(t, ok)
	require.Equal(t, jsonw.Escaped(`a\n`), e)
	for _, v := range []jsonw.Raw{"", "null", "1", "{}"} {
		_, ok := Text(v)
		require.False(t, ok)
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		agrees(t, s)
		r := NewReader(s)
		rebuiltBounded(&r, 0) // must neither panic nor loop forever, for any s
		if Check(s) == nil {
			readsAsOracle(t, s)
		}
	})
}

func rebuiltBounded(r *Reader, depth int) {
	if depth > MaxDepth {
		return
	}
	switch r.Kind() {
	case Object:
		for r.OpenObject(); r.Member(); {
			rebuiltBounded(r, depth+1)
		}
	case Array:
		for r.OpenArray(); r.Element(); {
			rebuiltBounded(r, depth+1)
		}
	}
}

const event = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m",` +
	`"choices":[{"index":0,"delta":{"content":"some\nwords"},"finish_reason":null}]}`

func BenchmarkCheck(b *testing.B) {
	b.SetBytes(int64(len(event)))
	b.ReportAllocs()
	for b.Loop() {
		_ = Check(event)
	}
}

// BenchmarkEvent reads the text of a chunk, with a Reader and with gjson.
func BenchmarkEvent(b *testing.B) {
	b.Run("reader", func(b *testing.B) {
		b.SetBytes(int64(len(event)))
		b.ReportAllocs()
		for b.Loop() {
			r := NewReader(event)
			for r.OpenObject(); r.Member(); {
				if r.Key() != "choices" {
					continue
				}
				for r.OpenArray(); r.Element(); {
					for r.OpenObject(); r.Member(); {
						if r.Key() != "delta" {
							continue
						}
						for r.OpenObject(); r.Member(); {
							_ = r.Value()
						}
					}
				}
			}
		}
	})
	b.Run("gjson", func(b *testing.B) {
		b.SetBytes(int64(len(event)))
		b.ReportAllocs()
		delta := func(_, v gjson.Result) bool { return true }
		choice := func(k, v gjson.Result) bool {
			if k.Str == "delta" {
				v.ForEach(delta)
			}
			return true
		}
		choices := func(_, v gjson.Result) bool { v.ForEach(choice); return true }
		root := func(k, v gjson.Result) bool {
			if k.Str == "choices" {
				v.ForEach(choices)
			}
			return true
		}
		for b.Loop() {
			gjson.Parse(event).ForEach(root)
		}
	})
}

func TestLen(t *testing.T) {
	for text, want := range map[string]int{`[]`: 0, ` [ ] `: 0, `[1]`: 1, `[{"a":[1,2]}, "]", [ ] ,null]`: 4,
		`{"a":1}`: 0, `"x"`: 0, ``: 0} {
		r := NewReader(text)
		require.Equal(t, want, r.Len(), text)
		require.Equal(t, NewReader(text), r, "it stays where it is")
	}
}
