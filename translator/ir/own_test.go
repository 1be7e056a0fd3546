package ir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppendMissing(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":1}`, ``, `{"a":1}`},
		{`{"a":1}`, `{"a":2}`, `{"a":1}`},
		{`{"a":1}`, `{"a":1}`, `{"a":1}`},
		{`{}`, `{}`, `{}`},
		{`{}`, `{"b":[1]}`, `{"b":[1]}`},
		{`{"a":null,"c":2}`, `{"c":3,"a":{"x":1},"d":null}`, `{"a":{"x":1},"c":2}`},
		{`{"a":{"x":0}}`, `{"a":{"x":1,"y":2},"b\"":"\""}`, `{"a":{"x":0,"y":2},"b\"":"\""}`},
		{`{"a":{"x":0}}`, `{"a":7}`, `{"a":{"x":0}}`},
		{`{"a":7}`, `[1]`, `{"a":7}`},
	} {
		got := AppendMissing([]byte("lead"+c[0]), 4, Raw(c[1]))
		require.Equal(t, "lead"+c[2], string(got), "%s %s", c[0], c[1])
	}
}
