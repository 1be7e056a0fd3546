package host

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"edgelingua/wasmtest/store"
)

func TestUnpack(t *testing.T) {
	packed := "q\x01\x00\x00\x00A" + "q\x00\x00\x00\x00" + "n" + "f\x00\x00\x00\x00\x00\x00\xf0\xff" +
		"s\x06\x00\x00\x00\ufeffx\xc3\xff" + "b\x02\x00\x00\x00\x00\xff"
	assert.Equal(t, []store.Statement{
		{SQL: "A"},
		{Args: []any{nil, math.Inf(-1), "\ufeffx\ufffd\ufffd", []byte{0, 0xff}}},
	}, unpack([]byte(packed)))
	assert.Empty(t, unpack(nil))
	for _, packed := range []string{"n", "q\x01\x00\x00", "q\x02\x00\x00\x00A", "q\x00\x00\x00\x00x", "q\x00\x00\x00\x00f\x00"} {
		assert.Panics(t, func() { unpack([]byte(packed)) }, "%q", packed)
	}
}

func TestPack(t *testing.T) {
	assert.Equal(t, "r\x00\x00\x00\x00"+"r\x02\x00\x00\x00"+"n"+"f\x00\x00\x00\x00\x00\x00\xf0\x3f"+"s\x06\x00\x00\x00\ufeff\ufffd"+"b\x01\x00\x00\x00\xff",
		string(pack([]store.Rows{{}, {Columns: 2, Values: []any{nil, 1.0, "\ufeff\xff", []byte{0xff}}}})))
}
