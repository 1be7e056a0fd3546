package bridge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatements(t *testing.T) {
	var s Statements
	s.SQL("A").Null().Number(1).SQL("").String("é").Blob("\x00")
	require.Equal(t, "q\x01\x00\x00\x00A"+"n"+"f\x00\x00\x00\x00\x00\x00\xf0\x3f"+"q\x00\x00\x00\x00"+"s\x02\x00\x00\x00é"+"b\x01\x00\x00\x00\x00", string(s.packed))
}

func TestRows(t *testing.T) {
	packed := "r\x00\x00\x00\x00" + // no columns
		"r\x02\x00\x00\x00" + "n" + "f\x00\x00\x00\x00\x00\x00\xf0\xff" + "s\x01\x00\x00\x00x" + "b\x00\x00\x00\x00" +
		"r\x01\x00\x00\x00" + // no rows
		"r\x01\x00\x00\x00" + "s\x01\x00\x00\x00r"
	read := func() *Rows { return NewRows([]byte(packed)) }
	r := read()
	require.Zero(t, r.Columns())
	require.False(t, r.Next())
	r.Statement()
	require.Equal(t, 2, r.Columns())
	require.True(t, r.Next())
	require.Equal(t, Value{Kind: Null}, r.Value())
	require.Equal(t, Value{Kind: Number, Number: math.Inf(-1)}, r.Value())
	require.True(t, r.Next())
	require.Equal(t, "x", string(r.Value().Bytes))
	require.Equal(t, Blob, rune(r.Value().Kind))
	require.False(t, r.Next())
	r.Statement()
	require.False(t, r.Next())
	r.Statement()
	require.True(t, r.Next())
	require.Equal(t, "r", string(r.Value().Bytes))
	require.False(t, r.Next())

	r = read() // read nothing of the rows
	for range 3 {
		r.Statement()
	}
	require.True(t, r.Next())
	require.Equal(t, "r", string(r.Value().Bytes))
	r = read() // read half of the row
	r.Statement()
	r.Next()
	r.Value()
	require.True(t, r.Next())
	require.Equal(t, "x", string(r.Value().Bytes))
}
