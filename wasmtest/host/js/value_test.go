package js

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "",
		"plain é 漢 😀":                    "plain é 漢 😀",
		"\xEF\xBB\xBFafter a mark":       "after a mark",
		"\xFF\xFE":                       "\uFFFD\uFFFD",
		"a\xE2\x82":                      "a\uFFFD",
		"\xE2\x82b":                      "\uFFFDb",
		"\xF0\x9F\x98":                   "\uFFFD",
		"\xED\xA0\x80":                   "\uFFFD\uFFFD\uFFFD", // a surrogate
		"\xC0\xAF":                       "\uFFFD\uFFFD",       // an overlong slash
		"\xE0\x80\x80":                   "\uFFFD\uFFFD\uFFFD",
		"\xF4\x90\x80\x80":               "\uFFFD\uFFFD\uFFFD\uFFFD",
		"a\xF1\x80\x80\xE1\x80\xC2b\x80": "a\uFFFD\uFFFD\uFFFDb\uFFFD", // Unicode, table 3-8
	} {
		assert.Equal(t, want, Decode([]byte(in)), "%q", in)
	}
}

func TestNumber(t *testing.T) {
	for want, f := range map[string]float64{
		"0": math.Copysign(0, -1), "1": 1, "-1.5": -1.5, "1000000": 1e6, "100000000000000000000": 1e20,
		"1e+21":    1e21,
		"0.000001": 1e-6, "1e-7": 1e-7, "-1.5e-10": -1.5e-10, "1.7976931348623157e+308": math.MaxFloat64,
		"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		assert.Equal(t, want, number(f))
	}
}

func TestHeaders(t *testing.T) {
	h := NewHeaders(map[string][]string{"X-B": {"1", "2"}, "Set-Cookie": {"a", "b"}, "x-a": {"z\xFF"}})
	require.NoError(t, h.Append("X-B", " 3 \n"))
	pairs := [][2]Value{}
	for _, entry := range h.entries().Items {
		pairs = append(pairs, [2]Value(entry.(*Array).Items))
	}
	assert.Equal(t, [][2]Value{{"set-cookie", "a"}, {"set-cookie", "b"}, {"x-a", "z\uFFFD"},
		{"x-b", "1, 2, 3"}}, pairs)
	assert.Equal(t, "set-cookie: a\nset-cookie: b\nx-a: z\uFFFD\nx-b: 1, 2, 3\n", h.Head())
	assert.Equal(t, "a: b  c\n", NewHeaders(map[string][]string{"A": {"b\r\x00c"}}).Head())
	for _, bad := range [][2]string{{"", "v"}, {"a b", "v"}, {"a:", "v"}, {"é", "v"}, {"a", "v\nb: c"},
		{"a", "\x00"}} {
		assert.Error(t, h.Append(bad[0], bad[1]))
	}
}

func TestResponseRefusesWhatWorkerdRefuses(t *testing.T) {
	build := func(body Value, status float64) error {
		init := NewObject()
		init.Set("status", status)
		_, err := responseClass.Construct([]Value{body, init})
		return err
	}
	assert.NoError(t, build("x", 200))
	assert.NoError(t, build(Null{}, 204))
	assert.EqualError(t, build("x", 204),
		"uncaught TypeError: A response with the status 204 can't have a body")
	assert.EqualError(t, build("x", 99),
		"uncaught RangeError: Responses may only have a status from 200 to 599")
	assert.Error(t, build(Null{}, 600))
}

func TestArrays(t *testing.T) {
	_, err := uint8ArrayClass.Construct([]Value{-1.0})
	assert.EqualError(t, err, "uncaught RangeError: Invalid Uint8Array length")
	_, err = arrayClass.Construct([]Value{1.5})
	assert.EqualError(t, err, "uncaught RangeError: Invalid Array length")
	v, err := uint8ArrayClass.Construct([]Value{2.0})
	require.NoError(t, err)
	assert.Equal(t, 0.0, v.(Indexed).Index(1))
	assert.Nil(t, v.(Indexed).Index(2))
	assert.Nil(t, v.(Indexed).Index(-1))
}
